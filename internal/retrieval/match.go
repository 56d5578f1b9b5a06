package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Gains of a find whose text matches the question in ways that the sum of its words does not show, added to a score
// of which the best is about 1. Chosen on six label sets and checked on sixteen others; half or twice of each is
// equivalent.
const (
	CoverageGain = 0.2 // for all words of the question, by their rarity
	PairsGain    = 0.2 // for all pairs of following words near each other
	RareGain     = 0.2 // for a word that hardly any memory has, and hardly any text
)

// LeastRun is the number of words from which on a question may be a quotation.
const LeastRun = 6

// Limits of a rare word: memories that have it, and its line in the model's vocabulary, which is in order of
// frequency in general language.
const (
	rareRows  = 3
	rareShare = 10 // of so many memories one at most, in small collections
	rareLine  = 8000
)

// Share returns the share of the words that is covered, each weighted by its rarity; 0 for no words.
func Share(weights []float64, covered []Covered) float64 {
	var sum, all float64
	for i, w := range weights {
		all += w
		sum += w * float64(covered[i])
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// Wanted is a content word of a question.
type Wanted struct {
	Written  string   // lower case, not stemmed
	Stems    []string // indexed words that equal it
	Repaired bool     // Stems are corrections of it
	Having   int      // memories in scope that have it
	Line     int      // in the vocabulary of the model; -1: it lacks the word
}

// Rare reports whether hardly any of rows memories has the word, and hardly any text in general.
func (w Wanted) Rare(rows int) bool {
	return w.Having > 0 && w.Having <= min(rareRows, rows/rareShare) && !w.Repaired && (w.Line < 0 || w.Line >= rareLine)
}

// Matched is how a text matches a question.
type Matched struct {
	Covered []Covered // by word
	Pairs   float64   // share of the pairs of following words that stand near each other, by rarity; 0 to 1
	Run     bool      // it has the words of the question in a row
}

// Match returns how each text matches the words of a question, by its number. weights are the rarities
// of the words. run is the question as written, for Matched.Run; "" if it is too short to be a quotation.
func (t *Texts) Match(words []Wanted, weights []float64, run string) map[int64]Matched {
	distinct, places := t.distinct()
	m := matching{words: words, weights: weights, places: places, credits: make([][]Covered, 1, 2*len(words)+1), credit: make([]int32, len(distinct)), is: make([]int32, len(distinct))}
	var initials [256]bool // no other word can match: a stem begins as its word
	for _, w := range words {
		for _, word := range append([]string{w.Written}, w.Stems...) {
			if word != "" {
				initials[word[0]] = true
			}
		}
	}
	for i, x := range distinct {
		if m.is[i] = -1; !initials[x.Word[0]] && x.second == "" {
			continue
		}
		credit, is := credits(words, x)
		if m.is[i] = is; credit != nil {
			m.credit[i] = int32(len(m.credits))
			m.credits = append(m.credits, credit)
		}
	}
	m.run(run, distinct)
	matched := make(map[int64]Matched, len(t.said))
	for i, s := range t.said {
		matched[t.nums[i]] = Matched{Covered: m.covered(s), Pairs: m.pairs(s), Run: m.quoted(s)}
	}
	return matched
}

// matching is the state of one Match.
type matching struct {
	words   []Wanted
	weights []float64
	places  []int32     // by lexeme: its distinct word, counted from 1
	credits [][]Covered // what a word counts for each word of the question; the first is nil, for nothing
	credit  []int32     // by distinct word: its place in credits
	is      []int32     // by distinct word: the first word of the question that it equals; -1
	quote   []int32     // the words of the question in a row, numbered from 1; nil if a text cannot have them all
	spelt   []int32     // by distinct word: the number of the word of the question that it is, in whatever language; 0: none
}

// credits returns what a lexeme counts for each word, and the first word that it equals.
func credits(words []Wanted, x *Lexeme) (credit []Covered, is int32) {
	is = -1
	set := func(i int, c Covered) {
		if credit == nil && c > 0 {
			credit = make([]Covered, len(words))
		}
		if c > 0 {
			credit[i] = c
		}
	}
	for i, w := range words {
		switch {
		case x.IsAny(w.Stems...):
			if is < 0 {
				is = int32(i)
			}
			if set(i, 1); w.Repaired {
				set(i, Spelt(text.Likeness(w.Written, x.Word)))
			}
		default:
			set(i, beginning(w.Written, x.Word))
		}
	}
	return credit, is
}

// leastBeginning is the minimal length of a prefix that matches longer words: shorter ones match too much.
const leastBeginning = 4

// beginning returns the credit for words of which one is a prefix of the other.
func beginning(a, b string) Covered {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < leastBeginning || !strings.HasPrefix(b, a) {
		return Missing
	}
	return Spelt(float64(len(a)) / float64(len(b)))
}

func (m matching) covered(s Said) []Covered {
	covered := make([]Covered, len(m.words))
	for _, num := range s.nums {
		for i, c := range m.credits[m.credit[m.places[num]-1]] {
			covered[i] = max(covered[i], c)
		}
	}
	return covered
}

// pairs returns the share of following words of the question of which the second stands from 2 words before to 3
// after the first.
//
// Source: term proximity as in Tao, Zhai, "An Exploration of Proximity Measures in Information Retrieval", SIGIR 2007.
func (m matching) pairs(s Said) float64 {
	const before, after = 2, 3
	if len(m.words) < 2 {
		return 0
	}
	near := make([]bool, len(m.words)-1)
	for i, num := range s.order {
		first := m.is[m.places[num]-1]
		if first < 0 || int(first) == len(near) {
			continue
		}
		for _, other := range s.order[max(0, i-before):min(len(s.order), i+after+1)] {
			near[first] = near[first] || m.is[m.places[other]-1] == first+1
		}
	}
	var sum, all float64
	for i, is := range near {
		if m.words[i].Having == 0 || m.words[i+1].Having == 0 {
			continue
		}
		weight := m.weights[i] + m.weights[i+1]
		all += weight
		if is {
			sum += weight
		}
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// run sets what the question is in a row. A question with a word that no text has is no quotation.
func (m *matching) run(question string, distinct []*Lexeme) {
	if question == "" {
		return
	}
	var quote []int32
	nums, initials := map[string]int32{}, [256]bool{}
	text.ScanQuestion(question, func(t text.Token) {
		if t.Stop || t.Kind == text.Char {
			return
		}
		if nums[t.Word] == 0 {
			nums[t.Word] = int32(len(nums) + 1)
			initials[t.Word[0]] = true
		}
		quote = append(quote, nums[t.Word])
	})
	m.spelt = make([]int32, len(distinct))
	found := map[int32]bool{}
	for i, x := range distinct {
		if initials[x.Word[0]] {
			if m.spelt[i] = nums[x.Word]; m.spelt[i] > 0 {
				found[m.spelt[i]] = true
			}
		}
	}
	if len(found) == len(nums) && len(quote) > 1 {
		m.quote = quote
	}
}

// quoted reports whether a text has the quotation.
func (m matching) quoted(s Said) bool {
	if m.quote == nil {
		return false
	}
	for i := 0; i+len(m.quote) <= len(s.order); i++ {
		j := 0
		for j < len(m.quote) && m.spelt[m.places[s.order[i+j]]-1] == m.quote[j] {
			j++
		}
		if j == len(m.quote) && (i >= s.title || i+j <= s.title) { // the content does not continue the title
			return true
		}
	}
	return false
}

// Spelt returns the word of the texts with that stem that is most similar to written; the stem itself if they have
// none.
func (t *Texts) Spelt(stem, written string) string {
	word, most := stem, -1.0
	distinct, _ := t.distinct()
	for _, x := range distinct {
		if x.Stem() != stem {
			continue
		}
		if like := text.Likeness(written, x.Word); like > most {
			word, most = x.Word, like
		}
	}
	return word
}

// Name is a question as a title may be it: its words in lower case, with single spaces.
type Name string

// NameOf returns the question as a name; "" for one without words.
func NameOf(question string) Name { return Name(spoken(question)) }

// Of reports whether a title is the name, or begins with it at the end of a word, whatever the case and the
// punctuation. A single word begins no title: it may begin many.
func (n Name) Of(title string) (whole, begins bool) {
	if n == "" || !n.mayBegin(title) {
		return false, false
	}
	t := spoken(title)
	return t == string(n), strings.Contains(string(n), " ") && strings.HasPrefix(t, string(n)+" ")
}

// mayBegin reports whether the first letter or digit of a title is that of the name, which excludes nearly all.
func (n Name) mayBegin(title string) bool {
	first, _ := utf8.DecodeRuneInString(string(n))
	for _, r := range title {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r >= utf8.RuneSelf || unicode.ToLower(r) == first // others may be folded
		}
	}
	return false
}

// spoken returns the words of a text, with single spaces.
func spoken(s string) string {
	var words []string
	text.Scan(s, func(t text.Token) {
		if t.Kind == text.Plain || t.Kind == text.Char {
			words = append(words, t.Word)
		}
	})
	return strings.Join(words, " ")
}
