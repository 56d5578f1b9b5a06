package projects

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// NamedProject returns the project of a name or alias; not_found if it does not exist.
func NamedProject(ctx context.Context, r engram.Reader, name string) (engram.Project, error) {
	name = screen.NormalProject(name)
	p, known, err := r.Project(ctx, name)
	if err == nil && !known {
		err = engram.Errorf(engram.CodeNotFound, "project %q does not exist", name).WithHint("see {projects list}")
	}
	return p, err
}
