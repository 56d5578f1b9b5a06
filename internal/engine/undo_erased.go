package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// erasedKey is what the journal calls that something was erased elsewhere: what it was, and
// its id.
func erasedKey(x engram.Erased) string { return string(x.Entity) + " " + x.ID }

// erasedWas is what an entry notes of it.
type erasedWas struct {
	SyncID  string       `json:"sync_id"`
	At      engram.Clock `json:"at"`
	Project string       `json:"project"`
}

// takeErased lets something come in again of which a file said that it was erased elsewhere; or
// not, when that is what was undone. What replicas agree on by a pull stays so.
func (u *undoing) takeErased(ctx context.Context, entry engram.Mutation) error {
	kind, id, _ := strings.Cut(entry.Key, " ")
	x := engram.Erased{Entity: engram.Entity(kind), ID: id}
	if entry.Was != nil {
		var was erasedWas
		if err := json.Unmarshal(entry.Was, &was); err != nil {
			return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
		}
		x.SyncID, x.At, x.Project = was.SyncID, was.At, was.Project
		if err := u.tx.PutErased(ctx, x); err != nil {
			return err
		}
		u.changed(entry, "stays away")
		return u.log(ctx, engram.EntityErased, entry.Key, "", u.reason(), nil)
	}
	if entry.Verb == "pull" {
		// The batch is not read again: without the tombstone this store would bring back, for
		// everybody, what somebody had erased.
		u.leave("%s %s was erased elsewhere, and stays away", kind, id)
		return nil
	}
	x, known, err := u.tx.DropErased(ctx, x.Entity, x.ID)
	if err != nil || !known {
		return err
	}
	u.changed(entry, "may come in again")
	return u.log(ctx, engram.EntityErased, entry.Key, "", u.reason(), map[string]any{"sync_id": x.SyncID, "at": x.At, "project": x.Project})
}
