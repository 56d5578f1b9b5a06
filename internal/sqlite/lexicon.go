package sqlite

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// lexicon numbers the words of many memories that are indexed together. Of a word that
// was met before it neither makes the stem nor a copy again, which is most of what
// wordsOf costs. It gives what wordsOf gives.
type lexicon struct {
	words []string          // by number, as the index holds them
	nums  map[string]uint32 // the number of each of words
	forms map[string]uint32 // the same, by the words as they were written
	count []uint32          // by number: how often the memory in hand has the word; all 0 between two
	arena []termCount
}

// termCount is a word of a memory by its number.
type termCount struct{ term, tf uint32 }

func newLexicon() *lexicon {
	return &lexicon{nums: map[string]uint32{}, forms: map[string]uint32{}}
}

// num returns the number of a word of the index.
func (l *lexicon) num(word string) uint32 {
	if n, known := l.nums[word]; known {
		return n
	}
	word = strings.Clone(word) // a piece of a text would keep all of it
	n := uint32(len(l.words))
	l.words, l.count = append(l.words, word), append(l.count, 0)
	l.nums[word] = n
	return n
}

// form returns the number of the word that the index has for a token.
func (l *lexicon) form(t text.Token) uint32 {
	if n, known := l.forms[t.Word]; known {
		return n
	}
	n := l.num(t.Text())
	l.forms[strings.Clone(t.Word)] = n
	return n
}

// of returns the words of a memory in no order, each once, and its length in tokens.
func (l *lexicon) of(m engram.Memory) (words []termCount, length int) {
	if cap(l.arena)-len(l.arena) < 512 {
		l.arena = make([]termCount, 0, 1<<14)
	}
	words = l.arena[len(l.arena):]
	add := func(term, times uint32) {
		if l.count[term] == 0 {
			words = append(words, termCount{term: term})
		}
		l.count[term] += times
	}
	text.Scan(text.Title(m), func(t text.Token) {
		length++
		add(l.form(t), text.TitleWeight)
	})
	text.Scan(m.Content, func(t text.Token) {
		if !t.Stop {
			length++
			add(l.form(t), 1)
		}
	})
	for _, tag := range m.Tags {
		if term := l.num(tagMark + tag); l.count[term] == 0 {
			add(term, 1)
		}
	}
	for i, w := range words {
		words[i].tf, l.count[w.term] = l.count[w.term], 0
	}
	if len(l.arena)+len(words) <= cap(l.arena) { // else append has taken them elsewhere
		l.arena = l.arena[:len(l.arena)+len(words)]
	}
	return slices.Clip(words), length
}

// order returns the place of each word, by number, in the order of the index.
func (l *lexicon) order() []uint32 {
	byWord := make([]uint32, len(l.words))
	for i := range byWord {
		byWord[i] = uint32(i)
	}
	slices.SortFunc(byWord, func(a, b uint32) int { return strings.Compare(l.words[a], l.words[b]) })
	place := make([]uint32, len(byWord))
	for i, n := range byWord {
		place[n] = uint32(i)
	}
	return place
}
