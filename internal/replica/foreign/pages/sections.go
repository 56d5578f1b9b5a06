package pages

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// WithoutTitle removes a heading that repeats the title.
func WithoutTitle(body, title string) string {
	trimmed := strings.TrimLeft(body, "\n \t")
	first, rest, _ := strings.Cut(trimmed, "\n")
	if name, ok := strings.CutPrefix(first, "# "); ok && strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(title)) {
		return rest
	}
	return body
}

// Section is a piece of a page under its heading.
type Section struct {
	Headings []string // outermost first, including its own; empty before the first
	Text     string
	Line     int // of the page, from 1, where the text begins
}

// title returns the heading of a section with those above it, without the page's title; "" before
// the first heading.
func (s Section) title(whole bool) string {
	names := s.Headings
	if whole && len(names) > 1 {
		names = names[1:]
	}
	return strings.Join(names, ": ")
}

// within returns the headings of a section without the page's title, because a copy of the page may
// have another name.
func (s Section) within(whole bool) string {
	names := s.Headings
	if whole && len(names) > 0 {
		names = names[1:]
	}
	return strings.Join(names, ": ")
}

// above returns the headings above a list item, without one that repeats the name of the page.
func (s Section) above(whole bool, stem string) string {
	if len(s.Headings) == 1 {
		named, page := TypeOf(s.Headings[0], ""), TypeOf(stem, "")
		if strings.EqualFold(s.Headings[0], strings.ReplaceAll(stem, "_", " ")) || named != "" && named == page {
			return ""
		}
	}
	return s.within(whole)
}

// heading is a line that begins with one to six #.
type heading struct {
	level int
	text  string
	line  int // of the text, from 0
}

// cutAt splits a text at its headings of the first two levels, or of the next level present; deeper
// ones stay in their section. Code between fences has no headings. whole reports whether the first
// heading is the title of the page.
func cutAt(text string, firstLine int) (sections []Section, whole bool) {
	lines := strings.Split(text, "\n")
	hs := headings(lines)
	levels := [7]int{}
	for _, h := range hs {
		levels[h.level]++
	}
	whole = levels[1] == 1 && len(hs) > 1 && hs[0].level == 1
	deepest := 2
	for deepest < 6 && levels[deepest] == 0 && (whole || levels[1] == 0) {
		deepest++ // pages skip levels
	}
	begin, path := 0, []heading(nil)
	end := func(to int) {
		for begin < to && strings.TrimSpace(lines[begin]) == "" {
			begin++
		}
		body := strings.TrimRight(strings.Join(lines[begin:to], "\n"), " \t\n")
		if body == "" {
			return
		}
		names := make([]string, len(path))
		for i, h := range path {
			names[i] = h.text
		}
		sections = append(sections, Section{names, body, firstLine + begin})
	}
	for _, h := range hs {
		if h.level > deepest {
			continue
		}
		end(h.line)
		for len(path) > 0 && path[len(path)-1].level >= h.level {
			path = path[:len(path)-1]
		}
		path = append(slices.Clip(path), h)
		begin = h.line + 1
	}
	end(len(lines))
	return sections, whole
}

func headings(lines []string) []heading {
	var all []heading
	fence := ""
	for n, l := range lines {
		trimmed := strings.TrimLeft(l, " ")
		if len(l)-len(trimmed) > 3 { // code
			continue
		}
		if f := fenceOf(trimmed); fence == "" && f != "" {
			fence = f
			continue
		} else if fence != "" {
			if strings.HasPrefix(f, fence) && strings.Trim(trimmed, f[:1]+" \t") == "" {
				fence = ""
			}
			continue
		}
		level := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
		if level < 1 || level > 6 || len(trimmed) > level && trimmed[level] != ' ' && trimmed[level] != '\t' {
			continue
		}
		text := strings.TrimSpace(trimmed[level:])
		if bare := strings.TrimRight(text, "#"); bare == "" || strings.HasSuffix(bare, " ") {
			text = strings.TrimSpace(bare)
		}
		all = append(all, heading{level, text, n})
	}
	return all
}

// fenceOf returns the fence at the start of a line: three or more ` or ~; "" for none.
func fenceOf(l string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(l) - len(strings.TrimLeft(l, c)); n >= 3 {
			return l[:n]
		}
	}
	return ""
}

// Prose returns the lines outside of fenced code, numbered from 0.
func Prose(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		fence := ""
		for n, l := range strings.Split(text, "\n") {
			f := fenceOf(strings.TrimLeft(l, " \t"))
			switch {
			case f != "" && fence == "":
				fence = f
			case f != "" && strings.HasPrefix(f, fence):
				fence = ""
			case fence == "" && !yield(n, l):
				return
			}
		}
	}
}

// items splits a text that is one list into its items with their indented lines; nil for any other
// text and for a list of one.
func items(s Section) []Section {
	var out []Section
	for n, l := range strings.Split(s.Text, "\n") {
		body, marked := listMark(l)
		switch {
		case marked:
			out = append(out, Section{s.Headings, body, s.Line + n})
		case len(out) == 0 && strings.TrimSpace(l) != "", strings.TrimSpace(l) != "" && len(l)-len(strings.TrimLeft(l, " \t")) < 2:
			return nil
		case len(out) > 0:
			last := &out[len(out)-1]
			last.Text += "\n" + strings.TrimPrefix(l, "  ")
		}
	}
	if len(out) < 2 {
		return nil
	}
	for i := range out {
		out[i].Text = strings.TrimSpace(out[i].Text)
	}
	return slices.DeleteFunc(out, func(s Section) bool { return s.Text == "" })
}

// listMark returns the text behind the mark of an item that is not indented.
func listMark(l string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if body, ok := strings.CutPrefix(l, mark); ok {
			return body, true
		}
	}
	digits := len(l) - len(strings.TrimLeft(l, "0123456789"))
	if digits > 0 && digits < 5 && len(l) > digits+1 && (l[digits] == '.' || l[digits] == ')') && l[digits+1] == ' ' {
		return l[digits+2:], true
	}
	return "", false
}

// TypeOf returns the known type that a heading names, singular or plural; otherwise the fallback.
func TypeOf(heading string, otherwise engram.Type) engram.Type {
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(heading)), " ", "_")
	for _, t := range engram.KnownTypes() {
		name := string(t)
		if word == name || word == name+"s" || word == name+"es" || strings.HasSuffix(name, "y") && word == strings.TrimSuffix(name, "y")+"ies" {
			return t
		}
	}
	return otherwise
}

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
