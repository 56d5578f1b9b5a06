package text

// maxTypo is the length in characters up to which words are compared for typing errors.
const maxTypo = 40

// Typos counts the typing errors between two words: characters inserted, deleted, replaced or
// swapped with a neighbour, no part twice (optimal string alignment). ok is false above most errors
// and for words of more than 40 characters. Its cost is the product of their lengths.
//
// Source: Damerau, "A technique for computer detection and correction of spelling
// errors", Communications of the ACM 7(3), 1964, in the restricted form that needs three
// rows of the table.
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
	if len(from) > maxTypo || len(to) > maxTypo || abs(len(from)-len(to)) > most {
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

func abs(n int) int { return max(n, -n) }
