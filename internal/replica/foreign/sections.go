package foreign

import (
	"iter"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// A section is a piece of a page under its heading.
type section struct {
	headings []string // from the outermost down to its own; none for what stands before the first
	text     string
	line     int // of the page, from 1, at which the text begins
}

// title is the heading of a section with those above it, without the one that names the
// whole page; "" for what stands before the first heading.
func (s section) title(whole bool) string {
	names := s.headings
	if whole && len(names) > 1 {
		names = names[1:]
	}
	return strings.Join(names, ": ")
}

// within is where on its page a section stands: its headings without the one that names the
// whole page, for a copy of the page may have another name.
func (s section) within(whole bool) string {
	names := s.headings
	if whole && len(names) > 0 {
		names = names[1:]
	}
	return strings.Join(names, ": ")
}

// above is what an item of a list is said of: the headings above it, without one that only
// says what the name of the page says.
func (s section) above(whole bool, stem string) string {
	if len(s.headings) == 1 {
		named, page := typeOf(s.headings[0], ""), typeOf(stem, "")
		if strings.EqualFold(s.headings[0], strings.ReplaceAll(stem, "_", " ")) || named != "" && named == page {
			return ""
		}
	}
	return s.within(whole)
}

// A heading is a line that begins with one to six #.
type heading struct {
	level int
	text  string
	line  int // of the text, from 0
}

// cutAt cuts a text at its headings of the first two levels, or of the next one that it has:
// what is below is part of what it explains. Code between fences has no headings, though
// lines of it may begin with #. whole reports whether the first heading is the name of the
// whole page.
func cutAt(text string, firstLine int) (sections []section, whole bool) {
	lines := strings.Split(text, "\n")
	hs := headings(lines)
	levels := [7]int{}
	for _, h := range hs {
		levels[h.level]++
	}
	whole = levels[1] == 1 && len(hs) > 1 && hs[0].level == 1
	deepest := 2
	for deepest < 6 && levels[deepest] == 0 && (whole || levels[1] == 0) {
		deepest++ // pages leave out levels
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
		sections = append(sections, section{names, body, firstLine + begin})
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
		if len(l)-len(trimmed) > 3 { // it is code
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

// fenceOf is the fence that a line begins with: three or more ` or ~; "" for none.
func fenceOf(l string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(l) - len(strings.TrimLeft(l, c)); n >= 3 {
			return l[:n]
		}
	}
	return ""
}

// prose gives the lines of a text, with their numbers from 0, but for code between fences.
func prose(text string) iter.Seq2[int, string] {
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

// items cuts a text that is nothing but a list into its items, each with what is further in
// below it; nil for any other text, and for a list of one.
func items(s section) []section {
	var out []section
	for n, l := range strings.Split(s.text, "\n") {
		body, marked := listMark(l)
		switch {
		case marked:
			out = append(out, section{s.headings, body, s.line + n})
		case len(out) == 0 && strings.TrimSpace(l) != "", strings.TrimSpace(l) != "" && indentOf(l) < 2:
			return nil
		case len(out) > 0:
			last := &out[len(out)-1]
			last.text += "\n" + strings.TrimPrefix(l, "  ")
		}
	}
	if len(out) < 2 {
		return nil
	}
	for i := range out {
		out[i].text = strings.TrimSpace(out[i].text)
	}
	return slices.DeleteFunc(out, func(s section) bool { return s.text == "" })
}

// listMark is what follows the mark of an item that is not further in.
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

// typeOf is the known type that a heading names, in the singular or the plural; otherwise
// what it is when nobody says.
func typeOf(heading string, otherwise engram.Type) engram.Type {
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(heading)), " ", "_")
	for _, t := range engram.KnownTypes() {
		name := string(t)
		if word == name || word == name+"s" || word == name+"es" || strings.HasSuffix(name, "y") && word == strings.TrimSuffix(name, "y")+"ies" {
			return t
		}
	}
	return otherwise
}
