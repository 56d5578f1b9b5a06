package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// indexAnchors adds the paths of a memory to the index, which must not have any of its paths.
func (t *tx) indexAnchors(ctx context.Context, num int64, all []engram.Anchor) error {
	for _, a := range all {
		if err := t.Run(ctx, `INSERT INTO anchors (path, memory) VALUES (?,?) ON CONFLICT DO NOTHING`, a.Path, num); err != nil {
			return fmt.Errorf("index the anchors of memory %d: %w", num, err)
		}
	}
	return nil
}

// reanchor updates the index if the anchors changed. It drops the noted states of the former anchors.
func (t *tx) reanchor(ctx context.Context, was, now engram.Memory) error {
	if slices.Equal(was.Anchors, now.Anchors) {
		return nil
	}
	if err := t.Run(ctx, `DELETE FROM anchors WHERE memory = ?`, now.Num); err != nil {
		return fmt.Errorf("index the anchors of memory %d: %w", now.Num, err)
	}
	return t.indexAnchors(ctx, now.Num, now.Anchors)
}

// seenSQL is served by anchors_seen.
const seenSQL = `SELECT a.memory, max(a.seen) FROM json_each(?) AS asked CROSS JOIN anchors a ON a.memory = asked.value
	WHERE a.seen IS NOT NULL GROUP BY a.memory`

// SeenAnchors returns the noted states of the memories' anchors.
func (t *tx) SeenAnchors(ctx context.Context, nums []int64) (map[int64]engram.AnchorState, error) {
	seen, err := sqlrow.Pairs[int64, engram.AnchorState](ctx, t, seenSQL, conn.JSONNums(nums))
	return seen, sqlrow.Doing(err, "read anchor states")
}

// NoteAnchors notes the states of anchors.
func (t *tx) NoteAnchors(ctx context.Context, seen map[int64]engram.AnchorState) error {
	for _, num := range slices.Sorted(maps.Keys(seen)) {
		var state any
		if seen[num].Stale() {
			state = seen[num]
		}
		if err := t.Run(ctx, `UPDATE anchors SET seen = ?1 WHERE memory = ?2 AND seen IS NOT ?1`, state, num); err != nil {
			return fmt.Errorf("write the anchor states of memory %d: %w", num, err)
		}
	}
	return nil
}
