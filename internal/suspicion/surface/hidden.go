// Package surface finds what shows in a text without reading its sentences: characters that hide text
// (hidden.go), turn markers (role.go), and encoded text (cipher.go).
//
// Each function adds to the findings, is linear in the text and may be called concurrently.
package surface

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// mostStray is the number of adjacent zero-width characters in a text that web pages and word processors leave
// behind. More can encode a message. Single ones are common: trackers break up @names with them.
const mostStray = 8

// Hidden finds characters that hide or reorder text. Joiners between non-Latin letters, tag
// characters of flags and direction marks in right-to-left text are ordinary.
func Hidden(text string, found *finding.Findings) {
	if finding.ASCII(text) {
		escapes(text, found)
		return
	}
	turns := false // the text has right-to-left letters
	stray, firstStray := 0, 0
	before, flag := rune(' '), false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next := i + size
		after, _ := utf8.DecodeRuneInString(text[next:])
		switch {
		case r < 0x80:
		case r == 0x202d || r == 0x202e:
			found.Add(finding.Hidden, "a bidirectional control character changes the text that a reader sees", i, next)
		case r >= 0x2066 && r <= 0x2068 || r == 0x202a || r == 0x202b:
			if !turns && !turning(text) {
				found.Add(finding.Hidden, "unneeded bidirectional control characters", i, next)
			}
			turns = true
		case r >= 0xe0000 && r <= 0xe007f:
			if !flag {
				found.Add(finding.Hidden, "invisible characters carry text", i, next)
			}
		case r >= 0xe0100 && r <= 0xe01ef && !unicode.Is(unicode.Han, before), r >= 0xfe00 && r <= 0xfe0f && finding.IsSelector(before):
			found.Add(finding.Hidden, "misplaced variation selectors can carry text", i, next)
		case finding.Invisible(r) && plainLetter(before) && plainLetter(after):
			found.Add(finding.Hidden, "a zero-width character inside a word", i, next)
		case finding.Invisible(r) && (finding.Invisible(before) || finding.Invisible(after)):
			if stray++; stray == 1 {
				firstStray = i
			}
		}
		flag = r == 0x1f3f4 || flag && r >= 0xe0000 && r <= 0xe007f
		before, i = r, next
	}
	if stray > mostStray {
		found.Add(finding.Hidden, "many zero-width characters can carry a message", firstStray, firstStray+1)
	}
	escapes(text, found)
}

// escapes finds sequences that a terminal acts on or hides.
func escapes(text string, found *finding.Findings) {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], 0x1b)
		if i < 0 {
			return
		}
		at += i + 1
		rest := text[at:min(len(text), at+12)]
		switch {
		case strings.HasPrefix(rest, "[8m"), strings.HasPrefix(rest, "]52;"), strings.HasPrefix(rest, "P"):
			found.Add(finding.Hidden, "an escape sequence hides text in a terminal", at-1, at+3)
		}
	}
}

// turning reports letters of a right-to-left script.
func turning(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
	})
}

// plainLetter reports a letter of a script without joiners.
func plainLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}
