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
		p := &pulling{Engine: e, in: PullInput{Project: name}}
		_, tried, err := p.again(ctx, o)
		if err != nil {
			return err
		}
		res = Retried{}
		for _, num := range tried {
			d, waits, err := o.tx.DeferredAt(ctx, num)
			if err != nil {
				return err
			}
			if waits {
				res.Left = append(res.Left, d)
			} else {
				res.Taken++
			}
		}
		return nil
	})
	return res, err
}
