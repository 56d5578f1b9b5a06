package suspicion

import (
	"iter"
	"slices"
	"strings"
)

// lines returns each line of text with its offset.
func lines(text string) iter.Seq2[int, string] {
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

// lowered returns s with ASCII letters in lower case, in the same length.
func lowered(s string) string {
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

// oneOf reports whether s is one of words.
func oneOf(s string, words ...string) bool { return slices.Contains(words, s) }
