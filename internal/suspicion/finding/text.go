package finding

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// AnyOf reports whether text contains one of some words.
func AnyOf(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// ASCII reports whether s has only ASCII characters.
func ASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Invisible reports a zero-width character. Soft hyphens are common in copied text.
func Invisible(r rune) bool {
	return r == 0x200b || joiner(r) || r >= 0x2060 && r <= 0x2064 || r == 0xfeff || r == 0x180e
}

func joiner(r rune) bool { return r == 0x200c || r == 0x200d }

// IsSelector reports a variation selector.
func IsSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

// Lines returns each line of text with its offset.
func Lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for from := 0; from < len(text); {
			to := len(text)
			if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
				to = from + i
			}
			if !yield(from, text[from:to]) {
				return
			}
			from = to + 1
		}
	}
}

// Lowered returns s with ASCII letters in lower case, in the same length.
func Lowered(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if b[j] >= 'A' && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// OneOf reports whether s is one of words.
func OneOf(s string, words ...string) bool { return slices.Contains(words, s) }

// Letter reports a byte of a word in any script.
func Letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= utf8.RuneSelf
}
