package retrieval

import (
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Sort sorts hits, best first; of equal ones the later memory, whose Num is greater, comes first.
func Sort(finds []engram.Ranked) {
	slices.SortFunc(finds, func(a, b engram.Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num))
	})
}
