package suspicion

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostStray is how many characters without width may follow each other in a text, one run
// with the other: web pages and word processors leave some behind. More than these can carry
// a message, a bit each. Single ones are no reason: trackers break up @names with them.
const mostStray = 8

// hidden finds characters that hide what a text says or turn it round. What scripts and
// emoji need stays unsuspected: joiners between letters that are not Latin, flags that are
// spelt with tag characters, marks of direction in a text that has a direction.
func hidden(text string, found *findings) {
	if ascii(text) {
		escapes(text, found)
		return
	}
	turns := false // the text has letters that are written from right to left
	stray, firstStray := 0, 0
	before, flag := rune(' '), false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next := i + size
		after, _ := utf8.DecodeRuneInString(text[next:])
		switch {
		case r < 0x80:
		case r == 0x202d || r == 0x202e:
			found.add(codeHidden, "a bidirectional control character changes the text that a reader sees", i, next)
		case r >= 0x2066 && r <= 0x2068 || r == 0x202a || r == 0x202b:
			if !turns && !turning(text) {
				found.add(codeHidden, "unneeded bidirectional control characters", i, next)
			}
			turns = true
		case r >= 0xe0000 && r <= 0xe007f:
			if !flag {
				found.add(codeHidden, "invisible characters carry text", i, next)
			}
		case r >= 0xe0100 && r <= 0xe01ef && !unicode.Is(unicode.Han, before), r >= 0xfe00 && r <= 0xfe0f && isSelector(before):
			found.add(codeHidden, "misplaced variation selectors can carry text", i, next)
		case invisible(r) && plainLetter(before) && plainLetter(after):
			found.add(codeHidden, "a zero-width character inside a word", i, next)
		case invisible(r) && (invisible(before) || invisible(after)):
			if stray++; stray == 1 {
				firstStray = i
			}
		}
		flag = r == 0x1f3f4 || flag && r >= 0xe0000 && r <= 0xe007f
		before, i = r, next
	}
	if stray > mostStray {
		found.add(codeHidden, "many zero-width characters can carry a message", firstStray, firstStray+1)
	}
	escapes(text, found)
}

// escapes finds what a terminal does not show, or does without showing it.
func escapes(text string, found *findings) {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], 0x1b)
		if i < 0 {
			return
		}
		at += i + 1
		rest := text[at:min(len(text), at+12)]
		switch {
		case strings.HasPrefix(rest, "[8m"), strings.HasPrefix(rest, "]52;"), strings.HasPrefix(rest, "P"):
			found.add(codeHidden, "an escape sequence hides text in a terminal", at-1, at+3)
		}
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// turning reports a text with letters that are written from right to left.
func turning(text string) bool {
	for _, r := range text {
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			return true
		}
	}
	return false
}

// invisible reports a character that takes no room. The soft hyphen is none of them: it is
// ordinary in text that was copied from a page.
func invisible(r rune) bool {
	return r == 0x200b || joiner(r) || r >= 0x2060 && r <= 0x2064 || r == 0xfeff || r == 0x180e
}

func joiner(r rune) bool     { return r == 0x200c || r == 0x200d }
func isSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

// plainLetter reports a letter of a script that is written without joiners.
func plainLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}
