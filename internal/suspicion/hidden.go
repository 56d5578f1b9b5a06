package suspicion

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostStray is the number of adjacent zero-width characters in a text that web pages and word
// processors leave behind. More can encode a message. Single ones are common: trackers break up
// @names with them.
const mostStray = 8

// hidden finds characters that hide or reorder text. Joiners between non-Latin letters, tag
// characters of flags and direction marks in right-to-left text are ordinary.
func hidden(text string, found *findings) {
	if ascii(text) {
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

// escapes finds sequences that a terminal acts on or hides.
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

// turning reports letters of a right-to-left script.
func turning(text string) bool {
	for _, r := range text {
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			return true
		}
	}
	return false
}

// invisible reports a zero-width character. Soft hyphens are common in copied text.
func invisible(r rune) bool {
	return r == 0x200b || joiner(r) || r >= 0x2060 && r <= 0x2064 || r == 0xfeff || r == 0x180e
}

func joiner(r rune) bool     { return r == 0x200c || r == 0x200d }
func isSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

// plainLetter reports a letter of a script without joiners.
func plainLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}
