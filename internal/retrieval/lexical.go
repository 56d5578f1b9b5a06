// Package retrieval holds the rules of finding: which words of a question are worth
// finding by, and what a word is worth (lexical.go).
//
// Everything here is pure. The stores do the looking up, the engine puts the pieces
// together.
package retrieval

import (
	"cmp"
	"math"
	"slices"
)

// Load is what finding by one word costs.
type Load struct {
	Scope  int  // memories in scope that have it; 0 when nothing has the word
	Store  int  // memories of the whole store that have it, which the index counts for its weight
	Common bool // nobody counted on: there are at least so many
}

// TooCommon is the number of memories from which on nobody needs to count further:
// no budget has room for the word.
const TooCommon = 12_000

// Budgets of finding by the words of one question, in microseconds of an ordinary core:
// a question about one project, the usual one, must not be felt; one about everything
// may take its time.
const (
	ScopedBudget = 4_000
	WholeBudget  = 14_000
)

// Choose splits the words of a question by how many memories have them: use are
// those to find by, rarest first, as many as the budget allows among rows memories;
// rest are the common ones, which only weigh what the others found. In a small
// collection every word finds. Words that nothing has are in neither.
//
// loads[i] belongs to word i; equal loads keep the order of the question. Use is
// empty when even the rarest word is over the budget, or when nothing has any.
//
// The prices were measured on FTS5 in pure Go (docs/adr/0004): finding an entry
// costs 0.3 µs, looking up the length of the memory 0.8 µs, counting an entry of the
// store 0.06 µs.
func Choose(loads []Load, rows int, budget float64) (use, rest []int) {
	const find, length, count = 0.3, 0.8, 0.06
	order := make([]int, 0, len(loads))
	for i, l := range loads {
		if l.Scope > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loads[a].Scope, loads[b].Scope) })
	found, price := 0, 0.0
	for i, w := range order {
		found += loads[w].Scope
		price += find*float64(loads[w].Scope) + count*float64(loads[w].Store)
		if loads[w].Common || price+length*float64(min(found, rows)) > budget {
			return order[:i], order[i:]
		}
	}
	return order, nil
}

// BM25 is the weight of words in a collection.
//
// Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond", Foundations and Trends in Information Retrieval 3(4), 2009; k1 1.2, b 0.75.
type BM25 struct {
	Rows   int     // memories in the collection
	Length float64 // mean number of tokens of a memory
}

// leastIDF is the rarity of the commonest words. By the formula a word that half of
// the memories have would weigh nothing, and in a collection of a few memories that
// is every word; a name that everybody is called still tells two memories apart.
// 0.2 to 0.6 measure alike; without it, short facts lose 0.010 recall@10.
const leastIDF = 0.4

// Score is what a word adds to the score of a memory of length tokens that has it
// tf times (an occurrence in a weighted column counts its weight), when having of
// the collection's memories have it. Never negative.
func (b BM25) Score(tf, length float64, having int) float64 {
	const k1, bb = 1.2, 0.75
	if tf == 0 || b.Length == 0 {
		return 0
	}
	having = min(having, b.Rows)
	idf := max(math.Log((float64(b.Rows-having)+0.5)/(float64(having)+0.5)), leastIDF)
	return idf * tf * (k1 + 1) / (tf + k1*(1-bb+bb*length/b.Length))
}
