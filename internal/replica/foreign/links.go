package foreign

import (
	"regexp"
	"slices"
	"strings"
)

// patterns match notes with wiki links.
type patterns struct {
	item        *regexp.Regexp // a list item
	observation *regexp.Regexp // [category] text
	tag         *regexp.Regexp
	link        *regexp.Regexp // [[target]]
	context     *regexp.Regexp // (text) at the end
	code        *regexp.Regexp // `text`, whose links do not count
}

func newPatterns() patterns {
	return patterns{
		item:        regexp.MustCompile(`^\s*[-*+]\s+(.*)$`),
		observation: regexp.MustCompile(`^\[([^\[\]()]+)\]\s+(\S.*)$`),
		tag:         regexp.MustCompile(`(?:^|\s)#([\p{L}\p{N}_/-]+)`),
		link:        regexp.MustCompile(`\[\[([^\[\]\n]+)\]\]`),
		context:     regexp.MustCompile(`^\s*(?:\((.*)\))?\s*$`),
		code:        regexp.MustCompile("`[^`\n]*`"),
	}
}

// said is what the lines of a note express besides prose.
type said struct {
	categories []string
	tags       []string
	links      []wikiLink
}

type wikiLink struct {
	word, target, about string
	line                int
}

// mostWords is the most words of a relation's name; more is a sentence with a link.
const mostWords = 4

// parse reads the lines of a note, except code between fences.
func (p patterns) parse(body string, firstLine int) said {
	var s said
	for n, l := range prose(body) {
		p.line(&s, l, firstLine+n)
	}
	return s
}

func (p patterns) line(s *said, l string, n int) {
	l = p.code.ReplaceAllString(l, "")
	if m := p.item.FindStringSubmatch(l); m != nil {
		if o := p.observation.FindStringSubmatch(m[1]); o != nil && o[1] != "x" && o[1] != "X" && o[1] != "-" && strings.TrimSpace(o[1]) != "" {
			if c := strings.ToLower(strings.TrimSpace(o[1])); !slices.Contains(s.categories, c) {
				s.categories = append(s.categories, c)
			}
			for _, t := range p.tag.FindAllStringSubmatch(o[2], -1) {
				s.tags = append(s.tags, t[1])
			}
		} else if link, ok := p.relation(m[1]); ok {
			link.line = n
			s.links = append(s.links, link)
			return
		}
	}
	for _, m := range p.link.FindAllStringSubmatch(l, -1) {
		s.links = append(s.links, wikiLink{"links_to", targetOf(m[1]), "", n})
	}
}

// relation reads "depends_on [[Target]] (why)"; without a word it is relates_to.
func (p patterns) relation(item string) (wikiLink, bool) {
	at := p.link.FindStringSubmatchIndex(item)
	if at == nil {
		return wikiLink{}, false
	}
	word := strings.Trim(strings.TrimSpace(item[:at[0]]), `"'`+"`*:")
	about := p.context.FindStringSubmatch(item[at[1]:])
	if about == nil || len(strings.Fields(word)) > mostWords || strings.ContainsAny(word, "[](){}") {
		return wikiLink{}, false
	}
	if word == "" {
		word = "relates_to"
	}
	return wikiLink{word: word, target: targetOf(item[at[2]:at[3]]), about: about[1]}, true
}

// targetOf returns the target of a link without its heading or display text.
func targetOf(link string) string {
	link, _, _ = strings.Cut(link, "|")
	if before, _, cut := strings.Cut(link, "#"); cut && before != "" {
		link = before
	}
	return strings.TrimSpace(link)
}

// pageNames maps the names in links to notes.
type pageNames map[string]string

// nameKey normalizes a name, because links are written by hand.
func nameKey(name string) string {
	name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".md")
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '\t' }), "-")
}

// call gives a note a name, unless another one has it.
func (n pageNames) call(name, sync string) {
	if k := nameKey(name); k != "" && n[k] == "" {
		n[k] = sync
	}
}
