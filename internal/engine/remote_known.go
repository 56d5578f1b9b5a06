package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// KnownBatches returns which of these batches came in here before for a project, or were
// written here; "" is every project. The project may be an alias, or not be here.
func (e *Engine) KnownBatches(ctx context.Context, project string, batches []string) (known map[string]bool, err error) {
	project = normalProject(project)
	err = e.store.View(ctx, func(r engram.Reader) error {
		here, exists, err := r.Project(ctx, project)
		if err != nil {
			return err
		}
		if exists {
			project = here.Name
		}
		known, err = r.Pulled(ctx, project, batches)
		return err
	})
	return known, err
}
