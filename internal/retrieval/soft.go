package retrieval

import (
	"slices"

	"github.com/alanbuscaglia/engram/internal/text"
)

const (
	// FillWeight is what a near word counts against the word itself. 0.4 to 0.7 measure alike.
	FillWeight = 0.6
	// leastSimilar is the similarity from which a word is near; 0.25 to 0.35 measure alike.
	leastSimilar = 0.3
)

// Similar says how near words are in meaning: a row for each of words, in it a number
// for each of others. 1 is the same word, 0 and less have nothing to do with each
// other; 0 is also for a word that the model does not know whole, because the pieces of
// unknown names and numbers are near to those of any other.
type Similar func(words, others []string) [][]float64

// Sought is one word of a question as Fill looks for it.
type Sought struct {
	Written string   // lower case, not stemmed; of a repaired word, what was meant
	Terms   []string // the indexed words that are the word itself
	Having  int      // memories in scope that have it
}

// Passage is the text of one memory.
type Passage struct {
	Num            int64
	Title, Content string // of each, the first 8 KiB are looked at
}

// Fill returns what memories gain for words of the question that they lack, by the word
// of theirs that is nearest in meaning: a memory of "puppies" is worth something to a
// question about dogs. A missing word counts FillWeight times what BM25 gives for an
// occurrence of as much as the similarity; a word that is there gains nothing, so that
// what is written never loses against what is meant. In the mean of six label sets +.004
// R@10, in code +.026; the usual mixture, which weighs near words and exact ones anew,
// loses .002 to .005.
//
// The gains are in the unit of the lexical channel's scores and are added to them. rows
// is the number of memories in scope. Lengths are compared with those of the passages
// themselves. Memories without gain are not in the answer. The cost is one call of
// similar for the distinct words of the passages.
//
// Source: soft term frequencies of Kuzi, Shtok, Kurland, "Query Expansion Using Word
// Embeddings", CIKM 2016, and Guo, Fan, Ai, Croft, "Semantic Matching by Non-Linear Word
// Transportation for Information Retrieval", CIKM 2016: here the nearest word alone
// counts.
func Fill(words []Sought, passages *Texts, rows int, similar Similar) map[int64]float64 {
	if len(words) == 0 || len(passages.said) == 0 {
		return nil
	}
	v, texts := &passages.vocabulary, passages.said
	written, worth := make([]string, len(words)), make([]Word, len(words))
	b := BM25{Rows: rows, Length: v.meanLength(texts)}
	for i, w := range words {
		written[i], worth[i] = w.Written, b.Word(w.Having).Times(FillWeight)
	}
	others := make([]string, len(v.words))
	for id, t := range v.words {
		others[id] = t.Word
	}
	near := similar(written, others)
	for i, w := range words {
		v.settle(near[i], w.Terms)
	}
	gains := map[int64]float64{}
	for _, t := range texts {
		for i := range words {
			if best := t.nearest(near[i]); best >= leastSimilar && best < itself {
				gains[t.num] += worth[i].Score(best, t.length)
			}
		}
	}
	return gains
}

// itself marks the word itself among similarities: no similarity is as great.
const itself = 2

// vocabulary holds the distinct words of some texts.
type vocabulary struct {
	ids   map[string]int
	words []text.Token // stemmed only where that may tell something: it is most of the work
}

// said is what one text says.
type said struct {
	num     int64
	words   []int // its distinct words without stop words, ascending
	length  float64
	denials int // words that turn a statement into its opposite
}

// Texts are passages that were read: Fill and Repeats ask for the same words.
type Texts struct {
	vocabulary
	said []said
}

// Read reads passages, which costs about 10 µs each.
func Read(passages []Passage) *Texts {
	t := &Texts{vocabulary: vocabulary{ids: map[string]int{}}, said: make([]said, len(passages))}
	for i, p := range passages {
		t.said[i] = t.read(p)
	}
	return t
}

func (v *vocabulary) read(p Passage) said {
	s := said{num: p.Num}
	add := func(weight float64) func(text.Token) {
		return func(t text.Token) {
			if negates(t.Word) {
				s.denials++
			}
			if t.Stop || t.Kind == text.Char {
				return
			}
			s.length += weight
			s.words = append(s.words, v.id(t))
		}
	}
	text.Scan(start(p.Title, maxSaid), add(text.TitleWeight))
	text.Scan(start(p.Content, maxSaid), add(1))
	slices.Sort(s.words)
	s.words = slices.Compact(s.words)
	return s
}

func (v *vocabulary) id(t text.Token) int {
	id, known := v.ids[t.Word]
	if !known {
		id = len(v.words)
		v.ids[t.Word] = id
		v.words = append(v.words, t)
	}
	return id
}

func (v *vocabulary) meanLength(texts []said) float64 {
	var sum float64
	for _, t := range texts {
		sum += t.length
	}
	return sum / float64(max(len(texts), 1))
}

// settle marks those words that are the asked one itself.
func (v *vocabulary) settle(near []float64, terms []string) {
	for id, t := range v.words {
		near[id] = min(near[id], 1)
		// No stem begins with another letter than its word.
		initial := func(term string) bool { return term != "" && term[0] == t.Word[0] }
		if slices.ContainsFunc(terms, initial) && slices.Contains(terms, t.Text()) {
			near[id] = itself
		}
	}
}

func (s said) nearest(near []float64) float64 {
	best := 0.0
	for _, id := range s.words {
		best = max(best, near[id])
	}
	return best
}
