package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Stats counts what there is, everywhere or in one project.
func (e *Engine) Stats(ctx context.Context, project string) (st engram.Stats, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		st, err = r.Stats(ctx, normalProject(project))
		return err
	})
	return st, err
}
