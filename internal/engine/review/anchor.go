package review

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// renewAnchors re-anchors a reviewed memory, unless its anchors changed meanwhile. If its code cannot be seen
// (unseen), it changes nothing, and the memory stays in the queue.
func renewAnchors(ctx context.Context, o *ledger.Tx, a remember.PrecomputedAnchors, m *engram.Memory, res *ReviewResult) (unseen bool, err error) {
	if a.Was.Num != m.Num || len(m.Anchors) == 0 || !slices.Equal(a.Was.Anchors, m.Anchors) {
		return false, nil
	}
	if a.Unseen {
		return true, nil
	}
	m.Anchors, res.Released = a.Now, a.Gone
	res.Anchored = slices.DeleteFunc(slices.Clone(a.Now), func(now engram.Anchor) bool { return slices.Contains(a.Was.Anchors, now) })
	return false, o.Store.NoteAnchors(ctx, map[int64]engram.AnchorState{m.Num: engram.AnchorVerified})
}
