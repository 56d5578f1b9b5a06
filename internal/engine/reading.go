package engine

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// reading is the words of some memories, each different one looked at once: what is
// asked of the best finds is asked of the same few thousand words over and over.
type reading struct {
	ids     map[string]int
	written []string // the different words, lower case
	stems   []string // as the index has them
	pages   map[int64]page
}

// page is what one memory says.
type page struct {
	words  []int // the different words, as numbers of the reading
	length int   // words that the index has of it
}

func newReading() *reading { return &reading{ids: map[string]int{}, pages: map[int64]page{}} }

// page reads a memory, once.
func (r *reading) page(m engram.Memory) page {
	if p, known := r.pages[m.Num]; known {
		return p
	}
	var p page
	seen := map[int]bool{}
	add := func(t text.Token) {
		p.length++
		id, known := r.ids[t.Word]
		if !known {
			id = len(r.written)
			word := strings.Clone(t.Word) // a part of the text would keep all of it
			r.ids[word] = id
			r.written = append(r.written, word)
			r.stems = append(r.stems, t.Text())
		}
		if !seen[id] {
			seen[id] = true
			p.words = append(p.words, id)
		}
	}
	text.Scan(text.Title(m), add)
	text.Scan(m.Content, func(t text.Token) {
		if !t.Stop {
			add(t)
		}
	})
	r.pages[m.Num] = p
	return p
}

// covers says how far a memory has a word of the question.
func (r *reading) covers(p page, w engram.WordCount) retrieval.Covered {
	best := retrieval.Missing
	for _, id := range p.words {
		switch stem := r.stems[id]; {
		case stem == w.Term.Word, !w.Repaired && slices.Contains(w.Matched, stem):
			return 1
		case w.Repaired && slices.Contains(w.Matched, stem):
			best = max(best, retrieval.Spelt(text.Likeness(w.Term.Written, r.written[id])))
		default:
			best = max(best, beginning(w.Term.Written, r.written[id]))
		}
	}
	return best
}

// spelt is the word of that stem which is most like what was written; the stem itself
// where no page has one.
func (r *reading) spelt(stem, written string) string {
	word, most := stem, -1.0
	for id, s := range r.stems {
		if s != stem {
			continue
		}
		if like := text.Likeness(written, r.written[id]); like > most {
			word, most = r.written[id], like
		}
	}
	return word
}

// leastBeginning is how long what is written must be to count as the beginning of
// another word: shorter ones begin everything.
const leastBeginning = 4

// beginning is the credit for words of which one begins with the other.
func beginning(a, b string) retrieval.Covered {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < leastBeginning || !strings.HasPrefix(b, a) {
		return retrieval.Missing
	}
	return retrieval.Spelt(float64(len(a)) / float64(len(b)))
}
