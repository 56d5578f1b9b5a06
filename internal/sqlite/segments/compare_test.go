package segments_test

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
)

func (a answer) compareSurroundings(got engram.Lexical) string {
	number := map[int64]bool{}
	for _, h := range got.Hits {
		want, has := a.beside[h.Num]
		g, is := got.Beside[h.Num]
		number[g.Session] = true
		if g.Session = 0; is != has || g != want {
			return fmt.Sprintf("beside memory %d:\n got %+v\nwant %+v", h.Num, g, want)
		}
		parts := got.Parts[h.Num]
		if _, filled := a.scores[h.Num]; !filled {
			continue
		}
		for j, part := range a.parts[h.Num] {
			if len(parts) != len(a.parts[h.Num]) || !near(float64(parts[j]), part) {
				return fmt.Sprintf("parts of memory %d: got %v, want %v", h.Num, parts, a.parts[h.Num])
			}
		}
	}
	return ""
}

// ranked returns scores best first, of equal ones the newest.
func ranked(scores map[int64]float64) []engram.Ranked {
	var all []engram.Ranked
	for _, num := range slices.Backward(slices.Sorted(maps.Keys(scores))) {
		all = append(all, engram.Ranked{Num: num, Score: scores[num]})
	}
	slices.SortStableFunc(all, func(a, b engram.Ranked) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return all
}

// near reports whether two scores differ by less than sums of 32 bits do.
func near(a, b float64) bool { return math.Abs(a-b) <= 2e-6*(1+math.Abs(a)+math.Abs(b)) }
