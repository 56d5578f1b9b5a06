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
func (e *Engine) Compare(ctx context.Context, in CompareInput) (Conflict, error) {
	return e.compare(ctx, in, func(*op) error { return nil })
}

// compare is Compare, if check lets it.
func (e *Engine) compare(ctx context.Context, in CompareInput, check func(*op) error) (Conflict, error) {
	v, err := e.verdict(in.verdict())
	if err != nil {
		return Conflict{}, err
	}
	var judged Conflict
	err = e.write(ctx, "compare", func(o *op) error {
		a, err := o.live(ctx, in.A)
		if err != nil {
			return absent(in.A, err)
		}
		b, err := o.live(ctx, in.B)
		if err != nil {
			return absent(in.B, err)
		}
		if a.Num == b.Num {
			return engram.Errorf(engram.CodeInvalid, "memory %s cannot be compared with itself", in.A)
		}
		if err := check(o); err != nil {
			return err
		}
		v.source, v.target = a.Num, b.Num
		judged, err = o.settle(ctx, v, nil)
		return err
	})
	return judged, err
}

// verdict is the same verdict on a relation that is still to be found.
func (in CompareInput) verdict() JudgeInput {
	if in.ActorKind == "" {
		in.ActorKind = KindSystem
	}
	return JudgeInput{Verb: in.Verb, Reason: in.Reasoning, Confidence: &in.Confidence, Model: in.Model, ActorKind: in.ActorKind}
}

// Absent says which memory is not there; the code and the message are those of Err.
type Absent struct {
	Ref engram.Ref
	Err error
}

// Error implements error.
func (a *Absent) Error() string { return a.Err.Error() }

// Unwrap returns Err.
func (a *Absent) Unwrap() error { return a.Err }

func absent(ref engram.Ref, err error) error {
	if engram.CodeOf(err) != engram.CodeNotFound {
		return err
	}
	return &Absent{ref, err}
}
