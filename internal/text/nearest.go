package text

import "strings"

// Nearest returns the candidate that word was most likely meant to be: one that it
// begins or that begins with it, else the fewest single-letter edits away, at most
// a third of its letters (at least two). "" when none is near; ties go to the first.
// Upper and lower case are the same.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	if len(word) > 64 { // nobody's typing error; keeps the cost of hostile input bounded
		return ""
	}
	best, least, fewest := "", max(2, len(word)/3)+1, 0
	for _, candidate := range candidates {
		c := strings.ToLower(candidate)
		edits := Distance(word, c)
		d := edits
		if len(word) >= 3 && (strings.HasPrefix(c, word) || strings.HasPrefix(word, c)) {
			d = min(d, 1)
		}
		if edits < max(len(word), len(c)) && (d < least || d == least && best != "" && edits < fewest) {
			best, least, fewest = candidate, d, edits
		}
	}
	return best
}

// Distance is the Levenshtein distance: how many characters must be put in, taken
// out or replaced to make b of a. Its cost is the product of their lengths.
//
// Source: Levenshtein, "Binary codes capable of correcting deletions, insertions and
// reversals", Soviet Physics Doklady 10, 1966; with one row of the table.
func Distance(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	i := 0
	for _, ca := range a {
		diagonal := row[0]
		i++
		row[0] = i
		for j, cb := range to {
			replace := diagonal
			if ca != cb {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
