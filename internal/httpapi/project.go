package httpapi

import (
	"errors"
	"path/filepath"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// currentProject is the project of a folder. It is never an error: what is wrong with
// the folder is part of the answer.
type currentProject struct {
	Project   string   `json:"project"`
	Source    string   `json:"project_source"`
	Path      string   `json:"project_path"`
	Cwd       string   `json:"cwd"`
	Available []string `json:"available_projects"`
	Warning   string   `json:"warning,omitempty"`
	ErrorHint string   `json:"error_hint,omitempty"`
}

func (a *API) currentProject(q request) (reply, error) {
	// The server's own setting speaks of the server's own folder.
	in := engine.ProjectRequest{Dir: q.query.Get("cwd")}
	switch {
	case in.Dir == "":
		in.Dir, in.Override = a.Dir, a.Project
	case !filepath.IsAbs(in.Dir):
		in.Dir = filepath.Join(a.Dir, in.Dir)
	}
	at, err := a.Engine.ProjectFor(q.Context(), in)
	out := currentProject{Project: at.Name, Source: string(at.Source), Path: at.Path, Cwd: in.Dir, Available: at.Available, Warning: at.Warning}
	if err != nil {
		out.Project, out.ErrorHint = "", messageOf(err)
		if hint := hintOf(err); hint != "" {
			out.ErrorHint += "; " + hint
		}
		if p, ok := errors.AsType[*project.Problem](err); ok {
			out.Available = p.Available
		}
	}
	// A folder that the caller named may hold anything.
	out.Project, out.Path, out.Cwd = redact.Private(out.Project), redact.Private(out.Path), redact.Private(out.Cwd)
	out.Available = document.OrEmpty(out.Available)
	return reply{body: out}, nil
}

// projectDoc is a project with what is kept under it.
type projectDoc struct {
	Name     string   `json:"name"`
	Aliases  []string `json:"aliases"`
	Memories int      `json:"memories"` // live ones
	Sessions int      `json:"sessions"`
	Prompts  int      `json:"prompts"`
}

// projectsDoc is the answer of GET /projects.
type projectsDoc struct {
	Projects []projectDoc `json:"projects"`
}

func (a *API) projects(q request) (reply, error) {
	list, err := a.Engine.Projects(q.Context())
	return reply{body: projectsDoc{document.Each(list, func(p engram.ProjectCounts) projectDoc {
		return projectDoc{p.Name, document.OrEmpty(p.Aliases), p.Memories, p.Sessions, p.Prompts}
	})}}, err
}

// skipped says why a move of a project had nothing to do.
type skipped struct {
	Status string `json:"status"`
	Reason string `json:"reason"`
}

type migrated struct {
	Status       string `json:"status"`
	Old          string `json:"old_project"` // as sent
	New          string `json:"new_project"` // as sent
	Observations int    `json:"observations"`
	Sessions     int    `json:"sessions"`
	Prompts      int    `json:"prompts"`
}

// migrateBody names two projects.
type migrateBody struct {
	Old string `json:"old_project" required:"true" doc:"whose memories, sessions and prompts move"`
	New string `json:"new_project" required:"true" doc:"where to"`
}

func (a *API) migrateProject(q request, in migrateBody) (reply, error) {
	if blank(in.Old, in.New) {
		return reply{}, invalid("old_project and new_project are required")
	}
	if project.Normalize(in.Old) == project.Normalize(in.New) {
		return reply{body: skipped{"skipped", "names are identical"}}, nil
	}
	res, err := a.Engine.MergeProjects(q.Context(), []string{in.Old}, in.New)
	if err == nil && res.Memories+res.Sessions+res.Prompts == 0 {
		return reply{body: skipped{"skipped", "no records found"}}, nil
	}
	return reply{body: migrated{"migrated", redact.Private(in.Old), redact.Private(in.New), res.Memories, res.Sessions, res.Prompts}}, err
}
