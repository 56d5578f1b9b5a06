package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// repeatDepth is how many of the best finds are held against each other: the cost grows
// with the square, and a list that somebody reads is shorter.
const repeatDepth = 50

// byNovelty puts what a better find says already behind what is new.
func (q *question) byNovelty(context.Context) error {
	best := q.finds[:min(len(q.finds), repeatDepth)]
	if q.texts == nil {
		q.texts = q.passages(best)
	}
	repeats := retrieval.Repeats(q.texts, numsOf(best))
	if len(repeats) == 0 {
		return nil
	}
	q.repeats = repeats
	for i, f := range best {
		first, is := repeats[f.Num]
		if !is {
			continue
		}
		best[i].Score *= retrieval.RepeatFactor
		w := q.whyOf(f.Num)
		w.Factors = append(w.Factors, engram.Factor{Name: "repeat", Value: retrieval.RepeatFactor})
		q.note(f.Num, "repeats #%d", first)
	}
	retrieval.Sort(q.finds)
	return nil
}
