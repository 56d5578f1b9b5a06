package render

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
)

// Diff shows what changed from one text to another: the words that went between [- and
// -], those that came between {+ and +}, the rest as it is. Stretches of more than a few
// unchanged lines are cut to their ends. "" when the texts are equal.
//
// Words and not lines are compared: what is remembered is prose, whose lines are long.
func Diff(was, now string) string {
	if was == now {
		return ""
	}
	before := words(was)
	var b strings.Builder
	at := 0
	for _, e := range udiff.Lines(before, words(now)) {
		b.WriteString(elide(joined(before[at:e.Start])))
		if gone := joined(before[e.Start:e.End]); gone != "" {
			b.WriteString("[-" + gone + "-]")
		}
		if come := joined(e.New); come != "" {
			b.WriteString("{+" + come + "+}")
		}
		at = e.End
	}
	b.WriteString(elide(joined(before[at:])))
	return b.String()
}

// lineBreak stands for a line break where each line is a word: a character that no text
// that may be kept contains.
const lineBreak = "\x00"

// words writes each word, and each stretch of white space, on a line of its own.
func words(s string) string {
	var b strings.Builder
	space := false
	for i, r := range s {
		if now := unicode.IsSpace(r); i > 0 && (now != space || r == '\n') {
			b.WriteByte('\n')
		}
		space = unicode.IsSpace(r)
		if r == '\n' {
			b.WriteString(lineBreak)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('\n')
	return b.String()
}

// joined is the text that words wrote.
func joined(lines string) string {
	return strings.ReplaceAll(strings.ReplaceAll(lines, "\n", ""), lineBreak, "\n")
}

// diffLines is how many lines on each side of a change are shown.
const diffLines = 3

// elide cuts the middle out of a long stretch that did not change.
func elide(s string) string {
	lines := strings.SplitAfter(s, "\n")
	if len(lines) <= 2*diffLines+1 {
		return s
	}
	head, tail := lines[:diffLines], lines[len(lines)-diffLines:]
	return strings.Join(head, "") + "…\n" + strings.Join(tail, "")
}
