package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// UndoRangeInput says which operations are taken back: those from First to Last of a
// project and a verb, as far as they stand. What erases, and undos, are passed over.
type UndoRangeInput struct {
	First, Last int64
	Project     string // "" is every project
	Verb        string // "" is every verb
	DryRun      bool
	Progress    func(done, total int) // told after each; nil: nobody is
}

// UndoRange takes several operations back, the latest first, each in a transaction of its
// own, so that nobody waits for all of them: what one sleep did, for example. Where one
// cannot be undone it stops and returns what was done until then with the error. Nothing
// to undo is not_found; operations of which nothing is left are passed over.
func (e *Engine) UndoRange(ctx context.Context, in UndoRangeInput) ([]engram.Undone, error) {
	if in.First < 1 || in.Last < in.First {
		return nil, engram.Errorf(engram.CodeInvalid, "%d..%d are no operations", in.First, in.Last).WithHint("the first one, then the last, as {log} shows them")
	}
	ops, err := e.standing(ctx, in)
	if err != nil {
		return nil, err
	}
	var all []engram.Undone
	if in.DryRun {
		if all, err = e.undoDry(ctx, ops); err != nil {
			return nil, err
		}
		ops = nil
	}
	for i, op := range ops {
		switch u, err := e.Undo(ctx, UndoInput{Op: op}); {
		case isNothingLeft(err):
		case err != nil:
			return all, err
		default:
			all = append(all, u)
		}
		if in.Progress != nil {
			in.Progress(i+1, len(ops))
		}
	}
	if len(all) == 0 {
		return nil, engram.Errorf(engram.CodeNotFound, "from %d to %d there is nothing to undo", in.First, in.Last).WithHint("{log} shows what there is")
	}
	return all, nil
}

// undoDry undoes all of them in one transaction, because each builds on the one before,
// and rolls it back.
func (e *Engine) undoDry(ctx context.Context, ops []int64) (all []engram.Undone, err error) {
	err = e.write(ctx, "undo", func(o *op) error {
		for _, number := range ops {
			one := *o
			one.first = 0
			u, err := one.undo(ctx, number)
			if isNothingLeft(err) {
				continue
			}
			if err != nil {
				return err
			}
			u.Op, o.clock = 0, one.clock
			all = append(all, u)
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return all, err
}

// standing returns the operations of a range that can be taken back, the latest first.
func (e *Engine) standing(ctx context.Context, in UndoRangeInput) (ops []int64, err error) {
	const page = 500
	f := engram.JournalFilter{Project: normalProject(in.Project), Verb: line(in.Verb)}
	err = e.store.View(ctx, func(r engram.Reader) error {
		for offset := 0; ; offset += page {
			list, err := r.Operations(ctx, f, engram.Page{Limit: page, Offset: offset})
			if err != nil {
				return err
			}
			for _, op := range list {
				if op.Op < in.First || op.Op > in.Last || op.Undoes != 0 || erases(op.Verb) {
					continue
				}
				stands, err := stands(ctx, r, op)
				if err != nil {
					return err
				}
				if stands {
					ops = append(ops, op.Op)
				}
			}
			if len(list) < page || slices.ContainsFunc(list, func(op engram.Operation) bool { return op.Op < in.First }) {
				return nil
			}
		}
	})
	return ops, err
}
