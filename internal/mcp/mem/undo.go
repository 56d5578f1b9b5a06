package mem

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type undoArgs struct {
	Op      int64  `json:"op" doc:"number of the operation; default: the latest" min:"0"`
	From    int64  `json:"from" doc:"with to: several" min:"0"`
	To      int64  `json:"to" min:"0"`
	Verb    string `json:"verb" doc:"with from and to: only these"`
	Project string `json:"project"`
	DryRun  bool   `json:"dry_run"`
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
	u, err := d.as(by).Undo(ctx, engine.UndoInput{Op: a.Op, Project: at.Name, DryRun: a.DryRun})
	if err != nil {
		return undone{}, err
	}
	return undone{enveloped(at, strings.TrimSpace(render.Undone(u, a.DryRun))), u.Undone.Op, u.Op, u.Left}, nil
}

func (d *dialect) undoRange(ctx context.Context, by tool.Caller, a undoArgs, at engine.ProjectInForce) (undone, error) {
	list, err := d.as(by).UndoRange(ctx, engine.UndoRangeInput{First: a.From, Last: a.To, Verb: a.Verb, Project: at.Name, DryRun: a.DryRun, Progress: by.Progress.Of("undoing")})
	if err != nil {
		return undone{}, err
	}
	var text strings.Builder
	out := undone{Undone: list[len(list)-1].Undone.Op}
	for _, u := range list {
		text.WriteString(render.Undone(u, a.DryRun))
		out.Op, out.Left = u.Op, append(out.Left, u.Left...)
	}
	out.envelope = enveloped(at, strings.TrimSpace(text.String()))
	return out, nil
}
