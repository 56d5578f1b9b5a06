// Package retrieval holds the rules of finding, in the order in which a question meets
// them: what a word is worth (lexical.go), what neighbours in a session lend each other
// (smooth.go), how the vector of a question is made and led (vector.go), how words and
// meaning are joined (fuse.go), what words of near meaning add (soft.go), what a memory
// is worth by itself (prior.go) and for its time (time.go), which copies step back
// (diversify.go), what relations lead to (graph.go) and what they put before another
// (superseded.go), and what is no answer at all (floor.go). focus.go and its neighbours
// fill a budget of tokens with what was found.
//
// Everything here is pure. The stores do the looking up, the engine puts the pieces
// together. The comments of the rules carry the figures they were measured at, R@10 and
// nDCG@10 in the mean of six label sets; docs/adr/0006-hybrid-search.md tells them together.
package retrieval

import "math"

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
func (b BM25) Score(tf, length float64, having int) float64 { return b.Word(having).Score(tf, length) }

// Word is what one word is worth, to be asked of many memories. The zero Word is worth
// nothing.
type Word struct{ top, flat, slope float64 }

// Word returns what a word is worth that having of the collection's memories have.
func (b BM25) Word(having int) Word {
	const k1, bb = 1.2, 0.75
	if b.Length <= 0 {
		return Word{}
	}
	having = min(having, b.Rows)
	idf := max(math.Log((float64(b.Rows-having)+0.5)/(float64(having)+0.5)), leastIDF)
	return Word{top: idf * (k1 + 1), flat: k1 * (1 - bb), slope: k1 * bb / b.Length}
}

// Times returns a word that is worth so many times as much.
func (w Word) Times(factor float64) Word {
	w.top *= factor
	return w
}

// Score is what the word adds to the score of a memory of length tokens that has it tf
// times. Never negative.
func (w Word) Score(tf, length float64) float64 {
	if w.top == 0 {
		return 0
	}
	return w.top * tf / (tf + w.flat + w.slope*length)
}
