package render

import (
	"strings"
	"unicode/utf8"
)

// Columns is how wide a terminal is taken to be.
const Columns = 80

// Fold breaks a line at spaces into lines of at most Columns characters, each but the
// first after indent. A word that is longer stays whole.
func Fold(line, indent string) string {
	var b strings.Builder
	column, spaces, opens := 0, 0, true
	for i, word := range strings.Split(line, " ") {
		if i > 0 {
			spaces++
		}
		if word == "" {
			continue
		}
		length := utf8.RuneCountInString(word)
		switch {
		case opens || column+spaces+length <= Columns:
			b.WriteString(strings.Repeat(" ", spaces))
			column += spaces
		default:
			b.WriteString("\n" + indent)
			column = utf8.RuneCountInString(indent)
		}
		b.WriteString(word)
		column, spaces, opens = column+length, 0, false
	}
	return b.String()
}
