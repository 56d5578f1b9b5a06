package vector

import (
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Top keeps the best few of the offered numbers: those with the greatest scores, on equal scores the
// greater number first. Offering n costs little more than n comparisons.
type Top struct {
	most int
	heap []engram.Ranked // min-heap: no entry is worse than its parent, at (i-1)/2
}

// NewTop returns a Top that keeps up to most, possibly 0.
func NewTop(most int) *Top { return &Top{most: max(most, 0)} }

// Offer adds num if its score is among the best; NaN is not. A number offered twice is kept twice.
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

// Least returns the worst kept score; full is false, and the score 0, while there is room for more.
func (t *Top) Least() (score float64, full bool) {
	if len(t.heap) < t.most || t.most == 0 {
		return 0, false
	}
	return t.heap[0].Score, true
}

// Len returns the number of kept entries.
func (t *Top) Len() int { return len(t.heap) }

// Ranked returns the kept entries, best first, and empties the Top.
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
