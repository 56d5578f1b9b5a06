package retrieval

import (
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Sort puts finds in order, the best first; of equals the later memory, whose Num is
// greater.
func Sort(finds []engram.Ranked) {
	slices.SortFunc(finds, func(a, b engram.Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num))
	})
}
