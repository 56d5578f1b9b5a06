package text

import "strings"

// Nearest returns the candidate that word probably means: one that it begins or that begins with
// it, else the first of those the fewest edits away, at most a third of its letters (at least two),
// or "". Case is ignored.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	if len(word) > 64 { // not a typing error; limits the cost of hostile input
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

// Distance returns the Levenshtein distance: the number of characters to insert, delete or replace
// to turn a into b. Its cost is the product of their lengths.
//
// Source: Levenshtein, "Binary codes capable of correcting deletions, insertions and reversals",
// Soviet Physics Doklady 10, 1966; with one row of the table.
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
