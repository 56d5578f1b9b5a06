package search

import (
	"slices"

	"github.com/alanbuscaglia/engram/internal/alias"
	"github.com/alanbuscaglia/engram/internal/text"
)

const (
	// mostDefined limits the words that the finds define for one word of a question.
	mostDefined = 3
	// mostRead is how much of a text is read for definitions, as for near words.
	mostRead = 8 << 10
)

// defined returns the words that the finds define, by word of the question: where one says "Consul (csl)", a find about
// Consul is as near to a question about csl as another word can be, and has the word for the threshold. It reorders the
// finds and adds none.
//
// Only the finds of this question define: they are read anyway, are those of the asked project and the same in every
// process, and a forgotten memory defines nothing. A cache would have none of this.
func (q *Question) defined() map[string][]string {
	same := map[string][]string{}
	add := func(asked, defined string) {
		for i := range q.lexical.Words {
			w := &q.lexical.Words[i]
			if w.Term.Joined || w.Term.Stop || w.Term.Time || meant(*w) != asked {
				continue
			}
			if len(same[asked]) < mostDefined && !slices.Contains(same[asked], defined) {
				same[asked] = append(same[asked], defined)
				word := text.Query(defined)[0].Word
				w.Term.Also, w.Matched = append(slices.Clip(w.Term.Also), word), append(slices.Clip(w.Matched), word)
			}
		}
	}
	for _, f := range q.finds {
		m := q.memories[f.Num]
		for _, s := range []string{m.Title, text.Clip(m.Content, mostRead)} {
			alias.Define(s, func(short, long string) {
				add(short, long)
				add(long, short)
			})
		}
	}
	return same
}
