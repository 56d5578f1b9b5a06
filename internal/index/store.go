// Package index says what the index of words and codes asks of a store: Store and CodeStore.
//
// The index is a sequence of segments (docs/adr/0004-search-schema.md): each has documents, a row a memory, blocks
// of the lists of its words, and pages of the codes of vectors. New memories wait, unsealed, a row each. What is in
// rows, blocks and pages is the business of packages postings and vector; a Store only keeps them.
package index

import (
	"cmp"
	"context"

	"github.com/alanbuscaglia/engram"
)

// State is what tells one state of a collection's index from another: what is kept in memory of one is true while
// its State is the same.
type State struct {
	Changes  int64 // of segments and kinds
	Unsealed int64 // how many memories wait
	Last     int64 // the greatest Unsealed.Seq that was ever given
}

// Kind is a type with a scope, which documents have by number.
type Kind struct {
	Type  engram.Type
	Scope engram.Scope
}

// Unsealed is a memory that waits for a segment.
type Unsealed struct {
	Seq      int64 // rises, and is never used twice
	Memory   int64
	Document []byte // a row of postings.Docs
	Words    []byte // a block of this document alone
}

// Segment is the row of a segment.
type Segment struct {
	Num     int64 // never used twice
	Level   int
	Project int64 // its only one; -1: several
	Version int64 // State.Changes when it was changed last
	Slots   int   // documents, dead ones too
	Live    int
	Tokens  int64  // of the live ones
	Firsts  []byte // the first word of each block
}

// Sort is a sort of parts of a segment.
type Sort int

// The sorts.
const (
	Blocks    Sort = iota // of lists of words
	Documents             // pages of rows
	Lengths               // the lengths in Documents once more, of large segments
)

// Place names a part of a segment.
type Place struct {
	Segment int64
	N       int // from 0
}

// Compare orders places by segment.
func (p Place) Compare(o Place) int {
	return cmp.Or(cmp.Compare(p.Segment, o.Segment), cmp.Compare(p.N, o.N))
}

// Store keeps the index of words of one collection, as one transaction sees and changes it. Bytes that it
// hands out or gets do not change until the transaction ends. each must not use the transaction.
type Store interface {
	// State returns the state that this transaction sees, its own changes included.
	State(ctx context.Context) (State, error)
	// Changed counts a change of segments or kinds and returns State.Changes.
	Changed(ctx context.Context) (int64, error)

	// Kinds returns the numbers of all kinds.
	Kinds(ctx context.Context) (map[Kind]uint32, error)
	// Kind returns the number of a kind, 0 if it has none.
	Kind(ctx context.Context, k Kind) (num uint32, err error)
	// AddKind numbers a kind, which must not have a number.
	AddKind(ctx context.Context, k Kind) (uint32, error)
	// DropKinds removes the kinds whose type no live memory has, since a type's name may be private, and reports
	// whether there were some.
	DropKinds(ctx context.Context) (dropped bool, err error)

	// Unsealed calls each with the waiting memories behind a Seq, oldest first, without Words unless words.
	Unsealed(ctx context.Context, after int64, words bool, each func(Unsealed) error) error
	// AddUnsealed adds a waiting memory and returns its Seq; u.Seq is not read.
	AddUnsealed(ctx context.Context, u Unsealed) (seq int64, err error)
	// MoveUnsealed replaces the document of a waiting memory.
	MoveUnsealed(ctx context.Context, seq int64, document []byte) error
	// DropUnsealed removes a memory that may be waiting.
	DropUnsealed(ctx context.Context, memory int64) (was bool, err error)
	// ClearUnsealed removes all waiting memories.
	ClearUnsealed(ctx context.Context) error
	// Reserve takes n numbers of waiting memories, from last+1 to last+n.
	Reserve(ctx context.Context, n int64) (last int64, err error)

	// Segments calls each with all segments, by number.
	Segments(ctx context.Context, each func(Segment) error) error
	// AddSegment adds a segment without parts and returns its number; s.Num is not read.
	AddSegment(ctx context.Context, s Segment) (num int64, err error)
	// PutSegment replaces the row of a segment.
	PutSegment(ctx context.Context, s Segment) error
	// DropSegment removes a segment with its parts, but not its codes.
	DropSegment(ctx context.Context, num int64) error

	// Parts calls each with the parts of a sort of segments, from number from on, in order, and asks the store once for
	// all if it is a server.
	Parts(ctx context.Context, of Sort, segments []int64, from int, each func(Place, []byte) error) error
	// PartsAt calls each with those of the parts that exist, in any order, and asks the store once for all.
	PartsAt(ctx context.Context, of Sort, at []Place, each func(Place, []byte) error) error
	// PutPart adds or replaces a part.
	PutPart(ctx context.Context, of Sort, at Place, data []byte) error
	// CutParts removes the parts from number from on.
	CutParts(ctx context.Context, of Sort, segment int64, from int) error

	// Clear empties the index without reading it, since it may be damaged. Kinds and waiting memories get other numbers
	// than before, and the caller counts the change.
	Clear(ctx context.Context) error
}

// CodeStore keeps the codes of vectors in the slots of segments, by the number of their model. The bytes that it hands
// out are the caller's.
type CodeStore interface {
	// Coded returns the segments with codes of a model, with a version that changes with every change of them.
	Coded(ctx context.Context, model int64) (map[int64]int64, error)
	// Codes calls each with the pages of codes of segments, those of a segment in order, and asks the store once for all.
	Codes(ctx context.Context, model int64, segments []int64, each func(at Place, signs, sizes []byte) error) error
	// CodesAt calls each with those of the pages that exist, in any order, and asks the store once for all.
	CodesAt(ctx context.Context, model, segment int64, pages []int, each func(page int, signs, sizes []byte) error) error
	// PutCodes adds or replaces a page of codes.
	PutCodes(ctx context.Context, model int64, at Place, signs, sizes []byte) error
	// Recoded gives the codes of a segment and their model a version that neither had before.
	Recoded(ctx context.Context, model, segment int64) error
	// DropCodes removes the codes of a segment, of every model.
	DropCodes(ctx context.Context, segment int64) error
	// ClearCodes removes all codes.
	ClearCodes(ctx context.Context) error
}
