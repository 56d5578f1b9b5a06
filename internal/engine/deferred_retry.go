package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Retried says what became of what waited.
type Retried struct {
	Taken int               // records that came in, or were rejected: they wait no more
	Left  []engram.Deferred // those that were tried and wait still, oldest first
}

// RetryDeferred tries to take in what waits of a project, "" is every one, as each pull does:
// all but what a person has to look at. It is one operation, which Undo takes back.
func (e *Engine) RetryDeferred(ctx context.Context, project string) (Retried, error) {
	var res Retried
	err := e.write(ctx, "pull", func(o *op) error {
		name, err := deferredProject(ctx, o.tx, project)
		if err != nil {
			return err
		}
		before, err := allDeferred(ctx, o.tx, name)
		if err != nil {
			return err
		}
		p := &pulling{Engine: e, in: PullInput{Project: name}}
		if _, err := p.again(ctx, o); err != nil {
			return err
		}
		after, err := allDeferred(ctx, o.tx, name)
		if err != nil {
			return err
		}
		left := map[int64]engram.Deferred{}
		for _, d := range after {
			left[d.Num] = d
		}
		res = Retried{}
		for _, d := range before {
			now, waits := left[d.Num]
			switch {
			case d.Why == engram.DeferredReview:
			case waits:
				res.Left = append(res.Left, now)
			default:
				res.Taken++
			}
		}
		return nil
	})
	return res, err
}
