package search

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// lookAtCode sets the anchor states of hits, moves stale hits behind about equally good ones, and records the
// states for the review queue.
func (f *Finder) lookAtCode(ctx context.Context, dir string, found *engram.Found, in SearchInput) {
	by := f.anchors.States(ctx, dir, walk.MemoriesOf(found.Hits, found.BelowThreshold))
	if by == nil {
		return
	}
	for _, hits := range [][]engram.Hit{found.Hits, found.BelowThreshold} {
		for i := range hits {
			hits[i].Anchors = by[hits[i].Memory.Num]
		}
		if !in.ByStrength && !in.Rerank { // the caller asked for another order
			anchors.LowerStale(hits)
		}
	}
	f.anchors.NoteAnchors(ctx, by)
}
