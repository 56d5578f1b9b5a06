package search

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// support is what speaks for a find that is below the relevance threshold.
type support struct {
	retrieval.Evidence
	probability float64 // of answering the question, 0 to 1
	rare        bool    // the memory itself has a rare word of the question
}

// near reports whether a find is shown, as uncertain, where nothing is certain. An agent that is told nothing
// loses what is stored; three memories too many cost it a few hundred tokens. A find without a word or a vector in
// common says nothing, however likely it is that a long question has an answer.
func (s support) near() bool {
	const least = 0.10
	return s.rare || (s.Known || s.Coverage > 0) && s.probability >= least
}

// mostUncertain is how many uncertain finds are shown.
const mostUncertain = 3

// uncertainOf returns which finds are near, with those that relations lead to from these and those that supersede
// them, as in relevant. evidence[i] belongs to finds[i].
func (q *Question) uncertainOf(finds []engram.Ranked, evidence []retrieval.Evidence, policy retrieval.ThresholdPolicy) map[int64]bool {
	near := make([]bool, len(finds))
	for i, f := range finds {
		near[i] = support{evidence[i], policy.Relevance(evidence[i]), q.hasRareWord(f.Num)}.near()
	}
	return q.relevant(finds, near)
}

// hasRareWord reports whether a memory has a content word of the question that few of the searched memories
// have. Corrected and merely similar words do not count, nor words of its neighbours.
func (q *Question) hasRareWord(num int64) bool {
	const few = 3
	for i, c := range q.matched[num].Covered {
		if w := q.asking.words[i]; c == 1 && w.Rows <= few && !w.Repaired && !w.Term.Stop {
			return true
		}
	}
	return false
}

// showUncertain moves the best near finds to the hits where nothing is certain.
func (q *Question) showUncertain(found *engram.Found) {
	if len(found.Hits) > 0 {
		return
	}
	var below []engram.Hit
	for _, h := range found.BelowThreshold {
		if q.uncertain[h.Memory.Num] && len(found.Hits) < mostUncertain {
			found.Hits = append(found.Hits, h)
		} else {
			below = append(below, h)
		}
	}
	found.BelowThreshold, found.Uncertain = below, len(found.Hits) > 0
}
