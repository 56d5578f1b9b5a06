package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// erasedNotes are those of the memories that notes name which are not here, and were removed for
// good. What was erased by somebody who shares one project counts for the notes of that alone.
func (e *Engine) erasedNotes(ctx context.Context, notes engram.VaultNotes, ids []engram.ID) (map[engram.ID]bool, error) {
	erased := map[engram.ID]bool{}
	if len(ids) == 0 {
		return erased, nil
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	var erasure gone
	here := map[engram.ID]bool{}
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		if erasure, err = readErased(ctx, r); err != nil {
			return err
		}
		all, err := r.Named(ctx, names)
		for _, m := range all {
			here[m.ID] = true
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if here[id] || !erasure.anywhere(engram.EntityMemory, string(id)) {
			continue
		}
		c, _, err := notes.Carried(id) // one that cannot be read tells no project
		if err != nil {
			return nil, err
		}
		erased[id] = erasure.has(engram.EntityMemory, c.Memory.Project, string(id))
	}
	return erased, nil
}
