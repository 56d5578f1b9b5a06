package markdown

import (
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/pages"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// A project_graph.md has entities, each under a heading or as a list item, and relations in lines:
// "uses: redis, postgres", "depends_on [[billing]]", "shop -> uses -> redis", "-> redis (cache)",
// "--calls--> billing". A line relates entities of the page; if it names anything else it is plain
// text.

// graphPages collects relations until all entities are known.
type graphPages struct {
	patterns pages.Patterns
	called   pages.PageNames
	said     []graphText
}

type graphText struct {
	sync, text, item string
	at               time.Time
}

// saying is a relation in a line; from is "" for the entity whose text has the line.
type saying struct{ from, word, to string }

func newGraphPages() *graphPages {
	return &graphPages{patterns: pages.NewPatterns(), called: pages.PageNames{}}
}

// add adds an entity; m is its memory, s its section.
func (g *graphPages) add(m engram.Memory, s pages.Section, item string) {
	name, text := "", m.Content
	if text == s.Text && len(s.Headings) > 0 {
		name = s.Headings[len(s.Headings)-1]
	} else {
		name = leadingName(text)
	}
	g.called.Call(unmarked(name), m.SyncID)
	g.said = append(g.said, graphText{m.SyncID, text, item, m.CreatedAt})
}

// relate relates the entities.
func (g *graphPages) relate(all *source.Relations) {
	for _, t := range g.said {
		for _, l := range pages.Prose(t.text) {
			for _, x := range sayings(g.patterns, l) {
				from, to := t.sync, g.called[pages.NameKey(x.to)]
				if x.from != "" {
					if known := g.called[pages.NameKey(x.from)]; known != "" {
						from = known
					} else if x.word == "relates_to" { // "uses -> redis"
						x.word = x.from
					} else {
						continue
					}
				}
				if from != "" && to != "" && from != to {
					all.Add(source.Relation{From: from, To: to, Word: x.word, Item: t.item, At: t.at})
				}
			}
		}
	}
}

// leadingName returns the subject of an item: the text before a colon, a dash, an arrow or a
// bracket.
func leadingName(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = unmarked(line)
	for _, end := range []string{": ", " - ", " – ", " — ", " -> ", " → ", " ("} {
		line, _, _ = strings.Cut(line, end)
	}
	return strings.TrimSuffix(line, ":")
}

// unmarked removes the marks of bold, code and links.
func unmarked(s string) string {
	s = strings.NewReplacer("**", "", "__", "", "`", "", "[[", "", "]]", "").Replace(s)
	return strings.TrimSpace(s)
}

// sayings returns the relations that a line may express.
func sayings(p pages.Patterns, l string) (out []saying) {
	l = strings.TrimSpace(l)
	if m := p.Item.FindStringSubmatch(l); m != nil {
		l = m[1]
	}
	l = strings.NewReplacer("→", "->", "⟶", "->", "=>", "->").Replace(l)
	if strings.Contains(l, "->") {
		return arrows(unmarked(l))
	}
	if link, ok := p.Relation(l); ok {
		return []saying{{"", link.Word, link.Target}}
	}
	word, targets, found := strings.Cut(unmarked(l), ":")
	if !found || len(strings.Fields(word)) > pages.MostWords || strings.TrimSpace(word) == "" {
		return nil
	}
	for target := range strings.SplitSeq(targets, ",") {
		if target = withoutBrackets(target); target != "" {
			out = append(out, saying{"", strings.TrimSpace(word), target})
		}
	}
	return out
}

// arrows reads "a -> word -> b", "a --word--> b", "a -> b (word)", "word -> b" and "-> b". Only the
// pages tell whether the part before a single arrow is an entity or the word.
func arrows(l string) []saying {
	parts := strings.Split(l, "->")
	for i := range parts {
		parts[i] = strings.TrimSpace(strings.TrimRight(parts[i], "-"))
	}
	word := ""
	if left, label, labelled := strings.Cut(parts[0], "--"); labelled && len(parts) == 2 { // a --word--> b
		parts = []string{strings.TrimSpace(left), strings.Trim(label, "- []"), parts[1]}
	}
	last := parts[len(parts)-1]
	if about := strings.Index(last, "("); about >= 0 && strings.HasSuffix(last, ")") {
		word = strings.TrimSpace(last[about+1 : len(last)-1])
	}
	to := withoutBrackets(last)
	switch {
	case to == "":
		return nil
	case len(parts) == 2:
		if word == "" {
			word = "relates_to"
		}
		return []saying{{withoutBrackets(parts[0]), word, to}}
	case len(parts) == 3 && parts[1] != "":
		return []saying{{withoutBrackets(parts[0]), parts[1], to}}
	}
	return nil
}

// withoutBrackets removes a remark in brackets and a full stop.
func withoutBrackets(s string) string {
	s, _, _ = strings.Cut(s, "(")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "."))
}
