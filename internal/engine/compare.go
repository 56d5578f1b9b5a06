package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// CompareInput is a verdict on two memories of which nobody need have thought that they
// contradict each other: A, and what it says of B.
type CompareInput struct {
	A, B       engram.Ref
	Verb       engram.Verb // one of Verdicts; with supersedes, A takes the place of B
	Confidence float64     // 0 to 1
	Reasoning  string
	Model      string // the model that judged; "" when it is not known
	ActorKind  string // one of the kinds; "" is KindSystem
}

// Compare records a verdict on two memories, over what was said of the pair before, by
// whichever of them. One that there is no contradiction is kept too, so that the pair is
// never raised again. Errors are Judge's, and CodeNotFound for a memory that is not live.
func (e *Engine) Compare(ctx context.Context, in CompareInput) (engram.Relation, error) {
	if in.ActorKind == "" {
		in.ActorKind = KindSystem
	}
	v, err := e.verdict(JudgeInput{Verb: in.Verb, Reason: in.Reasoning, Confidence: &in.Confidence, Model: in.Model, ActorKind: in.ActorKind})
	if err != nil {
		return engram.Relation{}, err
	}
	var judged engram.Relation
	err = e.write(ctx, "compare", func(o *op) error {
		a, err := o.live(ctx, in.A)
		if err != nil {
			return err
		}
		b, err := o.live(ctx, in.B)
		if err != nil {
			return err
		}
		if a.Num == b.Num {
			return engram.Errorf(engram.CodeInvalid, "memory %s cannot be compared with itself", in.A)
		}
		v.source, v.target = a.Num, b.Num
		judged, err = o.settle(ctx, v, nil)
		return err
	})
	return judged, err
}
