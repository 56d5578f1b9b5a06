package mem

import (
	"context"
	"errors"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
)

type currentArgs struct{}

type current struct {
	Project   string   `json:"project"`
	Source    string   `json:"project_source"`
	Path      string   `json:"project_path" schema:"-"`
	Cwd       string   `json:"cwd" schema:"-"`
	Available []string `json:"available_projects"`
	Warning   string   `json:"warning,omitempty" schema:"-"`
	ErrorHint string   `json:"error_hint,omitempty" schema:"-"`
}

func (d *dialect) current(ctx context.Context, by tool.Caller, _ currentArgs) (current, error) {
	at, err := d.engine.ProjectFor(ctx, engine.ProjectRequest{Override: d.project, Dir: d.dir})
	out := current{Project: at.Name, Source: string(at.Source), Path: at.Path, Cwd: d.dir, Available: []string{}, Warning: at.Warning}
	if at.Available != nil {
		out.Available = at.Available
	}
	if err != nil {
		out.Project, out.ErrorHint = "", trouble(err)
		if hint := by.Hint(err); hint != "" {
			out.ErrorHint += "; " + hint
		}
		if p, ok := errors.AsType[*project.Problem](err); ok && p.Available != nil {
			out.Available = p.Available
		}
	}
	return out, nil
}
