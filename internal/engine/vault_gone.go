package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// takeGone forgets the memory of a note that was deleted, where that is wanted.
func (x *vaultImport) takeGone(ctx context.Context, e engram.NoteEdit) error {
	m, err := view(ctx, x.Engine, func(r engram.Reader) (engram.Memory, error) { return r.Memory(ctx, engram.ByID(e.ID)) })
	switch {
	case engram.CodeOf(err) == engram.CodeNotFound:
		return nil // another store's
	case err != nil:
		return err
	case x.res.Project != "" && m.Project != x.res.Project:
		return nil
	case m.Forgotten():
		x.notes.Drop(e)
		return nil
	case !x.in.Forget:
		x.tell(e, VaultMissing, VaultItem{Num: m.Num, Reason: "the note was deleted; the memory stays as it is"})
		return nil
	}
	if x.gone = append(x.gone, goneNote{e, m.Num}); len(x.gone) < mostEdits {
		return nil
	}
	return x.forget(ctx)
}

// goneNote is a note that was deleted, and whose memory is to be forgotten.
type goneNote struct {
	engram.NoteEdit
	num int64
}

// forget forgets the memories whose notes were gathered.
func (x *vaultImport) forget(ctx context.Context) error {
	gone := x.gone
	x.gone = nil
	if len(gone) == 0 {
		return nil
	}
	refs := make([]engram.Ref, len(gone))
	for i, g := range gone {
		refs[i] = engram.ByNum(g.num)
	}
	if !x.in.DryRun {
		var first int64
		err := x.write(ctx, vaultVerb, func(o *op) error {
			_, err := o.forgetAll(ctx, refs)
			first = o.first
			return err
		})
		if err != nil {
			return err
		}
		x.wrote(first)
	}
	for _, g := range gone {
		x.notes.Drop(g.NoteEdit)
		x.tell(g.NoteEdit, VaultForgot, VaultItem{Num: g.num, Reason: "the note was deleted"})
	}
	return nil
}
