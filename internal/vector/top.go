package vector

import (
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Top keeps the best few of what it is offered: those with the greatest scores, the
// greater number first where scores are equal. Offering n costs little more than n
// comparisons, and nothing is kept but the best.
type Top struct {
	most int
	heap []engram.Ranked // the worst first: no entry is worse than its parent, at (i-1)/2
}

// NewTop returns a Top that keeps up to most, which may be 0: nothing.
func NewTop(most int) *Top { return &Top{most: max(most, 0)} }

// Offer puts num in where its score is among the best. NaN is none of them. A number
// that is offered twice is kept twice.
func (t *Top) Offer(num int64, score float64) {
	r := engram.Ranked{Num: num, Score: score}
	switch {
	case score != score || t.most == 0:
	case len(t.heap) < t.most:
		t.heap = append(t.heap, r)
		t.rise(len(t.heap) - 1)
	case worse(t.heap[0], r):
		t.heap[0] = r
		t.sink(0)
	}
}

// Least is the score of the last that is kept; full is false while there is room for more.
func (t *Top) Least() (score float64, full bool) {
	if len(t.heap) < t.most || t.most == 0 {
		return 0, false
	}
	return t.heap[0].Score, true
}

// Len is how many are kept.
func (t *Top) Len() int { return len(t.heap) }

// Ranked returns what is kept, best first; the Top is empty afterwards.
func (t *Top) Ranked() []engram.Ranked {
	best := t.heap
	t.heap = nil
	slices.SortFunc(best, func(a, b engram.Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num))
	})
	return best
}

func worse(a, b engram.Ranked) bool {
	return a.Score < b.Score || a.Score == b.Score && a.Num < b.Num
}

func (t *Top) rise(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !worse(t.heap[i], t.heap[parent]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *Top) sink(i int) {
	for {
		worst := 2*i + 1
		if worst >= len(t.heap) {
			return
		}
		if right := worst + 1; right < len(t.heap) && worse(t.heap[right], t.heap[worst]) {
			worst = right
		}
		if !worse(t.heap[worst], t.heap[i]) {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}
