package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// UnlinkInput names two memories and what is to be said of them no longer.
type UnlinkInput struct {
	A, B engram.Ref
	Verb engram.Verb // as engram.ParseVerb reads it; "" is every verb, candidates and verdicts included
}

// Unlink takes the relations of two memories away, in either direction, and returns them
// oldest first. Both memories may have been forgotten. Where nothing is related as asked
// it is CodeNotFound.
//
// Nothing is lost: the journal knows how to bring them back. A pair whose verdict was
// taken away is as if nobody had judged it, and may be raised again.
func (e *Engine) Unlink(ctx context.Context, in UnlinkInput) ([]Linked, error) {
	var verb engram.Verb
	if in.Verb != "" {
		var err error
		if verb, err = engram.ParseVerb(string(in.Verb)); err != nil {
			return nil, err
		}
	}
	var gone []Linked
	err := e.write(ctx, "unlink", func(o *op) error {
		a, err := o.tx.Memory(ctx, normalRef(in.A))
		if err != nil {
			return err
		}
		b, err := o.tx.Memory(ctx, normalRef(besideOf(in.B, a)))
		if err != nil {
			return err
		}
		gone, err = o.unlink(ctx, a, b, verb)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

func (o *op) unlink(ctx context.Context, a, b engram.Memory, verb engram.Verb) ([]Linked, error) {
	pair, err := o.tx.RelationsBetween(ctx, a.Num, b.Num)
	if err != nil {
		return nil, err
	}
	chosen := slices.Clone(pair)
	if verb != "" {
		chosen = slices.DeleteFunc(chosen, func(r engram.Relation) bool { return r.Verb != verb })
	}
	if len(chosen) == 0 {
		return nil, notLinked(a, b, verb, pair)
	}
	var gone []Linked
	for _, was := range chosen {
		now := was
		now.RemovedAt, now.UpdatedAt = o.at, o.at
		if err := o.replaceRelation(ctx, was, now, a.Project, "asked for"); err != nil {
			return nil, err
		}
		l := Linked{Relation: now, Source: a, Target: b, Action: LinkRemoved}
		if now.Source == b.Num {
			l.Source, l.Target = b, a
		}
		gone = append(gone, l)
	}
	return gone, nil
}

// notLinked says what two memories are to each other instead.
func notLinked(a, b engram.Memory, verb engram.Verb, pair []engram.Relation) error {
	if verb == "" || len(pair) == 0 {
		return engram.Errorf(engram.CodeNotFound, "#%d and #%d are not related", a.Num, b.Num).
			WithHint("{graph %d} shows what it is related to", a.Num)
	}
	err := engram.Errorf(engram.CodeNotFound, "neither of #%d and #%d %s the other", a.Num, b.Num, verb)
	return err.WithHint("#%d %s #%d", pair[0].Source, pair[0].Verb, pair[0].Target)
}
