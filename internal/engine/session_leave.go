package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
)

// LeaveSession ends a session that its agent has left, at a time as CloseSession has it, summed
// up as by EndSession. One in which nothing was kept goes, so that the list of sessions is of those in which something
// happened: a window that was opened and closed again leaves no trace but the journal's. An
// unknown id is fine.
func (e *Engine) LeaveSession(ctx context.Context, id string, at time.Time) error {
	id = line(id)
	if id == "" {
		return engram.Errorf(engram.CodeInvalid, "session id is required")
	}
	var empty, known bool
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		empty, known, err = isEmpty(ctx, r, id)
		return err
	})
	if err != nil || !known {
		return err
	}
	if !empty {
		_, err = e.endSession(ctx, ending{id: id, at: at, sumUp: true})
		return err
	}
	return e.write(ctx, "session_end", func(o *op) error {
		empty, known, err := isEmpty(ctx, o.tx, id)
		if err != nil || !known || !empty { // somebody has begun to work in it meanwhile
			return err
		}
		s, err := o.tx.Session(ctx, id)
		if err != nil {
			return err
		}
		return o.deleteSession(ctx, s, false)
	})
}

// manyUses is more than a session is shown in which nothing happens.
const manyUses = 200

// isEmpty reports whether nothing was kept in a session, forgotten and hidden things counting,
// and nothing was asked for in it; what it was told unasked is nothing.
func isEmpty(ctx context.Context, r engram.Reader, id string) (empty, known bool, err error) {
	s, err := r.Session(ctx, id)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return false, false, nil
	}
	if err != nil || s.Summary != "" {
		return false, true, err
	}
	if n, err := r.CountInSession(ctx, id, true); err != nil || n > 0 {
		return false, true, err
	}
	prompts, err := r.Prompts(ctx, "", id, engram.Page{Limit: 1})
	if err != nil || len(prompts) > 0 {
		return false, true, err
	}
	if prompts, err = r.DeletedPromptsIn(ctx, id); err != nil || len(prompts) > 0 {
		return false, true, err
	}
	uses, err := r.Uses(ctx, id, engram.Page{Limit: manyUses})
	for _, u := range uses {
		if u.Verb != useContext && u.Verb != useRemind {
			return false, true, err
		}
	}
	return len(uses) < manyUses, true, err
}
