package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// indexAnchors adds the paths of a memory.
func (t *tx) indexAnchors(ctx context.Context, num int64, all []engram.Anchor) error {
	if len(all) == 0 {
		return nil
	}
	paths := make([]string, len(all))
	for i, a := range all {
		paths[i] = a.Path
	}
	const query = `INSERT INTO anchors (space, path, memory) SELECT $space, path, ?2 FROM unnest(?1::text[]) AS path ON CONFLICT DO NOTHING`
	return sqlrow.Doing(t.Run(ctx, query, paths, num), "index the anchors of memory %d", num)
}

// reanchor updates the paths if the anchors changed. It drops the noted states of the former anchors.
func (t *tx) reanchor(ctx context.Context, was, now engram.Memory) error {
	if slices.Equal(was.Anchors, now.Anchors) {
		return nil
	}
	if err := t.Run(ctx, `DELETE FROM anchors WHERE space = $space AND memory = ?`, now.Num); err != nil {
		return sqlrow.Doing(err, "index the anchors of memory %d", now.Num)
	}
	return t.indexAnchors(ctx, now.Num, now.Anchors)
}

// seenSQL is served by anchors_seen.
const seenSQL = `SELECT memory, max(seen) FROM anchors WHERE space = $space AND memory = ANY(?) AND seen IS NOT NULL GROUP BY memory`

// SeenAnchors returns the noted states of the memories' anchors.
func (t *tx) SeenAnchors(ctx context.Context, nums []int64) (map[int64]engram.AnchorState, error) {
	seen, err := sqlrow.Pairs[int64, engram.AnchorState](ctx, t, seenSQL, nums)
	return seen, sqlrow.Doing(err, "read anchor states")
}

// NoteAnchors notes the states of anchors.
func (t *tx) NoteAnchors(ctx context.Context, seen map[int64]engram.AnchorState) error {
	for _, num := range slices.Sorted(maps.Keys(seen)) {
		var state any
		if seen[num].Stale() {
			state = seen[num]
		}
		const query = `UPDATE anchors SET seen = ?1 WHERE space = $space AND memory = ?2 AND seen IS DISTINCT FROM ?1`
		if err := t.Run(ctx, query, state, num); err != nil {
			return sqlrow.Doing(err, "write the anchor states of memory %d", num)
		}
	}
	return nil
}
