// Package lexicon is the index of words: which memories have a word and how often, where they stand, and
// how a question is answered from it by BM25 over every memory in scope.
//
// The index is a sequence of segments that an index.Store keeps (docs/adr/0004-search-schema.md). A memory
// gets a slot in one of them; its words are lists of slots in blocks (package postings). New memories are
// unsealed, a row each (index.go, pending.go), and move to ever larger segments at certain numbers
// (seal.go, gather.go). A changed memory leaves its slot and its words and comes in again (unindex.go).
// A search selects segments and documents (scope.go), looks its words up (search.go, repair.go) and
// adds up scores (rank.go). Nothing here knows how a memory is stored beside its words, except Home.
//
// An Index belongs to one transaction and one goroutine; connections of a process share a Cache. An
// index that cannot be read is postings.ErrDamaged: Clear and Add make it anew from the memories.
package lexicon

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Index is the index of words as one transaction sees and changes it. Store, Cache and Slots are required.
//
// Changes wait until they are many, the index is read, or Flush is called, which must be before the
// commit; Discard after the transaction releases the pending ones.
type Index struct {
	Store index.Store
	Cache *Cache
	Slots Slots
	// Served says that the store is a server. It is asked rarely, for much at once; and saves leave memories unsealed, since
	// others wait for their end, to be moved to segments by Seal.
	Served bool
	// Excluded are the numbers of projects whose memories are not found.
	Excluded map[int64]bool

	cat     *catalogue            // the index as this transaction sees it; nil until read
	changes bool                  // the transaction has changed the index
	before  *catalogue            // what the transaction found, if all that it did is to add memories
	added   []source              // those
	own     []*segment            // segments with this transaction's changes; nil until standing is called
	pending *pending              // memories to be indexed; nil if empty
	leaving *leaving              // memories to be removed from the index; nil if empty
	placing *pending              // pending memories while they get their slots
	kinds   map[index.Kind]uint32 // looked-up numbers
}

// Slots keeps something of each memory in the slot of the index that the memory has. It is told of every
// change, in the transaction that makes it.
type Slots interface {
	// Placed tells that memories got the slots of a segment from first on; their former slots are
	// dropped with their segments. inserted reports a memory that this transaction has inserted and
	// that had no slot before.
	Placed(ctx context.Context, segment int64, first int, nums []int64, inserted func(num int64) bool) error
	// Emptied tells that slots of a segment lost their memories.
	Emptied(ctx context.Context, segment int64, slots []int) error
	// Dropped tells that a segment is gone.
	Dropped(ctx context.Context, segment int64) error
	// Written tells that no memory waits any more for being indexed (Index.Waiting).
	Written()
}

// Home is the project and session of a memory, as numbers of their rows; 0 for no project or session.
type Home struct{ Project, Session int64 }

// Several stands for the number of a project or session where all are meant.
const Several = -1

// Add adds a live memory, which must not be in the index; whole tells that this transaction inserted it.
func (x *Index) Add(ctx context.Context, at Home, m engram.Memory, whole bool) error {
	num, err := x.kindNum(ctx, index.Kind{Type: m.Type, Scope: m.Scope})
	if err != nil {
		return err
	}
	d := postings.Doc{Num: m.Num, Created: m.CreatedAt.UnixMilli(), Project: uint32(at.Project), Session: uint32(at.Session), Kind: num}
	return x.addPending(ctx, d, m, whole)
}

// Replace updates the index after a change of a memory from was, at home before, to m, at home at.
func (x *Index) Replace(ctx context.Context, was, m engram.Memory, before, at Home) error {
	if was.Forgotten() && m.Forgotten() {
		return nil
	}
	// Counting an exact repeat changes nothing in the index.
	sameDocument := was.Project == m.Project && was.SessionID == m.SessionID && was.Type == m.Type && was.Scope == m.Scope &&
		was.CreatedAt.Equal(m.CreatedAt) && was.Forgotten() == m.Forgotten()
	if sameDocument && sameWords(was, m) {
		return nil
	}
	if !was.Forgotten() {
		if err := x.Remove(ctx, before.Project, was); err != nil {
			return err
		}
	}
	if m.Forgotten() {
		return nil
	}
	return x.Add(ctx, at, m, false)
}

// Remove removes a memory, as it was indexed, from its project's part of the index and from the lists of
// its words, so that no word without memories remains. A memory that is not in the index is no error.
func (x *Index) Remove(ctx context.Context, project int64, was engram.Memory) error {
	waiting, err := x.unput(ctx, was.Num)
	if err != nil || waiting {
		return err
	}
	at, found, err := x.placeOf(ctx, project, was.Num)
	if err != nil || !found {
		return err
	}
	return x.leave(ctx, at, was)
}

// Clear empties the index without reading it, since it may be damaged. What is kept in its slots must be
// cleared too.
func (x *Index) Clear(ctx context.Context) error {
	x.Discard()
	x.leaving, x.kinds = nil, nil
	if err := x.Store.Clear(ctx); err != nil {
		return err
	}
	_, err := x.changed(ctx)
	return err
}

// Segments returns all segments with their documents, the unsealed memories last.
func (x *Index) Segments(ctx context.Context) ([]*Part, error) {
	s, err := x.Scope(ctx, Filter{Project: Several, Session: Several})
	if err != nil {
		return nil, err
	}
	return s.Parts(ctx)
}

// Passing returns the numbers of the live memories that pass a filter, in the order of the index; Check
// is not called.
func (x *Index) Passing(ctx context.Context, f Filter) (nums []int64, err error) {
	s, err := x.Scope(ctx, f)
	if err != nil || s == nil {
		return nil, err
	}
	parts, err := s.Parts(ctx)
	for _, p := range parts {
		for slot := range p.Docs.Len() {
			if p.Pass(slot) {
				nums = append(nums, p.Docs.Num(slot))
			}
		}
	}
	return nums, err
}

// ForgetKinds deletes the numbers of types without memories, because a type's name may be private.
func (x *Index) ForgetKinds(ctx context.Context) error {
	x.kinds = nil
	dropped, err := x.Store.DropKinds(ctx)
	if err != nil || !dropped {
		return err
	}
	_, err = x.changed(ctx)
	return err
}

// doing adds context to an error, if there is one.
func doing(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
