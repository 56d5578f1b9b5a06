package retrieval

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Lexicon holds the distinct words of some texts, so that each word is processed once. It is not
// safe for concurrent use; its lexemes are.
type Lexicon struct {
	lexemes map[string]*Lexeme
	bytes   int
}

// NewLexicon returns an empty Lexicon.
func NewLexicon() *Lexicon { return &Lexicon{lexemes: map[string]*Lexeme{}} }

// Lexeme is one word of a Lexicon. Two texts of the same lexicon share the *Lexeme of a word.
type Lexeme struct {
	Word   string // folded, not stemmed
	num    int32
	stem   atomic.Pointer[string] // computed on first use: stemming is most of the work
	number bool                   // it has a digit
}

// lexemeBytes is the approximate size of a lexeme without its word.
const lexemeBytes = 160

// Lexeme returns the lexeme of a word as text.Scan returns it.
func (l *Lexicon) Lexeme(word string) *Lexeme {
	if x, known := l.lexemes[word]; known {
		return x
	}
	word = strings.Clone(word) // a substring would keep the whole text in memory
	x := &Lexeme{Word: word, num: int32(len(l.lexemes)), number: strings.ContainsAny(word, "0123456789")}
	l.lexemes[word] = x
	l.bytes += lexemeBytes + len(word)
	return x
}

// Bytes returns the approximate memory size of the lexicon.
func (l *Lexicon) Bytes() int { return l.bytes }

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
	words   []*Lexeme // its distinct words without stop words, ascending
	nums    []int32   // of words, kept together because they are read most
	length  float64
	denials int // number of negations
}

// Say reads a passage, which costs about 10 µs.
func (l *Lexicon) Say(p Passage) Said {
	var s Said
	add := func(weight float64) func(text.Token) {
		return func(t text.Token) {
			if negates(t.Word) {
				s.denials++
			}
			if t.Stop || t.Kind == text.Char {
				return
			}
			s.length += weight
			s.words = append(s.words, l.Lexeme(t.Word))
		}
	}
	text.Scan(text.Clip(p.Title, maxSaid), add(text.TitleWeight))
	text.Scan(text.Clip(p.Content, maxSaid), add(1))
	slices.SortFunc(s.words, func(a, b *Lexeme) int { return cmp.Compare(a.num, b.num) })
	s.words = slices.Clip(slices.Compact(s.words))
	s.nums = make([]int32, len(s.words))
	for i, x := range s.words {
		s.nums[i] = x.num
	}
	return s
}

// Bytes returns the approximate size without the lexicon.
func (s Said) Bytes() int { return 72 + 12*len(s.words) }

// Texts are texts read with one lexicon, for Fill and Repeats.
type Texts struct {
	nums []int64
	said []Said
}

// Gather combines texts; said[i] belongs to nums[i].
func Gather(nums []int64, said []Said) *Texts { return &Texts{nums, said} }

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
	most := 0
	for _, s := range t.said {
		if n := len(s.nums); n > 0 {
			most = max(most, int(s.nums[n-1])+1)
		}
	}
	words, places = make([]*Lexeme, 0, min(most, 2048)), make([]int32, most)
	for _, s := range t.said {
		for i, num := range s.nums {
			if places[num] == 0 {
				words = append(words, s.words[i])
				places[num] = int32(len(words))
			}
		}
	}
	return words, places
}

func (t *Texts) meanLength() float64 {
	var sum float64
	for _, s := range t.said {
		sum += s.length
	}
	return sum / float64(max(len(t.said), 1))
}
