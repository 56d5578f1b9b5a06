package capture

import (
	"slices"
	"strings"
)

// header returns the level and text of a Markdown header; 0 for other lines.
func header(line string) (level int, text string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level == 0 || rest == "" || !isBlank(rest[0]) {
		return 0, ""
	}
	return level, strings.TrimSpace(rest)
}

// boldLine returns the text of a line that is entirely bold, with or without a colon after it, as
// many authors write headings. "" for other lines.
func boldLine(line string) string {
	line = strings.TrimRight(line, " \t\r")
	if bare := unbolded(line); bare != line {
		return bare
	}
	return ""
}

// unbolded removes bold marks around a whole text, which may be followed by a colon.
func unbolded(s string) string {
	for _, mark := range []string{"**", "__"} {
		inner, opens := strings.CutPrefix(strings.TrimSuffix(s, ":"), mark)
		inner, closes := strings.CutSuffix(inner, mark)
		if opens && closes && inner != "" && !strings.Contains(inner, mark) {
			return strings.TrimSpace(inner)
		}
	}
	return s
}

type listKind int

const (
	noList listKind = iota
	numbered
	bullet
)

// listItem parses line as a list item of any indentation; noList if it is not one.
func listItem(line string) (kind listKind, text string) {
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, "0123456789")
	if len(rest) < 2 || !isBlank(rest[1]) {
		return noList, ""
	}
	text = strings.TrimSpace(rest[1:])
	hasNumber := len(rest) < len(line)
	switch mark := rest[0]; {
	case hasNumber && (mark == '.' || mark == ')'):
		return numbered, text
	case !hasNumber && (mark == '-' || mark == '*'):
		return bullet, text
	}
	return noList, ""
}

// listItems returns the items of one kind, each with its continuation lines.
func listItems(lines []string, want listKind) []string {
	var items []string
	var parts []string // of the current item
	for _, line := range lines {
		kind, text := listItem(line)
		goesOn := kind == noList && strings.TrimSpace(line) != "" && isBlank(line[0])
		if goesOn && parts != nil {
			parts = append(parts, strings.TrimSpace(line))
			continue
		}
		if parts != nil {
			items, parts = append(items, strings.Join(parts, " ")), nil
		}
		if kind == want {
			parts = []string{text}
		}
	}
	if parts != nil {
		items = append(items, strings.Join(parts, " "))
	}
	return items
}

// blankFences returns lines with fenced code emptied. An unclosed fence is ignored: agents' texts
// get cut off, and the rest must not be lost.
func blankFences(lines []string) []string {
	clear := slices.Clone(lines)
	// Fences of at least this many of the character stay open to the end. Without this, a text of
	// only opening fences would cost quadratic time.
	stayOpen := map[byte]int{}
	for i := 0; i < len(lines); i++ {
		char, length, _ := fence(lines[i])
		if open := stayOpen[char]; length == 0 || open > 0 && length >= open {
			continue
		}
		end := closingFence(lines, i+1, char, length)
		if end < 0 {
			stayOpen[char] = length
			continue
		}
		for ; i < end; i++ {
			clear[i] = ""
		}
		clear[end] = ""
	}
	return clear
}

// closingFence returns the index of the line that closes a fence, or -1.
func closingFence(lines []string, from int, char byte, length int) int {
	for i := from; i < len(lines); i++ {
		if c, n, bare := fence(lines[i]); bare && c == char && n >= length {
			return i
		}
	}
	return -1
}

// fence parses a line that opens or closes fenced code: the character, its count (0 for other
// lines), and whether nothing follows, as in every closing line.
func fence(line string) (char byte, length int, bare bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0, false
	}
	rest := strings.TrimLeft(line, line[:1])
	if length = len(line) - len(rest); length < 3 || line[0] == '`' && strings.Contains(rest, "`") {
		return 0, 0, false // ```code``` on one line is not a fence
	}
	return line[0], length, rest == ""
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
