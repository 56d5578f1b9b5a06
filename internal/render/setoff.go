package render

import "strings"

// SetOff returns s for a place among lines that are not its own: each of its lines but the
// first begins with indent, which opens the line that s is put on too. So no line of a
// memory can pass for another memory, for the end of a block, or for the program's own
// words, whatever character it breaks its lines with. Blank space around s goes.
func SetOff(s, indent string) string {
	return breaksAs(strings.TrimSpace(s), "\n"+indent)
}

// breaksAs returns s with each of its line breaks written as brk.
func breaksAs(s, brk string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		size := breakSize(s[i:])
		if size == 0 {
			i++
			continue
		}
		b.WriteString(s[from:i])
		b.WriteString(brk)
		i += size
		from = i
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// breakSize is how many bytes the line break has that s begins with; 0 when it begins with
// none. Terminals, editors, models' tokenizers and the libraries that split texts for them
// do not agree on what ends a line: here it is all that any of them takes for one.
func breakSize(s string) int {
	switch c := s[0]; {
	case strings.HasPrefix(s, "\r\n"), strings.HasPrefix(s, "\u0085"):
		return 2
	case c >= '\n' && c <= '\r', c >= 0x1c && c <= 0x1e:
		return 1
	case strings.HasPrefix(s, "\u2028"), strings.HasPrefix(s, "\u2029"):
		return 3
	}
	return 0
}
