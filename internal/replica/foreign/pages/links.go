package pages

import (
	"regexp"
	"slices"
	"strings"
)

// Patterns match notes with wiki links.
type Patterns struct {
	Item        *regexp.Regexp // a list item
	observation *regexp.Regexp // [category] text
	tag         *regexp.Regexp
	link        *regexp.Regexp // [[target]]
	context     *regexp.Regexp // (text) at the end
	code        *regexp.Regexp // `text`, whose links do not count
}

// NewPatterns compiles the patterns.
func NewPatterns() Patterns {
	return Patterns{
		Item:        regexp.MustCompile(`^\s*[-*+]\s+(.*)$`),
		observation: regexp.MustCompile(`^\[([^\[\]()]+)\]\s+(\S.*)$`),
		tag:         regexp.MustCompile(`(?:^|\s)#([\p{L}\p{N}_/-]+)`),
		link:        regexp.MustCompile(`\[\[([^\[\]\n]+)\]\]`),
		context:     regexp.MustCompile(`^\s*(?:\((.*)\))?\s*$`),
		code:        regexp.MustCompile("`[^`\n]*`"),
	}
}

// Said is what the lines of a note express besides prose.
type Said struct {
	Categories []string
	Tags       []string
	Links      []WikiLink
}

// WikiLink is a wiki link with the name of its relation and a remark, at a line of the page.
type WikiLink struct {
	Word, Target, About string
	Line                int
}

// MostWords is the most words of a relation's name; more is a sentence with a link.
const MostWords = 4

// Parse reads the lines of a note, except code between fences.
func (p Patterns) Parse(body string, firstLine int) Said {
	var s Said
	for n, l := range Prose(body) {
		p.line(&s, l, firstLine+n)
	}
	return s
}

func (p Patterns) line(s *Said, l string, n int) {
	l = p.code.ReplaceAllString(l, "")
	if m := p.Item.FindStringSubmatch(l); m != nil {
		if o := p.observation.FindStringSubmatch(m[1]); o != nil && o[1] != "x" && o[1] != "X" && o[1] != "-" && strings.TrimSpace(o[1]) != "" {
			if c := strings.ToLower(strings.TrimSpace(o[1])); !slices.Contains(s.Categories, c) {
				s.Categories = append(s.Categories, c)
			}
			for _, t := range p.tag.FindAllStringSubmatch(o[2], -1) {
				s.Tags = append(s.Tags, t[1])
			}
		} else if link, ok := p.Relation(m[1]); ok {
			link.Line = n
			s.Links = append(s.Links, link)
			return
		}
	}
	for _, m := range p.link.FindAllStringSubmatch(l, -1) {
		s.Links = append(s.Links, WikiLink{"links_to", targetOf(m[1]), "", n})
	}
}

// Relation reads "depends_on [[Target]] (why)"; without a word it is relates_to.
func (p Patterns) Relation(item string) (WikiLink, bool) {
	at := p.link.FindStringSubmatchIndex(item)
	if at == nil {
		return WikiLink{}, false
	}
	word := strings.Trim(strings.TrimSpace(item[:at[0]]), `"'`+"`*:")
	about := p.context.FindStringSubmatch(item[at[1]:])
	if about == nil || len(strings.Fields(word)) > MostWords || strings.ContainsAny(word, "[](){}") {
		return WikiLink{}, false
	}
	if word == "" {
		word = "relates_to"
	}
	return WikiLink{Word: word, Target: targetOf(item[at[2]:at[3]]), About: about[1]}, true
}

// targetOf returns the target of a link without its heading or display text.
func targetOf(link string) string {
	link, _, _ = strings.Cut(link, "|")
	if before, _, cut := strings.Cut(link, "#"); cut && before != "" {
		link = before
	}
	return strings.TrimSpace(link)
}

// PageNames maps the names in links to notes.
type PageNames map[string]string

// NameKey normalizes a name, because links are written by hand.
func NameKey(name string) string {
	name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".md")
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '\t' }), "-")
}

// Call gives a note a name, unless another one has it.
func (n PageNames) Call(name, sync string) {
	if k := NameKey(name); k != "" && n[k] == "" {
		n[k] = sync
	}
}

// OpenLink is a link whose page may not have been read yet.
type OpenLink struct {
	WikiLink
	From, Item string // the linking memory: its name, and its place for people
	Page       Page
}
