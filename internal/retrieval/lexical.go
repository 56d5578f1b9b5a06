// Package retrieval holds the rules of search, in the order in which they apply: the weight of a word
// (lexical.go), neighbours in a session (smooth.go), the vector of a question (vector.go), the fusion of words
// and vectors (fuse.go), words of similar meaning (soft.go), the prior of a memory (prior.go) and its time
// (time.go), repeats (diversify.go), relations (graph.go), replacements (superseded.go), and the relevance
// threshold (threshold.go). focus.go and its neighbours fill a token budget with the hits.
//
// Everything here is pure. The stores look up, the engine combines. The comments give the measured figures,
// R@10 and nDCG@10 in the mean of six label sets; docs/adr/0006-hybrid-search.md collects them.
package retrieval

import "math"

// BM25 weighs words in a collection.
//
// Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond", Foundations and Trends in Information Retrieval 3(4), 2009; k1 1.2, b 0.75.
type BM25 struct {
	Rows   int     // memories in the collection
	Length float64 // mean number of tokens per memory
}

// leastIDF is the minimum rarity of a word. By the formula a word in half of the memories would weigh nothing,
// and in a collection of a few memories that is every word; even a frequent name still distinguishes two
// memories. 0.2 to 0.6 are equivalent; without it, short facts lose 0.010 recall@10.
const leastIDF = 0.4

// Score returns what a word adds to the score of a memory of length tokens that has it tf times (occurrences in
// a weighted column count their weight), if having memories of the collection have it. Never negative.
func (b BM25) Score(tf, length float64, having int) float64 { return b.Word(having).Score(tf, length) }

// Word is the weight of one word for many memories. The zero Word weighs nothing.
type Word struct{ top, flat, slope float64 }

// Word returns the weight of a word that having memories of the collection have.
func (b BM25) Word(having int) Word {
	const k1, bb = 1.2, 0.75
	if b.Length <= 0 {
		return Word{}
	}
	having = min(having, b.Rows)
	idf := max(math.Log((float64(b.Rows-having)+0.5)/(float64(having)+0.5)), leastIDF)
	return Word{top: idf * (k1 + 1), flat: k1 * (1 - bb), slope: k1 * bb / b.Length}
}

// Times returns the weight multiplied by factor.
func (w Word) Times(factor float64) Word {
	w.top *= factor
	return w
}

// Score returns what the word adds to a memory of length tokens that has it tf times; never negative.
func (w Word) Score(tf, length float64) float64 {
	if w.top == 0 {
		return 0
	}
	return w.top * tf / (tf + w.flat + w.slope*length)
}
