package sqlite

import "context"

// vectorsPlaced is told that the memories nums stand in the slots of a segment from
// first on, and where each stood before.
func (t *tx) vectorsPlaced(ctx context.Context, segment int64, first int, nums []int64, from []place) error {
	return nil
}

// vectorDied is told that a memory no longer stands in a slot.
func (t *tx) vectorDied(ctx context.Context, segment int64, slot int, memory int64) error { return nil }

// vectorsDropped is told that a segment is gone.
func (t *tx) vectorsDropped(ctx context.Context, segment int64) error { return nil }
