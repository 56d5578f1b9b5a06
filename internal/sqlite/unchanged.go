package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// unchangedBytes is about how much a connection keeps of what it has read: some thousand
// memories with their vectors. Reading the sixty that a search looks at costs as much as
// everything else that it does. The four connections of a server each keep as much, so it is
// little: over a large store the same is hardly asked again.
const unchangedBytes = 6 << 20

// dataVersionSQL asks for a number that is another one whenever somebody else, in this
// process or not, has committed since the connection looked last. A transaction has one.
const dataVersionSQL = `PRAGMA data_version`

// unchanged is what a connection has read and nobody has written since. SQLite tells a
// connection what others wrote, not what it wrote itself: only connections that never
// write keep anything.
type unchanged struct {
	version  int64
	hidden   string // with these projects left out
	memories map[int64]engram.Memory
	beside   map[int64]engram.Beside // the zero Beside where there is no session
	models   map[string]model        // by fingerprint; those that there are
	rows     map[vectorOf][]byte     // of vectors; nil where there is none
	values   map[vectorOf][]float32  // the same, as they are asked for
	ties     map[tiesOf][]*engram.Relation
	newest   map[newestOf][][]float32
	bytes    int
}

// vectorOf names a vector by the rows of its model and its memory.
type vectorOf struct{ model, memory int64 }

// tiesOf names the relations of a memory as RelationsOf is asked for them.
type tiesOf struct {
	memory int64
	verbs  string
	most   int
}

// newestOf names the vectors of a project as NewestVectors is asked for them.
type newestOf struct {
	model   int64
	project string
	most    int
}

// unchanged returns what the transaction's connection has kept, as this transaction would
// read it; nil where it keeps nothing.
func (t *tx) unchanged(ctx context.Context) (*unchanged, error) {
	u := t.conn.unchanged
	if u == nil || t.looked {
		return u, nil
	}
	var version int64
	if err := t.row(ctx, dataVersionSQL, nil, &version); err != nil {
		return nil, fmt.Errorf("look for changes: %w", err)
	}
	if version != u.version || u.memories == nil || u.hidden != t.hidden.query("SELECT") {
		u.version, u.hidden = version, t.hidden.query("SELECT")
		u.empty()
	}
	t.looked = true
	return u, nil
}

func (u *unchanged) empty() {
	*u = unchanged{version: u.version, hidden: u.hidden, memories: map[int64]engram.Memory{}, beside: map[int64]engram.Beside{}, models: map[string]model{},
		rows: map[vectorOf][]byte{}, values: map[vectorOf][]float32{},
		ties: map[tiesOf][]*engram.Relation{}, newest: map[newestOf][][]float32{}}
}

// grow makes room for so many bytes more, if need be by letting go of all there is: what
// is asked again and again comes back soon.
func (u *unchanged) grow(bytes int) {
	if u.bytes += bytes; u.bytes > unchangedBytes {
		u.empty()
		u.bytes = bytes
	}
}

func (u *unchanged) hasMemory(num int64) bool {
	if u == nil {
		return false
	}
	_, known := u.memories[num]
	return known
}

// memory returns a memory that is kept; it is the caller's to change.
func (u *unchanged) memory(num int64) engram.Memory {
	m := u.memories[num]
	m.Tags, m.Anchors = slices.Clone(m.Tags), slices.Clone(m.Anchors)
	return m
}

// keepMemory keeps a memory. One with metadata, whose values may hold others, is not kept:
// a copy of those costs what reading it does.
func (u *unchanged) keepMemory(m engram.Memory) {
	if u == nil || m.Metadata != nil {
		return
	}
	const row = 800    // what one takes beside its texts
	const anchor = 300 // likewise one of them
	u.grow(row + anchor*len(m.Anchors) + len(m.Title) + len(m.Content) + len(m.Summary))
	m.Tags, m.Anchors = slices.Clone(m.Tags), slices.Clone(m.Anchors)
	u.memories[m.Num] = m
}
