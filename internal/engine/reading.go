package engine

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// reading is what some memories say, each looked at once: what is asked of the best finds
// is asked of the same few thousand words over and over.
type reading struct {
	from  *shelved
	pages map[int64]page
	order []page // as they were read
}

func newReading(from *shelved) *reading { return &reading{from: from, pages: map[int64]page{}} }

// page reads a memory, once.
func (r *reading) page(m engram.Memory) page {
	p, known := r.pages[m.Num]
	if !known {
		p = r.from.page(m)
		r.pages[m.Num] = p
		r.order = append(r.order, p)
	}
	return p
}

// covers says how far a memory has a word of the question.
func (p page) covers(w engram.WordCount) retrieval.Covered {
	best := retrieval.Missing
	for _, x := range p {
		switch stem := x.Stem(); {
		case stem == w.Term.Word, !w.Repaired && slices.Contains(w.Matched, stem):
			return 1
		case w.Repaired && slices.Contains(w.Matched, stem):
			best = max(best, retrieval.Spelt(text.Likeness(w.Term.Written, x.Word)))
		default:
			best = max(best, beginning(w.Term.Written, x.Word))
		}
	}
	return best
}

// spelt is the word of that stem which is most like what was written; the stem itself
// where no page has one.
func (r *reading) spelt(stem, written string) string {
	word, most := stem, -1.0
	for _, p := range r.order {
		for _, x := range p {
			if x.Stem() != stem {
				continue
			}
			if like := text.Likeness(written, x.Word); like > most {
				word, most = x.Word, like
			}
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
