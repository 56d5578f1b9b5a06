package wrapped

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// filler generates n documents that make a store large without answering anything: short pieces of many
// documents one after the other, as long as a document of the set, with an invented word for every rare word
// and every name. So usual words grow with the store, pairs of words are those of real texts, and what is
// rare stays rare.
func filler(set eval.Set, n int, seed uint64) eval.Set {
	c := newCorpus(set)
	chance := rand.New(rand.NewPCG(seed, number("filler")))
	out := eval.Set{Relevant: map[string]eval.Relevant{}}
	const together, session = 500, 10 // documents of a group, and of a session
	for i := range n {
		if i%together == 0 {
			out.Groups = append(out.Groups, fmt.Sprintf("filler/%d", i/together+1))
		}
		like := set.Documents[chance.IntN(len(set.Documents))]
		out.Documents = append(out.Documents, eval.Document{ID: fmt.Sprintf("filler/%d", i+1),
			Title: c.pieces(len(strings.Fields(like.Title)), chance), Text: c.pieces(max(1, len(strings.Fields(like.Text))), chance),
			Group: out.Groups[len(out.Groups)-1], Session: fmt.Sprint(i / session), Seq: i})
	}
	return out
}

// pieces returns n words out of documents by chance, a few from each.
func (c *corpus) pieces(n int, chance *rand.Rand) string {
	words := make([]string, 0, n)
	for len(words) < n {
		d := c.set.Documents[chance.IntN(len(c.set.Documents))]
		fields := strings.Fields(d.Text)
		if len(fields) == 0 {
			fields = strings.Fields(d.Title)
		}
		if len(fields) == 0 {
			words = append(words, invent(chance))
			continue
		}
		start := chance.IntN(len(fields))
		for _, f := range fields[start:min(start+2+chance.IntN(4), len(fields))] {
			words = append(words, c.usualOr(f, chance))
		}
	}
	return strings.Join(words[:n], " ")
}

// usualOr returns a word, or an invented one for a name or a word that is rare.
func (c *corpus) usualOr(field string, chance *rand.Rand) string {
	w := trim(field)
	if isIdentifier(w) || isPath(w) {
		return invent(chance)
	}
	for _, stem := range c.stemsOf(field) {
		if c.rare(len(c.having[stem])) {
			return invent(chance)
		}
	}
	return field
}

// stemsOf returns the stems of a field, which is mostly a word that was seen before.
func (c *corpus) stemsOf(field string) []string {
	known, ok := c.fields[field]
	if !ok {
		known = stems(field)
		c.fields[field] = known
	}
	return known
}

// invent returns a word of two to four syllables that no language has by intention.
func invent(chance *rand.Rand) string {
	const consonants, vowels = "bcdfghjklmnprstvwxyz", "aeiou"
	var b strings.Builder
	for range 2 + chance.IntN(3) {
		b.WriteByte(consonants[chance.IntN(len(consonants))])
		b.WriteByte(vowels[chance.IntN(len(vowels))])
		b.WriteByte(consonants[chance.IntN(len(consonants))])
	}
	return b.String()
}
