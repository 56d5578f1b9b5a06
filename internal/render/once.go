package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
)

// Said is what a list says of a memory in one line: its title, and after it so many characters of
// what it says. A title that is only how the content begins is not said twice. note is what is
// known of it.
func Said(m engram.Memory, n engram.Note, most int) string {
	title, said := once(m.Title, Line(gist.Line(m, most), 0))
	if Quoted(m, n) {
		title, said = QuoteLine(title), quotedOrNone(said)
	}
	if said == "" {
		return title
	}
	return title + " — " + said
}

func quotedOrNone(said string) string {
	if said == "" {
		return ""
	}
	return QuoteLine(said)
}

// once is a title and what is said below it. Where the title is only how that begins, cut or not,
// the first line of it stands in the title's place, and the rest below.
func once(title, said string) (head, rest string) {
	title = Line(title, 0)
	first, rest, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if first = strings.TrimLeft(Line(first, 0), "#*->_ \t"); opensWith(first, title) {
		return first, rest
	}
	return title, said
}

// opensWith reports whether a line begins with a title: with its whole words, or where the title
// was cut, with what is left of it.
func opensWith(line, title string) bool {
	stem := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(title, "…"), "..."), " ")
	cut := len(stem) < len(title)
	stem = strings.TrimRight(stem, ".!。")
	if stem == "" || len(line) < len(stem) || !strings.EqualFold(line[:len(stem)], stem) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(line[len(stem):])
	return cut || len(line) == len(stem) || !unicode.IsLetter(next) && !unicode.IsDigit(next)
}
