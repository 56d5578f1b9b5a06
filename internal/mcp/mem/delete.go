package mem

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type deleteArgs struct {
	ID   tool.ID `json:"id" required:"true"`
	Hard bool    `json:"hard_delete" default:"false"`
}

type deleted struct {
	ID       int64    `json:"id"`
	Hard     bool     `json:"hard_delete"`
	HeldBy   []string `json:"held_by,omitempty"`  // copies that an erase does not reach
	Degraded []string `json:"degraded,omitempty"` // says where copies could not be looked for
}

// PlainText returns the dialect's sentence.
func (r deleted) PlainText() (string, bool) {
	if r.Hard {
		text := fmt.Sprintf("Memory #%d permanently deleted", r.ID)
		if len(r.HeldBy) > 0 {
			text += "\nThe text is still held by: " + strings.Join(r.HeldBy, ", ")
		}
		for _, warning := range r.Degraded {
			text += "\nWarning: " + warning
		}
		return text, true
	}
	return fmt.Sprintf("Memory #%d soft-deleted", r.ID), true
}

func (d *dialect) delete(ctx context.Context, by tool.Caller, a deleteArgs) (deleted, error) {
	res, err := d.As(by).Delete(ctx, a.Hard, engram.ByNum(int64(a.ID)))
	if engram.CodeOf(err) == engram.CodeNotFound {
		return deleted{}, &tool.Failure{Text: "Failed to delete memory: observation not found", Err: err}
	}
	out := deleted{ID: int64(a.ID), Hard: a.Hard, Degraded: res.Degraded}
	for _, t := range res.HeldBy {
		out.HeldBy = append(out.HeldBy, fmt.Sprintf("%s %s", t.Kind, t.Where))
	}
	return out, worded("Failed to delete memory", err)
}

// pinArgs name the memory, by either of the names known from other tools.
type pinArgs struct {
	ID    tool.ID `json:"id" required:"schema"`
	Alias tool.ID `json:"observation_id" schema:"-"`
}

// pinning returns the tool that pins or unpins. Pinned memories do not fade.
func (d *dialect) pinning(pinned bool, verb string) func(context.Context, tool.Caller, pinArgs) (message, error) {
	return func(ctx context.Context, by tool.Caller, a pinArgs) (message, error) {
		id := cmp.Or(a.ID, a.Alias)
		if id == 0 {
			return message{}, invalid("id is required for mem_" + verb)
		}
		m, err := d.As(by).Update(ctx, remember.UpdateInput{Ref: engram.ByNum(int64(id)), Permanent: &pinned})
		if err != nil {
			return message{}, worded("Failed to "+verb+" memory", err)
		}
		return d.here(ctx, fmt.Sprintf("Memory %sned: #%d %q", verb, m.Num, m.Title)), nil
	}
}

type undoArgs struct {
	Op        int64  `json:"op" doc:"number of the operation; default: the latest" min:"0"`
	From      int64  `json:"from" doc:"with to: several" min:"0"`
	To        int64  `json:"to" min:"0"`
	Operation string `json:"verb" doc:"with from and to: only these"`
	Project   string `json:"project"`
	DryRun    bool   `json:"dry_run"`
}

type undone struct {
	envelope
	Undone int64    `json:"undone"`
	Op     int64    `json:"op"`
	Left   []string `json:"left,omitempty"`
}

func (d *dialect) undo(ctx context.Context, by tool.Caller, a undoArgs) (undone, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return undone{}, err
	}
	if a.From > 0 || a.To > 0 {
		return d.undoRange(ctx, by, a, at)
	}
	u, err := d.As(by).Undo(ctx, undo.UndoInput{Op: a.Op, Project: at.Name, DryRun: a.DryRun})
	return undone{enveloped(at, strings.TrimSpace(render.Undone(u, a.DryRun))), u.Undone.Op, u.Op, u.Left}, err
}

func (d *dialect) undoRange(ctx context.Context, by tool.Caller, a undoArgs, at projects.ProjectInForce) (undone, error) {
	list, err := d.As(by).UndoRange(ctx, undo.UndoRangeInput{First: a.From, Last: a.To, Operation: a.Operation, Project: at.Name, DryRun: a.DryRun, Progress: by.Progress.Of("undoing")})
	var text strings.Builder
	var out undone
	for _, u := range list {
		text.WriteString(render.Undone(u, a.DryRun))
		out.Undone, out.Op, out.Left = u.Undone.Op, u.Op, append(out.Left, u.Left...)
	}
	out.envelope = enveloped(at, strings.TrimSpace(text.String()))
	return out, err
}

type logArgs struct {
	ID        tool.ID `json:"id"`
	Operation string  `json:"verb" doc:"such as save, sleep, undo"`
	Since     string  `json:"since" doc:"7d, yesterday, 2026-01-31"`
	Actor     string  `json:"actor" schema:"-"` // cli, http, mcp:NAME
	Project   string  `json:"project"`
	All       bool    `json:"all_projects"`
	Limit     int     `json:"limit" default:"20" min:"1" max:"100" lax:"true"`
}

func (d *dialect) log(ctx context.Context, by tool.Caller, a logArgs) (message, error) {
	in := read.LogInput{Operation: a.Operation, Actor: a.Actor, Page: engram.Page{Limit: a.Limit}}
	var err error
	if in.Since, err = d.when("since", a.Since); err != nil {
		return message{}, err
	}
	if a.ID != 0 {
		in.Ref = new(engram.ByNum(int64(a.ID)))
	}
	at := everywhere()
	if !a.All {
		if at, err = d.reading(ctx, a.Project); err != nil {
			return message{}, err
		}
	}
	in.Project = at.Name
	entries, begins, err := d.As(by).Log(ctx, in)
	if err != nil {
		return message{}, err
	}
	if verb := strings.TrimSpace(a.Operation); len(entries) == 0 && verb != "" {
		return message{envelope: enveloped(at, fmt.Sprintf("No operation named %q was found; mem_log without verb lists them.", echo(verb)))}, nil
	}
	text := strings.TrimSpace(render.Log(entries, begins, d.text))
	if len(entries) == 0 {
		nothing, err := d.nothing(ctx, by, in.Project, false)
		if err != nil {
			return message{}, err
		}
		text += "\n" + nothing
	}
	return message{envelope: enveloped(at, text)}, nil
}
