package projects

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// ProjectNamed returns the canonical name of a project, or CodeNotFound.
func ProjectNamed(ctx context.Context, r engram.Reader, name string) (string, error) {
	name = screen.NormalProject(name)
	if name == "" {
		return "", engram.Errorf(engram.CodeInvalid, "no project is named").WithHint("name one, or ask for all of them")
	}
	return ProjectIfNamed(ctx, r, name)
}

// ProjectIfNamed is projectNamed, and "" for "".
func ProjectIfNamed(ctx context.Context, r engram.Reader, name string) (string, error) {
	if screen.NormalProject(name) == "" {
		return "", nil
	}
	p, err := NamedProject(ctx, r, name)
	return p.Name, err
}
