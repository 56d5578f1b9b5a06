package contradiction

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/text"
)

// What is read of a text. Together they bound what a comparison can cost.
const (
	mostBytes   = 4000 // of title and content each
	mostClauses = 24
	mostWords   = 24 // of a clause
)

// Reading is a text taken apart for comparisons. It may be used by many goroutines.
type Reading struct {
	text    Text
	clauses []clause // those of the title first
	topic   []string // stems of the title
	scope   []string // those of topic that say where something holds
	event   bool     // the title tells what happened once
}

// A clause is a stretch of text that says one thing: a sentence or a part of one.
type clause struct {
	words  []word
	bits   uint64   // a bit for every word that can be shared, by which most pairs are told apart
	sum    uint64   // of its words: clauses with the same say the same
	scope  []string // scope words of the whole sentence
	ends   ends
	title  bool
	denies bool // has a negation
	event  bool // tells what happened once
}

// A word of a clause.
type word struct {
	written string
	folded  string
	stem    string  // of words that have a meaning of their own
	num     *number // of numerals
	key     uint32  // the letters stem begins with: words that are like have the same
	role    role
	axis    axis // what it is one end of, if anything
	sign    int8 // which end
	negated bool
}

// content reports whether w says what a clause is about.
func (w *word) content() bool { return w.role == content || w.role == scopeWord }

// verb reports whether w is a verb that says little by itself.
func (w *word) verb() bool { return w.role == light || w.role == using || w.role == choice }

// Read takes a text apart. Of a long one it reads the beginning: 4,000 bytes of the
// content, 24 clauses, 24 words of each.
func Read(t Text) Reading {
	r := Reading{text: t, clauses: make([]clause, 0, 8)}
	p := parser{out: &r, title: true, words: make([]word, 0, guess(t)), tokens: make([]text.Token, 0, 8)}
	p.read(cut(t.Title, mostBytes))
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
			r.clauses[i].title = false // it is all that the memory says
		}
	}
	p.read(cut(t.Content, mostBytes))
	return r
}

// guess is about how many words a text has, so that room for them is made once.
func guess(t Text) int { return min(mostClauses*mostWords, 8+(len(t.Title)+len(t.Content))/5) }

// likeLetters is how long the shorter of two words is at least that count as one
// because the longer only adds an ending.
const likeLetters = 4

// like reports whether two stems are those of one word: equal, or one the other with
// an ending of up to three letters, which is how the stemmer leaves much of Spanish and
// German.
func like(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= likeLetters && len(b)-len(a) <= 3 && strings.HasPrefix(b, a)
}

// keyOf is the beginning of a stem: stems that are like have the same.
func keyOf(stem string) (key uint32) {
	for i := range min(len(stem), likeLetters) {
		key = key<<8 | uint32(stem[i])
	}
	return key
}

// sumOf is a sum of all letters of all words.
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

// bit is one of 64, by the key of a word.
func bit(key uint32) uint64 { return 1 << (uint64(key) * 0x9E3779B97F4A7C15 >> 58) }

// has reports whether a word is among stems.
func has(stems []string, w string) bool {
	for _, s := range stems {
		if like(s, w) {
			return true
		}
	}
	return false
}
