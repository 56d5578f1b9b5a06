package text

import "strings"

// Nearest returns the candidate that word probably means: one that it begins or that begins with it, else the
// first of those the fewest edits away, at most a third of its letters (at least two), or "". Case is ignored.
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

// Likeness returns how similar two words are in their letters, 0 to 1: the share of common
// trigrams, including those at the edges (Dice's coefficient). Equal words are 1.
//
// Source: Dice, "Measures of the Amount of Ecologic Association Between Species", Ecology 26(3),
// 1945.
func Likeness(a, b string) float64 {
	if a == b {
		return 1
	}
	counts := map[[3]rune]int{}
	n := trigrams(a, func(g [3]rune) { counts[g]++ })
	shared := 0
	m := trigrams(b, func(g [3]rune) {
		if counts[g] > 0 {
			counts[g]--
			shared++
		}
	})
	return 2 * float64(shared) / float64(n+m)
}

// trigrams calls emit for every three letters of a word padded with blanks, and counts them.
func trigrams(word string, emit func([3]rune)) (n int) {
	last := [3]rune{' ', ' ', ' '}
	step := func(r rune) {
		last = [3]rune{last[1], last[2], r}
		emit(last)
		n++
	}
	for _, r := range word {
		step(r)
	}
	step(' ')
	return n
}

// maxTypo is the length in characters up to which words are compared for typing errors.
const maxTypo = 40

// Typos counts the typing errors between two words: characters inserted, deleted, replaced or
// swapped with a neighbour, no part twice (optimal string alignment). ok is false above most errors
// and for words of more than 40 characters. Its cost is the product of their lengths.
//
// Source: Damerau, "A technique for computer detection and correction of spelling
// errors", Communications of the ACM 7(3), 1964, in the restricted form that needs three rows of the table.
func Typos(a, b string, most int) (n int, ok bool) {
	if len(a) > 4*maxTypo || len(b) > 4*maxTypo {
		return 0, false
	}
	var bufA, bufB [maxTypo]rune
	from, to := bufA[:0], bufB[:0]
	for _, r := range a {
		from = append(from, r)
	}
	for _, r := range b {
		to = append(to, r)
	}
	if len(from) > maxTypo || len(to) > maxTypo || max(len(from), len(to))-min(len(from), len(to)) > most {
		return 0, false
	}
	var rows [3][maxTypo + 1]int
	before, row, next := &rows[0], &rows[1], &rows[2]
	for j := range len(to) + 1 {
		row[j] = j
	}
	for i, r := range from {
		next[0] = i + 1
		least := next[0]
		for j, s := range to {
			d := row[j]
			if r != s {
				d++
			}
			d = min(d, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && r == to[j-1] && from[i-1] == s {
				d = min(d, before[j-1]+1)
			}
			next[j+1] = d
			least = min(least, d)
		}
		if least > most {
			return 0, false
		}
		before, row, next = row, next, before
	}
	return row[len(to)], row[len(to)] <= most
}
