// Package markdown reads memory that is kept as plain Markdown.
//
// Memory as plain Markdown: reflexes.md, episodes.md, preferences.md and project_graph.md of
// programs from before they had a database, and any other page. A page is split at its headings; if
// its name implies a type, a list is split into items, each a memory. Reflexes and preferences do
// not fade.
package markdown

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/frontmatter"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/pages"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Open opens a folder, or one file of it. CodeNotFound, CodeInvalid or CodeUnavailable if that is not possible.
func Open(name string, info fs.FileInfo, o source.Options) (engram.Source, error) {
	f, err := pages.OpenFolder(name, info)
	if err != nil {
		return nil, err
	}
	m := &markdown{pages.NewPapers(source.Markdown, f, o.Home()), graphPages{patterns: pages.NewPatterns(), called: pages.PageNames{}}}
	m.Source.Each = m.each
	return m, nil
}

type markdown struct {
	pages.Papers
	graph graphPages
}

func (m *markdown) each(ctx context.Context, yield func(engram.Record) bool) error {
	paths, err := m.Folder.Find(ctx, pages.Ordinary, func(p string) bool { return pages.IsMarkdown(p) && !pages.Hidden(p) })
	if err != nil {
		return err
	}
	if slices.ContainsFunc(paths, IsPage) {
		paths = slices.DeleteFunc(paths, func(p string) bool { return !IsPage(p) })
	}
	if len(paths) == 0 {
		return pages.Nothing("Markdown", "name a .md file, or a folder with such files")
	}
	stopped := false
	err = m.Pages(ctx, paths, func(r engram.Record) bool { stopped = !yield(r); return !stopped }, func(pg pages.Page) bool {
		matter, body, line := frontmatter.Split(pg.Text)
		kind, named := pageType(pg.Stem())
		if t := matter.First("type"); t != "" {
			kind = engram.Type(t)
		}
		heading := cmp.Or(matter.First("title", "name", "description"), pg.Stem())
		return m.Cut(pg, body, line, heading, named, func(x *engram.Memory, s pages.Section) {
			x.Type = kind
			if len(s.Headings) > 0 && !named {
				x.Title = pages.Titled(strings.Join(s.Headings, ": ")) // on other pages the name matters
				x.Type = pages.TypeOf(s.Headings[len(s.Headings)-1], kind)
			}
			x.Tags = append(source.TagOf(strings.ToLower(pg.Stem())), source.TagsOf(pages.ListOf(matter, "tags"))...)
			x.Permanent = x.Type == engram.TypeReflex || x.Type == engram.TypePreference
			if fields := pages.FieldsOf(matter, "title", "type", "tags"); len(fields) > 0 {
				x.Metadata["front_matter"] = fields
			}
			if pages.IsGraphPage(pg.Stem()) {
				m.graph.add(*x, s, fmt.Sprintf("%s:%d", pg.Path, s.Line))
			}
			if len(s.Headings) > 0 { // episodes are under a date
				if at := source.When(strings.TrimRight(firstWord(s.Headings[len(s.Headings)-1]), ":,")); !at.IsZero() && at.Before(x.CreatedAt) {
					x.CreatedAt, x.UpdatedAt = at, pg.At
				}
			}
		}, func(r engram.Record) bool { stopped = !yield(r); return !stopped })
	})
	if err != nil || stopped {
		return err
	}
	all := source.Relations{Naming: m.Naming}
	m.graph.relate(&all)
	all.Each(yield)
	return nil
}

// pageType returns the type that the name of a page implies, and whether it implies one.
func pageType(stem string) (engram.Type, bool) {
	if pages.IsGraphPage(stem) {
		return engram.TypeEntity, true
	}
	t := pages.TypeOf(stem, "")
	if t == "" {
		return engram.TypeManual, false
	}
	return t, true
}

// IsPage reports whether a file is one of the four pages. A folder with one of them is read for
// these alone.
func IsPage(p string) bool {
	switch strings.ToLower(path.Base(p)) {
	case "reflexes.md", "episodes.md", "preferences.md", "project_graph.md":
		return true
	}
	return false
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}

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
