package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// erasedWas is what an entry notes of it.
type erasedWas struct {
	ID    string       `json:"id"`
	At    engram.Clock `json:"at"`
	Bound bool         `json:"bound"`
}

// takeErased lets something come in again of which a file said that it was erased elsewhere; or
// not, when that is what was undone. What replicas agree on by a pull stays so.
func (u *undoing) takeErased(ctx context.Context, entry engram.Mutation) error {
	x := engram.ErasedKey(entry.Key)
	if entry.Was != nil {
		var was erasedWas
		if err := readWas(entry, &was); err != nil {
			return err
		}
		x.ID, x.At, x.Bound = was.ID, was.At, was.Bound
		if err := u.tx.PutErased(ctx, x); err != nil {
			return err
		}
		u.changed(entry, "stays away")
		return u.log(ctx, engram.EntityErased, entry.Key, "", u.reason(), nil)
	}
	shared, err := u.tx.Shared(ctx, engram.EntityErased, entry.Key)
	if err != nil {
		return err
	}
	if entry.Verb == "pull" || shared {
		// A batch that told of it, too, is not read again: without the tombstone this store would
		// bring back, for everybody, what somebody had erased.
		u.leave("%s %s was erased elsewhere, and stays away", x.Entity, x.Name())
		return nil
	}
	x, known, err := u.tx.DropErased(ctx, entry.Key)
	if err != nil || !known {
		return err
	}
	u.changed(entry, "may come in again")
	return u.log(ctx, engram.EntityErased, entry.Key, "", u.reason(), map[string]any{"id": x.ID, "at": x.At, "bound": x.Bound})
}
