package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// anchoredSQL reads the memories anchored to a path or below it, by the primary key of anchors; "0" is
// the character after the slash.
var anchoredSQL = `SELECT ` + memoryColumns + ` FROM memories m WHERE m.num IN (SELECT memory FROM anchors WHERE path = ?2
	UNION ALL SELECT memory FROM anchors WHERE path > ?2 || '/' AND path < ?2 || '0')
	AND m.deleted_at IS NULL AND (?1 < 0 OR m.project = ?1) ORDER BY +m.created_at DESC, +m.num DESC LIMIT ?3`

// Anchored returns the live memories anchored to a path or below it, newest first.
func (t *tx) Anchored(ctx context.Context, project, path string, limit int) ([]engram.Memory, error) {
	return listIn(ctx, t, readMemories, anchoredSQL, project, []any{path, limit}, scanMemory)
}

// indexAnchors adds the paths of a memory to the index, which must not have any of its paths.
func (t *tx) indexAnchors(ctx context.Context, num int64, all []engram.Anchor) error {
	for _, a := range all {
		if err := t.run(ctx, `INSERT INTO anchors (path, memory) VALUES (?,?) ON CONFLICT DO NOTHING`, a.Path, num); err != nil {
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
	if err := t.run(ctx, `DELETE FROM anchors WHERE memory = ?`, now.Num); err != nil {
		return fmt.Errorf("index the anchors of memory %d: %w", now.Num, err)
	}
	return t.indexAnchors(ctx, now.Num, now.Anchors)
}

// seenSQL is served by anchors_seen.
const seenSQL = `SELECT a.memory, max(a.seen) FROM json_each(?) AS asked CROSS JOIN anchors a ON a.memory = asked.value
	WHERE a.seen IS NOT NULL GROUP BY a.memory`

// SeenAnchors returns the noted states of the memories' anchors.
func (t *tx) SeenAnchors(ctx context.Context, nums []int64) (map[int64]engram.AnchorState, error) {
	seen, err := pairs[int64, engram.AnchorState](ctx, t, seenSQL, jsonNums(nums))
	return seen, doing(err, "read anchor states")
}

// staleSQL is served by anchors_seen, which has few rows.
var staleSQL = `SELECT ` + memoryColumns + ` FROM memories m WHERE m.num IN (SELECT memory FROM anchors WHERE seen IS NOT NULL)
	AND m.deleted_at IS NULL AND (?1 < 0 OR m.project = ?1) ORDER BY +m.created_at DESC, +m.num DESC LIMIT ?2 OFFSET ?3`

// StaleAnchors returns the live memories whose anchors were noted as changed or gone.
func (t *tx) StaleAnchors(ctx context.Context, project string, p engram.Page) ([]engram.Memory, error) {
	return listIn(ctx, t, readMemories, staleSQL, project, []any{p.Limit, p.Offset}, scanMemory)
}

// NoteAnchors notes the states of anchors.
func (t *tx) NoteAnchors(ctx context.Context, seen map[int64]engram.AnchorState) error {
	for _, num := range slices.Sorted(maps.Keys(seen)) {
		var state any
		if seen[num].Stale() {
			state = seen[num]
		}
		if err := t.run(ctx, `UPDATE anchors SET seen = ?1 WHERE memory = ?2 AND seen IS NOT ?1`, state, num); err != nil {
			return fmt.Errorf("write the anchor states of memory %d: %w", num, err)
		}
	}
	return nil
}
