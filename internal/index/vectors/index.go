// Package vectors keeps the vectors of memories, one per model and memory, and finds the nearest. The vectors of passages
// stand behind that of their memory, in the same row, and count where rows are compared.
//
// A vector is a row of its own. Its code, a few bits per dimension, stands in the slot that the index of
// words gave the memory (lexicon.Slots), in pages of codes: a search compares the codes of all memories
// in scope in place and reads the rows of the best only (nearest.go; docs/adr/0007-vectors.md). A memory
// without a slot has no code yet; searches compare its row.
//
// Rows and pages stand in a store (index.VectorRows, index.CodeStore); nothing here knows how. An Index belongs to
// one transaction and one goroutine; connections of a process share a Cache. A damaged row or page is CodeInternal,
// with a hint to embed anew.
package vectors

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/index/recent"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// Index is the vectors as one transaction sees and changes them. All exported fields but Uncommitted are required; Rows and Codes are
// of the same transaction.
// Changes of counts wait for Flush, which must be called before a statement that could observe them and
// before the commit.
type Index struct {
	Rows  index.VectorRows
	Codes index.CodeStore
	Words *lexicon.Index
	Cache *Cache
	// Uncommitted says that the transaction has changes of others, which are not committed yet: nothing that it reads is kept
	// in Cache.
	Uncommitted bool
	// Seen returns what the connection has read since the last commit of another one; nil if it does not
	// remember.
	Seen func(context.Context) (*Seen, error)

	recoded bool                   // has changed codes
	rows    rowsOf                 // read since the last write, where Seen remembers none
	fresh   map[vectorOf][]byte    // rows of memories that were inserted and wait for their slots
	known   map[string]index.Model // by fingerprint, for writing only: changes may be outdated
	counts  map[int64]int64        // by model number: memories that got their first vector, not written yet
}

// Cache keeps the newest codes that a connection of this process has read, by model. Reading those of one
// model costs a row per segment. It is safe for concurrent use; the zero Cache is empty.
type Cache struct {
	mu    sync.Mutex
	books map[int64]*codeBook
	rooms recent.Spare[room]
}

// room is space that one search after the other uses.
type room struct {
	nearest   vector.NearestCodes
	estimator vector.Estimator
	found     []int64   // places of the nearest by signs
	codes     []byte    // that are compared by levels
	scores    []float64 // of these
}

// Seen is what a connection has read of vectors. Empty it before its first use, and whenever another connection may have
// changed vectors that were there before; tell it of what else others may have written (Added).
type Seen struct {
	grow func(bytes int)

	models   map[string]index.Model // by fingerprint; known models only
	rows     rowsOf
	passages int // bytes of rows for which grow has not accounted
}

// Empty forgets everything. grow accounts for bytes that are added from then on, and may call Empty.
func (s *Seen) Empty(grow func(bytes int)) {
	if s.passages, s.grow = 0, grow; s.models == nil {
		s.models, s.rows = map[string]index.Model{}, rowsOf{}
	}
	clear(s.models)
	for _, rows := range s.rows { // as many are soon read again
		clear(rows)
	}
}

// Added forgets what a statement changes that leaves all vectors as they are, but, with recoded, may change the codes of
// models.
func (s *Seen) Added(recoded bool) {
	if recoded {
		clear(s.models)
	}
}

// rowsOf are encoded vectors by model and memory.
type rowsOf map[int64]map[int64][]byte

// of returns the rows of a model, to add to.
func (r rowsOf) of(model int64) map[int64][]byte {
	if r[model] == nil {
		r[model] = map[int64][]byte{}
	}
	return r[model]
}

// vectorOf identifies a vector by the rows of its model and memory.
type vectorOf struct{ model, memory int64 }

// Changing forgets what a change of vectors, or of memories that have some, may change.
func (x *Index) Changing() { x.rows = nil }

// Unwritten reports whether counts wait for Flush.
func (x *Index) Unwritten() bool { return len(x.counts) > 0 }

// Flush writes the counts that wait.
func (x *Index) Flush(ctx context.Context) error {
	counts := x.counts
	x.counts = nil // reset first: the statements below may check it
	for _, num := range slices.Sorted(maps.Keys(counts)) {
		if err := x.Rows.Count(ctx, num, counts[num]); err != nil {
			return err
		}
	}
	return nil
}

// Clear drops all codes, to be made again when memories get their slots.
func (x *Index) Clear(ctx context.Context) error {
	x.recoded, x.fresh = true, nil
	return x.Codes.ClearCodes(ctx)
}
