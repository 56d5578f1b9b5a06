// Package retrieval holds the rules of finding: which words of a question are worth
// ranking by, and what a word is worth (lexical.go).
//
// Everything here is pure. The stores do the looking up, the engine puts the pieces
// together.
package retrieval

import (
	"cmp"
	"math"
	"slices"
)

// Budget returns how many index entries one question may rank among rows memories.
// Ranking an entry costs about a microsecond, so the answer's time is bounded
// however many memories there are; a small store ranks everything.
func Budget(rows int) int {
	const least, most = 2500, 9000
	return min(max(rows/5, least), most)
}

// Choose splits the words of a question by how many memories have them: use are
// those to rank by, rarest first, as many as the budget allows; rest are the common
// ones, which order what the others found. Words that nothing has are in neither.
//
// rows[i] belongs to word i; equal counts keep the order of the question. Use is
// empty when even the rarest word is over the budget, or when rows is all zero.
func Choose(rows []int, budget int) (use, rest []int) {
	order := make([]int, 0, len(rows))
	for i, n := range rows {
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	spent := 0
	for i, w := range order {
		if spent += rows[w]; spent > budget {
			return order[:i], order[i:]
		}
	}
	return order, nil
}

// BM25 is the weight of words in a collection, with the constants of SQLite's
// bm25(), so that a score reckoned here can be added to one reckoned there.
//
// Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond", Foundations and Trends in Information Retrieval 3(4), 2009; k1 1.2, b 0.75.
type BM25 struct {
	Rows   int     // memories in the collection
	Length float64 // mean number of tokens of a memory
}

// Score is what a word adds to the score of a memory of length tokens that has it
// tf times (an occurrence in a weighted column counts its weight), when having of
// the collection's memories have it. Never negative.
func (b BM25) Score(tf, length float64, having int) float64 {
	const k1, bb = 1.2, 0.75
	if tf == 0 || b.Length == 0 {
		return 0
	}
	idf := max(math.Log((float64(b.Rows-having)+0.5)/(float64(having)+0.5)), 1e-6)
	return idf * tf * (k1 + 1) / (tf + k1*(1-bb+bb*length/b.Length))
}
