package text

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
