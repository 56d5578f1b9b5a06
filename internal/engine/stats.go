package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Stats counts what there is, everywhere or in one project.
func (e *Engine) Stats(ctx context.Context, project string) (engram.Stats, error) {
	return view(ctx, e, func(r engram.Reader) (engram.Stats, error) { return r.Stats(ctx, normalProject(project)) })
}
