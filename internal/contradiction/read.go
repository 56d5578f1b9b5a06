package contradiction

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Limits of a reading, which bound the cost of a comparison.
const (
	mostBytes   = 4000 // of title and content each
	mostClauses = 24
	mostWords   = 24 // of a clause
)

// Reading is a text prepared for comparisons. It may be used concurrently.
type Reading struct {
	text    Text
	clauses []clause // those of the title first
	topic   []string // stems of the title
	scope   []string // those of topic that limit where something holds
	event   bool     // the title describes a single event
}

// clause is a part of a text that says one thing: a sentence or a part of one.
type clause struct {
	words  []word
	bits   uint64   // a bit for every word that can match, which rules out most pairs
	sum    uint64   // hash of its words: clauses with the same hash are equal
	scope  []string // scope words of the whole sentence
	ends   ends
	title  bool
	denies bool // has a negation
	event  bool // describes a single event
}

// word is a word of a clause.
type word struct {
	written string
	folded  string
	stem    string  // of words with meaning
	num     *number // of numerals
	key     uint32  // the first letters of stem: equal for words that match
	role    role
	axis    axis // the axis of which it is an end, if any
	sign    int8 // which end
	negated bool
}

// content reports whether w names the subject.
func (w *word) content() bool { return w.role == content || w.role == scopeWord }

// verb reports whether w is a verb with little meaning.
func (w *word) verb() bool { return w.role == light || w.role == using || w.role == choice }

// Read prepares a text. It reads the beginning of a long one: 4,000 bytes of title and content
// each, 24 clauses of 24 words.
func Read(t Text) Reading {
	r := Reading{text: t, clauses: make([]clause, 0, 8)}
	guess := min(mostClauses*mostWords, 8+(len(t.Title)+len(t.Content))/5) // of the number of words, for one allocation
	p := parser{out: &r, title: true, words: make([]word, 0, guess), tokens: make([]text.Token, 0, 8)}
	p.read(text.Clip(t.Title, mostBytes))
	for i := range r.clauses {
		c := &r.clauses[i]
		r.event = r.event || c.event
		for j := range c.words {
			w := &c.words[j]
			if w.content() {
				r.topic = append(r.topic, w.stem)
			}
			if w.role == scopeWord {
				r.scope = append(r.scope, w.stem)
			}
		}
	}
	if p.title = false; strings.TrimSpace(t.Content) == "" {
		for i := range r.clauses {
			r.clauses[i].title = false // there is no other content
		}
	}
	p.read(text.Clip(t.Content, mostBytes))
	return r
}

// likeLetters is the minimum length of the shorter of two words that match because the longer only
// adds an ending.
const likeLetters = 4

// like reports whether two stems belong to the same word: equal, or one adds an ending of up to
// three letters, which the stemmer leaves on much of Spanish and German.
func like(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= likeLetters && len(b)-len(a) <= 3 && strings.HasPrefix(b, a)
}

// keyOf returns the beginning of a stem: equal for stems that match.
func keyOf(stem string) (key uint32) {
	for i := range min(len(stem), likeLetters) {
		key = key<<8 | uint32(stem[i])
	}
	return key
}

// sumOf returns a hash of all words.
//
// Source: FNV-1a, draft-eastlake-fnv.
func sumOf(words []word) uint64 {
	sum := uint64(14695981039346656037)
	for i := range words {
		for j := range len(words[i].folded) {
			sum = (sum ^ uint64(words[i].folded[j])) * 1099511628211
		}
		sum *= 1099511628211 // between words
	}
	return sum
}

// bit returns one of 64 bits, by the key of a word.
func bit(key uint32) uint64 { return 1 << (uint64(key) * 0x9E3779B97F4A7C15 >> 58) }

// has reports whether a word matches one of stems.
func has(stems []string, w string) bool {
	return slices.ContainsFunc(stems, func(s string) bool { return like(s, w) })
}
