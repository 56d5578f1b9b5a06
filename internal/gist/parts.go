package gist

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// part is a sentence, or an item of a list without its bullet.
type part struct {
	text  string // one line, with its end mark
	label string // the heading or label above or before it, such as **Why**; "" for none
	opens bool   // first of its section, paragraph or item
	chars int
}

// maxLabel is the maximum length of a shown label, in characters.
const maxLabel = 30

// lead returns the label to show before a part.
func (p part) lead() string {
	if p.label == "" || utf8.RuneCountInString(p.label) > maxLabel {
		return ""
	}
	return p.label + ": "
}

// reader cuts a text into parts, line by line.
type reader struct {
	parts []part
	code  string // the first line of code, for a text without sentences
	label string
	block strings.Builder // the current paragraph or item
}

// partsOf returns the sentences of a text in order, without code, tables, rules and headings. A text without
// sentences is represented by its first line.
func partsOf(s string) []part {
	r := reader{}
	fence := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		mark := fenceOf(line)
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) {
				fence = ""
			} else {
				r.aside(line)
			}
		case mark != "":
			r.end()
			fence = mark
		default:
			r.line(line)
		}
	}
	r.end()
	if line := strings.TrimSpace(r.code); len(r.parts) == 0 && line != "" {
		r.parts = append(r.parts, part{text: line, chars: utf8.RuneCountInString(line)})
	}
	return r.parts
}

// fenceOf returns the mark that opens or closes a block of code; "" for any other line.
func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// aside keeps the first line that is not a sentence.
func (r *reader) aside(line string) {
	if r.code == "" {
		r.code = line
	}
}

func (r *reader) line(line string) {
	for strings.HasPrefix(line, ">") { // read a quotation like its text
		line = strings.TrimSpace(line[1:])
	}
	item := itemOf(line)
	if item != "" {
		line = item
	}
	name, rest := labelOf(line)
	switch {
	case strings.Trim(line, "-=*_~#+| \t") == "": // empty, or a rule
		r.end()
	case strings.HasPrefix(line, "|"):
		r.end()
		r.aside(line)
	case strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " "):
		r.end()
		r.label = bare(strings.TrimLeft(line, "#"))
		r.aside(r.label)
	case name != "":
		r.end()
		r.label = name
		r.aside(name)
		r.block.WriteString(rest)
	case item != "":
		r.end()
		r.block.WriteString(line)
	default:
		if r.block.Len() > 0 {
			r.block.WriteByte(' ')
		}
		r.block.WriteString(line)
	}
}

// itemOf returns an item of a list without its bullet, "" for any other line.
func itemOf(line string) string {
	rest := strings.TrimLeft(line, "0123456789")
	if n := len(line) - len(rest); n > 0 && n < 4 && rest != "" && (rest[0] == '.' || rest[0] == ')') {
		rest = rest[1:]
	} else if n == 0 && line != "" {
		_, size := utf8.DecodeRuneInString(line)
		if !strings.Contains("-*+•–‣", line[:size]) {
			return ""
		}
		rest = line[size:]
	} else {
		return ""
	}
	if !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
		return ""
	}
	rest = strings.TrimSpace(rest)
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		rest = strings.TrimPrefix(rest, box)
	}
	return rest
}

// labelOf splits a line that starts with a bold label, **Why**: or **Why:**; "" without one.
func labelOf(line string) (name, rest string) {
	for _, mark := range []string{"**", "__"} {
		inner, found := strings.CutPrefix(line, mark)
		if !found {
			continue
		}
		name, rest, found = strings.Cut(inner, mark)
		if !found {
			continue
		}
		after := strings.TrimLeft(rest, " ")
		if strings.HasSuffix(name, ":") || after == "" || strings.HasPrefix(after, ":") || strings.HasPrefix(after, "：") {
			return bare(name), strings.TrimSpace(strings.TrimLeft(after, ":： "))
		}
	}
	return "", ""
}

// bare returns a heading or a label without its marks.
func bare(s string) string { return strings.Trim(strings.TrimSpace(s), "#*_:： ") }

// plain removes bold marks. A pair stays where removing it would join two words or change a number such as
// 2**10, or where the text between begins or ends with a blank.
func plain(s string) string {
	if !strings.Contains(s, "**") {
		return s
	}
	var b strings.Builder
	for {
		before, after, _ := strings.Cut(s, "**")
		inner, rest, found := strings.Cut(after, "**")
		if !found {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(before)
		if inner == "" || inner != strings.TrimSpace(inner) || glued(b.String(), inner) || glued(inner, rest) {
			inner = "**" + inner + "**"
		}
		b.WriteString(inner)
		s = rest
	}
}

// glued reports whether the last word of one text and the first of the next would merge.
func glued(one, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(one)
	first, _ := utf8.DecodeRuneInString(next)
	return inWord(last) && inWord(first)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// end cuts the current block into sentences.
func (r *reader) end() {
	s := plain(strings.Join(strings.Fields(r.block.String()), " "))
	r.block.Reset()
	for opens := true; s != ""; opens = false {
		n := sentence(s)
		text := strings.TrimSpace(s[:n])
		s = strings.TrimSpace(s[n:])
		if strings.ContainsFunc(text, inWord) {
			r.parts = append(r.parts, part{text: text, label: r.label, opens: opens, chars: utf8.RuneCountInString(text)})
		}
	}
}

// The marks that end a sentence: firm ones anywhere, loose ones only before a blank, and closing marks after
// either.
const (
	firmEnds  = "。！？｡।؟۔"
	looseEnds = ".!?…"
	closings  = `"')]}”’»」』）】`
)

// sentence returns the length of the first sentence of s in bytes.
func sentence(s string) int {
	word := 0 // start of the current word
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		switch {
		case r == ' ':
			word = next
		case r < utf8.RuneSelf && r != '.' && r != '!' && r != '?': // the common case
		case strings.ContainsRune(firmEnds, r):
			return closed(s, next)
		case strings.ContainsRune(looseEnds, r):
			if end := closed(s, next); end == len(s) || s[end] == ' ' && !goesOn(s[word:i], s[end+1:], r) {
				return end
			}
		}
	}
	return len(s)
}

func closed(s string, end int) int {
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !strings.ContainsRune(closings, r) && !strings.ContainsRune(firmEnds+looseEnds, r) {
			break
		}
		end += size
	}
	return end
}

// goesOn reports whether a sentence continues after a mark: that of an abbreviation (e.g., J.), or one before a
// small letter.
func goesOn(word, rest string, mark rune) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	letters := strings.TrimLeft(word, "([\"'“‘")
	return unicode.IsLower(r) || mark == '.' && (utf8.RuneCountInString(letters) == 1 && !unicode.IsDigit(rune(letters[0])) || strings.Contains(letters, ".") && len(letters) < 6 && !strings.ContainsAny(letters, "0123456789"))
}
