// Package retrieval holds the rules of search, in the order in which they apply: the weight of a word (lexical.go), the
// context of a memory in its session (context.go), the vector of a question (vector.go), the fusion of words and vectors
// (fuse.go), words of similar meaning (soft.go), the prior of a memory (prior.go) and its time (time.go), the match of a
// text as a whole (match.go), repeats (diversify.go), relations (graph.go), replacements (superseded.go), the later of
// two about the same (newest.go), and the relevance threshold (threshold.go). focus.go and its neighbours fill a token
// budget with the hits.
//
// Everything here is pure. The stores look up, the engine combines. The comments give the measured figures,
// R@10 and nDCG@10 in the mean of six label sets; docs/adr/0006-hybrid-search.md collects them.
package retrieval

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/alanbuscaglia/engram/internal/text"
)

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

// Lexicon holds the distinct words of some texts, so that each word is processed once. It is not
// safe for concurrent use; its lexemes are.
type Lexicon struct {
	english map[string]int32  // nums of words of English texts
	foreign map[written]int32 // of others
	all     []*Lexeme         // by num
	order   []int32           // scratch space of Say
	has     []uint64          // scratch space of Say: a bit per num, all 0
	bytes   int
}

// written is a word of a text in another language than English.
type written struct {
	in   text.Language
	word string
}

// NewLexicon returns an empty Lexicon.
func NewLexicon() *Lexicon {
	return &Lexicon{english: map[string]int32{}, foreign: map[written]int32{}}
}

// Fresh returns an empty Lexicon with room for as many words as l has.
func (l *Lexicon) Fresh() *Lexicon {
	return &Lexicon{english: make(map[string]int32, len(l.english)), foreign: make(map[written]int32, len(l.foreign)), all: make([]*Lexeme, 0, len(l.all))}
}

// Lexeme is one word of a Lexicon. Two texts of the same lexicon share the *Lexeme of a word.
type Lexeme struct {
	Word   string // folded, not stemmed
	num    int32
	line   atomic.Int32           // of Similar, plus two; 0: not asked yet
	stem   atomic.Pointer[string] // computed on first use: stemming is most of the work
	number bool                   // it has a digit
	second string                 // text.Token.Foreign
}

// lexemeBytes is the approximate size of a lexeme without its word.
const lexemeBytes = 184

// num returns the number of a token's lexeme.
func (l *Lexicon) num(t text.Token) int32 {
	if t.In != 0 {
		key := written{t.In, t.Written}
		num, known := l.foreign[key]
		if !known {
			key.word = strings.Clone(key.word)
			x := l.add(t.Word)
			x.second, num = t.Foreign(), x.num
			l.foreign[key] = num
			l.bytes += len(key.word) + len(x.second)
		}
		return num
	}
	num, known := l.english[t.Word]
	if !known {
		x := l.add(t.Word)
		num = x.num
		l.english[x.Word] = num
	}
	return num
}

func (l *Lexicon) add(word string) *Lexeme {
	word = strings.Clone(word) // a substring would keep the whole text in memory
	l.bytes += lexemeBytes + len(word)
	x := &Lexeme{Word: word, num: int32(len(l.all)), number: strings.ContainsAny(word, "0123456789")}
	l.all = append(l.all, x)
	return x
}

// Bytes returns the approximate memory size of the lexicon.
func (l *Lexicon) Bytes() int { return l.bytes }

// IsAny reports whether an indexed word is one of the given: its stem, or that of its language.
func (x *Lexeme) IsAny(words ...string) bool {
	return slices.Contains(words, x.Stem()) || x.second != "" && slices.Contains(words, x.second)
}

// lineOf returns the line of the word. It is asked for once, since there is one vocabulary: that of the program.
func (x *Lexeme) lineOf(similar Similar) int {
	line := x.line.Load()
	if line == 0 {
		line = int32(similar.Line(x.Word)) + 2
		x.line.Store(line)
	}
	return int(line) - 2
}

// Stem returns the word in index form.
func (x *Lexeme) Stem() string {
	if s := x.stem.Load(); s != nil {
		return *s
	}
	s := text.Token{Word: x.Word}.Text()
	x.stem.Store(&s)
	return s
}

// Said is the content of one text, in lexemes.
type Said struct {
	all     []*Lexeme // of the lexicon, by num
	nums    []int32   // its distinct words without stop words, ascending
	order   []int32   // of all words, as they follow each other
	title   int       // how many of order are the title's
	length  float64
	denials int // number of negations
}

// Say reads a passage, which costs about 10 µs.
func (l *Lexicon) Say(p Passage) Said {
	var s Said
	l.order = l.order[:0]
	add := func(weight float64) func(text.Token) {
		return func(t text.Token) {
			if negates(t.Word) {
				s.denials++
			}
			if t.Stop || t.Kind == text.Char {
				return
			}
			s.length += weight
			l.order = append(l.order, l.num(t))
		}
	}
	text.ScanMemory(text.Clip(p.Title, maxSaid), text.Clip(p.Content, maxSaid), func(t text.Token) {
		add(text.TitleWeight)(t)
		s.title = len(l.order)
	}, add(1))
	s.order = slices.Clone(l.order)
	s.nums = l.distinct(s.order)
	s.all = l.all
	return s
}

// word returns a distinct word.
func (s Said) word(i int) *Lexeme { return s.all[s.nums[i]] }

// distinct returns the numbers in order, each once.
func (l *Lexicon) distinct(order []int32) []int32 {
	if missing := (len(l.all)+63)/64 - len(l.has); missing > 0 {
		l.has = append(l.has, make([]uint64, missing)...)
	}
	n := 0
	for _, num := range order {
		bit := uint64(1) << (num % 64)
		if l.has[num/64]&bit == 0 {
			l.has[num/64] |= bit
			n++
		}
	}
	nums := make([]int32, 0, n)
	for at := 0; len(nums) < n; at++ {
		for set := l.has[at]; set != 0; set &= set - 1 {
			nums = append(nums, int32(at*64+bits.TrailingZeros64(set)))
		}
		l.has[at] = 0
	}
	return nums
}

// Bytes returns the approximate size without the lexicon.
func (s Said) Bytes() int { return 104 + 4*len(s.nums) + 4*len(s.order) }

// Texts are texts read with one lexicon, for Fill and Repeats.
type Texts struct {
	nums   []int64
	said   []Said
	words  []*Lexeme // distinct; none until needed
	places []int32   // by num of the lexicon
}

// Gather combines texts; said[i] belongs to nums[i].
func Gather(nums []int64, said []Said) *Texts { return new(Texts).Gather(nums, said) }

// Gather makes t the combination of these texts, in the memory of those before them, of which it keeps nothing.
func (t *Texts) Gather(nums []int64, said []Said) *Texts {
	clear(t.words)
	t.nums, t.said, t.words = nums, said, t.words[:0]
	return t
}

// Read reads passages with a new lexicon.
func Read(passages []Passage) *Texts {
	l, nums, said := NewLexicon(), make([]int64, len(passages)), make([]Said, len(passages))
	for i, p := range passages {
		nums[i], said[i] = p.Num, l.Say(p)
	}
	return Gather(nums, said)
}

// distinct returns the distinct words, and for each num of the lexicon its index there plus one.
func (t *Texts) distinct() (words []*Lexeme, places []int32) {
	if len(t.words) > 0 {
		return t.words, t.places
	}
	most := 0
	for _, s := range t.said {
		if n := len(s.nums); n > 0 {
			most = max(most, int(s.nums[n-1])+1)
		}
	}
	words, places = t.words, slices.Grow(t.places[:0], most)[:most]
	clear(places)
	for _, s := range t.said {
		for i, num := range s.nums {
			if places[num] == 0 {
				words = append(words, s.word(i))
				places[num] = int32(len(words))
			}
		}
	}
	t.words, t.places = words, places
	return words, places
}

func (t *Texts) meanLength() float64 {
	var sum float64
	for _, s := range t.said {
		sum += s.length
	}
	return sum / float64(max(len(t.said), 1))
}
