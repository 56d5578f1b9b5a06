package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

func (a *API) currentProject(q *route.Request) (route.Reply, error) {
	in := a.folder(q)
	at, err := a.Engine.ProjectFor(q.Context(), in)
	out := document.CurrentProject{Project: at.Name, Source: string(at.Source), Path: at.Path, Cwd: in.Dir, Available: at.Available, Warning: at.Warning}
	if err != nil {
		out.Project, out.ErrorHint = "", route.MessageOf(err)
		if hint := hintOf(err); hint != "" {
			out.ErrorHint += "; " + hint
		}
		if p, ok := errors.AsType[*project.Problem](err); ok {
			out.Available = p.Available
		}
	}
	// A folder that the caller named may contain anything.
	out.Project, out.Path, out.Cwd = redact.Private(out.Project), redact.Private(out.Path), redact.Private(out.Cwd)
	out.Available = document.OrEmpty(out.Available)
	return route.Reply{Body: out}, nil
}

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

func (a *API) projects(q *route.Request) (route.Reply, error) {
	list, err := a.Engine.Projects(q.Context())
	return route.Reply{Body: projectsDoc{document.Each(list, func(p engram.ProjectCounts) projectDoc {
		return projectDoc{p.Name, document.OrEmpty(p.Aliases), p.Memories, p.Sessions, p.Prompts}
	})}}, err
}

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

type migrateBody struct {
	Old string `json:"old_project" required:"true" doc:"the project to move from"`
	New string `json:"new_project" required:"true" doc:"the project to move to"`
}

func (a *API) migrateProject(q *route.Request, in migrateBody) (route.Reply, error) {
	if blank(in.Old, in.New) {
		return route.Reply{}, route.Invalid("old_project and new_project are required")
	}
	if project.Normalize(in.Old) == project.Normalize(in.New) {
		return route.Reply{Body: skipped{"skipped", "names are identical"}}, nil
	}
	res, err := a.Engine.MergeProjects(q.Context(), []string{in.Old}, in.New)
	if err == nil && res.Memories+res.Sessions+res.Prompts == 0 {
		return route.Reply{Body: skipped{"skipped", "no records found"}}, nil
	}
	return route.Reply{Body: migrated{"migrated", redact.Private(in.Old), redact.Private(in.New), res.Memories, res.Sessions, res.Prompts}}, err
}

// syncStatus is the state of replication in the words of older clients. Where they expect a replication server,
// it reports the chunks in the repository of the server's folder.
type syncStatus struct {
	Enabled   bool        `json:"enabled"`
	Phase     string      `json:"phase"` // disabled, healthy, pending or degraded
	LastError string      `json:"last_error"`
	Failures  int         `json:"consecutive_failures"`
	Backoff   *clock      `json:"backoff_until"` // always null
	LastSync  *clock      `json:"last_sync_at"`  // null: never
	Reason    string      `json:"reason_code"`
	Message   string      `json:"reason_message"`
	Deferred  int         `json:"deferred_count"`
	Dead      int         `json:"dead_count"`
	Upgrade   syncUpgrade `json:"upgrade"`
	Chunks    *syncChunks `json:"chunks,omitempty"` // of the repository; absent when it has none of this project
}

// syncUpgrade is the progress of a migration to a server.
type syncUpgrade struct {
	Stage   string `json:"stage"`
	Reason  string `json:"reason_code"`
	Message string `json:"reason_message"`
}

// syncChunks counts the chunks in .engram of the repository.
type syncChunks struct {
	Local    int `json:"local"`          // imported or written here
	Remote   int `json:"remote"`         // present there
	Pending  int `json:"pending_import"` // of Remote: not imported yet
	Unpushed int `json:"not_exported"`   // things in none of them
}

func (a *API) syncStatus(q *route.Request) (route.Reply, error) {
	const reason, message = "cloud_not_configured", "no server to replicate with is configured"
	s := syncStatus{Phase: "disabled", Reason: reason, Message: message, Upgrade: syncUpgrade{Stage: "none", Reason: reason, Message: message}}
	if err := project.CheckText(q.Query.Get("project")); err != nil {
		return route.Reply{}, err
	}
	here, err := a.Engine.ProjectFor(q.Context(), projects.ProjectRequest{Override: a.Project, Dir: a.Dir, Lenient: true})
	if err != nil {
		return route.Reply{}, err
	}
	name := a.canonical(q.Context(), cmp.Or(q.Query.Get("project"), here.Name))
	if err := a.countDeferred(q.Context(), name, &s.Deferred, &s.Dead); err != nil {
		return route.Reply{}, err
	}
	if a.Chunks == nil || name != a.canonical(q.Context(), here.Name) {
		return route.Reply{Body: s}, nil
	}
	remote, err := a.Chunks(q.Context(), name)
	if err != nil {
		return route.Reply{}, err
	}
	st, err := a.Engine.RemoteStatus(q.Context(), remote, name)
	if engram.CodeOf(err) == engram.CodeForbidden { // the folder is a link: a state to report, not a fault of the request
		st.Trouble, err = []engram.ImportNote{{Item: remote.Name(), Reason: route.MessageOf(err)}}, nil
	}
	if err != nil {
		return route.Reply{}, err
	}
	if st.Batches > 0 || len(st.Trouble) > 0 {
		s.report(st)
	}
	return route.Reply{Body: s}, nil
}

// canonical returns the project that has this name or alias; the name itself where none does.
func (a *API) canonical(ctx context.Context, name string) string {
	in, err := a.Engine.ProjectFor(ctx, projects.ProjectRequest{Explicit: name})
	if err != nil || name == "" {
		return name
	}
	return in.Name
}

// report fills in the state of a repository's chunks.
func (s *syncStatus) report(st sync.RemoteStatus) {
	u := st.Unpushed
	s.Chunks = &syncChunks{st.Pulled, st.Batches, st.Pending, u.Sessions + u.Memories + u.Prompts + u.Relations + u.Erased}
	s.Enabled, s.Phase, s.Reason, s.Message = true, "healthy", "", ""
	switch {
	case len(st.Trouble) > 0:
		t := st.Trouble[0]
		s.Phase, s.Reason, s.LastError = "degraded", "transport_failed", t.Item+": "+t.Reason
		s.Message = fmt.Sprintf("chunks of the repository that cannot be used: %d", len(st.Trouble))
	case s.Chunks.Pending > 0 || s.Chunks.Unpushed > 0:
		s.Phase = "pending"
		s.Message = fmt.Sprintf("%d chunks to import, %d things to export", s.Chunks.Pending, s.Chunks.Unpushed)
	}
}

// statsDoc is the answer of GET /stats: the fields that plugins read, and with by the groups.
type statsDoc struct {
	Sessions     int                 `json:"total_sessions"`
	Observations int                 `json:"total_observations"`
	Prompts      int                 `json:"total_prompts"`
	Projects     []string            `json:"projects"`
	Vectors      *document.Vectors   `json:"vectors,omitempty"` // while memories lack one of the embedding model
	By           string              `json:"by,omitempty"`
	Since        *document.Timestamp `json:"since,omitempty"`  // of groups; absent: from the beginning
	Groups       []document.Group    `json:"groups,omitempty"` // by project and type the largest first; else oldest first
}

func (a *API) stats(q *route.Request) (route.Reply, error) {
	by := q.Query.Get("by")
	since := q.When("since", a.Engine.Now())
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	e, err := a.Engine.Embedded(q.Context())
	if err != nil {
		return route.Reply{}, err
	}
	var vectors *document.Vectors
	if !e.Complete() {
		vectors = new(document.VectorsOf(e))
	}
	if blank(by) {
		s, err := a.Engine.Stats(q.Context(), "")
		return route.Reply{Body: statsDoc{Sessions: s.Sessions, Observations: s.Memories, Prompts: s.Prompts, Projects: document.OrEmpty(s.Projects), Vectors: vectors}}, err
	}
	in := read.StatsInput{Project: q.Query.Get("project"), By: engram.Grouping(by), Since: since}
	s, err := a.Engine.StatsOver(q.Context(), in)
	doc := statsDoc{Sessions: s.Sessions, Observations: s.Memories, Prompts: s.Prompts, Projects: document.OrEmpty(s.Projects), Vectors: vectors,
		By: string(s.By), Groups: document.Each(s.Groups, document.GroupOf)}
	if !s.Since.IsZero() {
		doc.Since = new(document.Timestamp(s.Since))
	}
	return route.Reply{Body: doc}, err
}
