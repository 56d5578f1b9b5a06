package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// keptBytes is about how much of the memories that it has read one connection keeps: some
// two thousand of them. Reading the sixty that a search looks at costs half a millisecond.
const keptBytes = 2 << 20

// dataVersionSQL asks for a number that is another one whenever somebody else, in this
// process or not, has committed since the connection looked last. A transaction has one.
const dataVersionSQL = `PRAGMA data_version`

// keptMemories are memories that a connection has read and nobody has written since.
// SQLite tells a connection what others wrote, not what it wrote itself: only connections
// that never write keep any.
type keptMemories struct {
	version int64
	rows    map[int64]engram.Memory
	bytes   int
}

// keptMemories returns what the transaction's connection has kept; nil where it keeps nothing.
func (t *tx) keptMemories(ctx context.Context) (*keptMemories, error) {
	k := t.conn.memories
	if k == nil || t.looked {
		return k, nil
	}
	var version int64
	if err := t.row(ctx, dataVersionSQL, nil, &version); err != nil {
		return nil, fmt.Errorf("read memories: %w", err)
	}
	if version != k.version || k.rows == nil {
		*k = keptMemories{version: version, rows: map[int64]engram.Memory{}}
	}
	t.looked = true
	return k, nil
}

// get returns a memory that is the caller's to change.
func (k *keptMemories) get(num int64) (engram.Memory, bool) {
	if k == nil {
		return engram.Memory{}, false
	}
	m, known := k.rows[num]
	m.Tags = slices.Clone(m.Tags)
	return m, known
}

// put keeps a memory. One with metadata, whose values may hold others, is not kept: a copy
// of those costs what reading it does.
func (k *keptMemories) put(m engram.Memory) {
	if k == nil || m.Metadata != nil {
		return
	}
	const row = 800 // what one takes beside its texts
	size := row + len(m.Title) + len(m.Content) + len(m.Summary)
	if k.bytes += size; k.bytes > keptBytes {
		clear(k.rows)
		k.bytes = size
	}
	m.Tags = slices.Clone(m.Tags)
	k.rows[m.Num] = m
}
