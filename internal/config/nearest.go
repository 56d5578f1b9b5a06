package config

import (
	"errors"
	"strings"
	"syscall"
)

// Nearest returns the candidate that word was most likely meant to be: one that it
// begins or that begins with it, else the fewest single-letter edits away, at most
// a third of its letters (at least two). "" when none is near; ties go to the first.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	if len(word) > 64 { // nobody's typing error; keeps the cost of hostile input bounded
		return ""
	}
	best, least := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		d := edits(word, strings.ToLower(c))
		if len(word) >= 3 && (strings.HasPrefix(c, word) || strings.HasPrefix(word, c)) {
			d = min(d, 1)
		}
		if d < least && d < max(len(word), len(c)) {
			best, least = c, d
		}
	}
	return best
}

// edits is the Levenshtein distance in bytes: keys, flags and commands are ASCII.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// isNotDir reports that a part of a path is a file where a directory was expected.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
