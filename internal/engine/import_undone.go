package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// undone reports whether the latest that the journal has of something here is that an
// import which brought it in was undone: then nobody decided against the thing itself, and
// it may come in again. A session in which something stands is not removed by an undo; of
// it the import is the latest.
func (i *importing) undone(ctx context.Context, kind engram.Entity, key string) (bool, error) {
	entries, err := i.tx.Mutations(ctx, kind, key, engram.Page{Limit: 1})
	if err != nil || len(entries) == 0 || entries[0].Op == i.first {
		return false, err
	}
	latest := entries[0]
	if latest.Verb != "undo" && (latest.Verb != "import" || latest.Was != nil) {
		return false, nil
	}
	known, ok := i.undos[latest.Op]
	if !ok {
		if known, err = i.importUndone(ctx, latest.Op); err != nil {
			return false, err
		}
		i.undos[latest.Op] = known
	}
	return known, nil
}

// importUndone reports whether an operation is an import that does not stand, or the undo of
// one: an undo of an undo brings the import back.
func (i *importing) importUndone(ctx context.Context, number int64) (bool, error) {
	op, _, err := i.tx.Operation(ctx, number)
	if err != nil {
		return false, err
	}
	if op.Verb == "import" {
		standing, err := stands(ctx, i.tx, op)
		return !standing, err
	}
	taken := false
	for op.Undoes != 0 {
		taken = !taken
		op, _, err = i.tx.Operation(ctx, op.Undoes)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return false, nil // the journal begins later
		}
		if err != nil {
			return false, err
		}
	}
	return taken && op.Verb == "import", nil
}

// emptied reports whether an undone import left a session, in which nothing is that
// anybody sees.
func (i *importing) emptied(ctx context.Context, s engram.Session) (bool, error) {
	if n, err := i.tx.CountInSession(ctx, s.ID, false); err != nil || n > 0 {
		return false, err
	}
	if ps, err := i.tx.Prompts(ctx, "", s.ID, engram.Page{Limit: 1}); err != nil || len(ps) > 0 {
		return false, err
	}
	return i.undone(ctx, engram.EntitySession, s.ID)
}
