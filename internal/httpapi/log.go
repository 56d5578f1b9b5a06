package httpapi

import (
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// log answers what was written, newest first; ref narrows it to one memory.
func (a *API) log(q request) (reply, error) {
	in := engine.LogInput{Project: q.query.Get("project"), Actor: q.query.Get("actor"), Verb: q.query.Get("verb")}
	var err error
	if name := q.query.Get("ref"); name != "" {
		ref, err := engram.ParseRef(name)
		if err != nil {
			return reply{}, err
		}
		in.Ref = &ref
	}
	if err := a.known(q, in.Project); err != nil {
		return reply{}, err
	}
	if in.Since, err = q.when("since", a.Engine.Now()); err != nil {
		return reply{}, err
	}
	if in.Until, err = q.when("until", a.Engine.Now()); err != nil {
		return reply{}, err
	}
	if in.Page.Limit, err = q.number("limit"); err != nil {
		return reply{}, err
	}
	if in.Page.Offset, err = q.number("offset"); err != nil {
		return reply{}, err
	}
	entries, begins, err := a.Engine.Log(q.Context(), in)
	return reply{body: document.Log{Begins: document.Stamp(begins), Operations: document.Each(entries, document.OperationOf)}}, err
}

// undoBody says what to take back: op, the latest of a project or of all, or a stretch.
type undoBody struct {
	Op      *int64 `json:"op" min:"1" doc:"an operation; GET /log has the numbers"`
	From    *int64 `json:"from" min:"1" doc:"with to: the first of several"`
	To      *int64 `json:"to" min:"1" doc:"with from: the last of several"`
	Verb    string `json:"verb" doc:"of several only those of this verb"`
	Project string `json:"project" doc:"the latest operation here"`
	All     bool   `json:"all_projects" default:"false" doc:"the latest operation anywhere"`
	DryRun  bool   `json:"dry_run" default:"false" doc:"change nothing, and say what would be"`
}

// undo takes an operation back: op, or the latest of a project; with from and to,
// several, of a verb where one is named.
func (a *API) undo(q request, in undoBody) (reply, error) {
	switch {
	case in.From != nil && in.To != nil:
		list, err := a.Engine.UndoRange(q.Context(), engine.UndoRangeInput{First: *in.From, Last: *in.To, Verb: in.Verb, Project: in.Project, DryRun: in.DryRun})
		doc := undoneDoc{in.DryRun, document.Each(list, func(u engram.Undone) document.Undone { return document.UndoneOf(u, in.DryRun) })}
		return reply{body: doc}, err
	case in.Op == nil && in.Project == "" && !in.All:
		return reply{}, invalid("nothing says what to undo").WithHint("op, project for its latest operation, or all_projects; GET /log has the numbers")
	case in.Op != nil && *in.Op < 1:
		return reply{}, invalid("operation %d does not exist", *in.Op).WithHint("GET /log has the numbers")
	}
	undo := engine.UndoInput{Project: in.Project, DryRun: in.DryRun}
	if in.Op != nil {
		undo.Op = *in.Op
	}
	u, err := a.Engine.Undo(q.Context(), undo)
	return reply{body: document.UndoneOf(u, in.DryRun)}, err
}

// undoneDoc is the answer of POST /undo with from and to.
type undoneDoc struct {
	DryRun bool              `json:"dry_run"`
	Undone []document.Undone `json:"undone"` // the latest first
}

// history answers what a memory said over time; with from and to, what changed between
// two of its versions.
func (a *API) history(q request) (reply, error) {
	ref, err := q.ref()
	if err != nil {
		return reply{}, err
	}
	h, err := a.Engine.History(q.Context(), ref)
	if err != nil {
		return reply{}, err
	}
	if !q.query.Has("from") && !q.query.Has("to") {
		return reply{body: document.HistoryOf(h)}, nil
	}
	var versions [2]engram.Version
	for i, name := range []string{"from", "to"} {
		number, err := q.number(name)
		if err != nil {
			return reply{}, err
		}
		if versions[i], err = h.Version(number); err != nil {
			return reply{}, err
		}
	}
	from, to := versions[0], versions[1]
	return reply{body: document.Diff{From: from.Number, To: to.Number, Diff: render.Diff(render.VersionText(from), render.VersionText(to))}}, nil
}

// restoreBody names a version of a memory.
type restoreBody struct {
	Ref     string `json:"ref" required:"true" doc:"a memory: its number, its id or topic:KEY"`
	Version int    `json:"version" required:"true" min:"1" doc:"GET /history/{ref} has them"`
}

// restore lets a memory say again what it said in an earlier version.
func (a *API) restore(q request, in restoreBody) (reply, error) {
	if strings.TrimSpace(in.Ref) == "" || in.Version < 1 {
		return reply{}, invalid("ref and version are required").WithHint("GET %s has the versions", "/history/{ref}")
	}
	ref, err := engram.ParseRef(in.Ref)
	if err != nil {
		return reply{}, err
	}
	m, err := a.Engine.Restore(q.Context(), ref, in.Version)
	return reply{body: changedDoc{document.MemoryOf(m, a.Engine.StateOf(m))}}, err
}
