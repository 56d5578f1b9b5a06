package retrieval

import (
	"slices"

	"github.com/alanbuscaglia/engram/internal/text"
)

const (
	// FillWeight is the weight of a similar word against the word itself; 0.4 to 0.7 are equivalent.
	FillWeight = 0.6
	// leastSimilar is the minimum similarity; 0.25 to 0.35 are equivalent.
	leastSimilar = 0.3
)

// Similar knows the similarity of words in meaning, as engram.WordEmbedder does: 0 for a word that it does not know
// whole, because the pieces of unknown names and numbers are similar to those of any other.
type Similar interface {
	Line(word string) int
	Similarities(words, others []int) [][]float64
}

// Sought is one word of a question for Fill.
type Sought struct {
	Written string   // lower case, not stemmed; if corrected, the corrected word
	Terms   []string // indexed words that equal it
	Having  int      // memories in scope that have it
	Same    []string // words that are as near as another word can be, whatever Similar says
}

// Passage is the text of one memory.
type Passage struct {
	Num            int64
	Title, Content string // the first 8 KiB of each are read
}

// Fill returns what memories gain for words of the question that they lack, from their most similar word: a
// memory about "puppies" is worth something to a question about dogs. A missing word counts FillWeight times
// the BM25 score of an occurrence as frequent as the similarity; a present word gains nothing, so that exact
// matches never lose against similar ones. In the mean of six label sets it adds .004 R@10, in code .026; the
// usual mixture, which reweighs similar and exact words, loses .002 to .005.
//
// The gains have the unit of lexical scores and are added to them. rows is the number of memories
// in scope. Lengths are compared with those of the passages. Memories without a gain are left out.
// The cost is one call of similar for the distinct words of the passages.
//
// Source: soft term frequencies of Kuzi, Shtok, Kurland, "Query Expansion Using Word Embeddings",
// CIKM 2016, and Guo, Fan, Ai, Croft, "Semantic Matching by Non-Linear Word Transportation for
// Information Retrieval", CIKM 2016: here only the most similar word counts.
func Fill(words []Sought, passages *Texts, rows int, similar Similar) map[int64]float64 {
	if len(words) == 0 || len(passages.said) == 0 {
		return nil
	}
	lines, worth := make([]int, len(words)), make([]Word, len(words))
	b := BM25{Rows: rows, Length: passages.meanLength()}
	for i, w := range words {
		lines[i], worth[i] = similar.Line(w.Written), b.Word(w.Having).Times(FillWeight)
	}
	distinct, places := passages.distinct()
	others := make([]int, len(distinct))
	for i, x := range distinct {
		others[i] = x.lineOf(similar)
	}
	near, counts := similar.Similarities(lines, others), make([]bool, len(distinct))
	for i, w := range words {
		if len(w.Same) > 0 {
			markSame(near[i], distinct, w.Same)
		}
		markItself(near[i], distinct, w.Terms)
		for j, x := range near[i] {
			counts[j] = counts[j] || x >= leastSimilar
		}
	}
	gains, best := map[int64]float64{}, make([]float64, len(words))
	for n, t := range passages.said {
		clear(best)
		for _, num := range t.nums {
			if j := places[num] - 1; counts[j] { // few do
				for i := range best {
					best[i] = max(best[i], near[i][j])
				}
			}
		}
		for i, x := range best {
			if x >= leastSimilar && x < itself {
				gains[passages.nums[n]] += worth[i].Score(x, t.length)
			}
		}
	}
	return gains
}

// markSame marks the words that mean the same.
func markSame(near []float64, words []*Lexeme, same []string) {
	for i, x := range words {
		if slices.Contains(same, x.Word) {
			near[i] = 1
		}
	}
}

// itself marks the word itself, above any similarity.
const itself = 2

// markItself marks the words that equal the asked one.
func markItself(near []float64, words []*Lexeme, terms []string) {
	for i, x := range words {
		near[i] = min(near[i], 1)
		// A stem begins with the same letter as its word.
		initial := func(term string) bool {
			return term != "" && (term[0] == x.Word[0] || term[0] == text.ForeignMark[0] && x.second != "")
		}
		if slices.ContainsFunc(terms, initial) && x.IsAny(terms...) {
			near[i] = itself
		}
	}
}
