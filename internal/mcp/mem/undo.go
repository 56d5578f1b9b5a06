package mem

import (
	"context"
	_ "embed"
	"strings"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

//go:embed undo.md
var undoProse string

func (d *dialect) undoTool() tool.Tool {
	return tool.New(tool.Def{Name: "mem_undo", Title: "Undo", Prose: undoProse, Effect: tool.Writes,
		Deferred: true, Profiles: []string{admin}}, d.undo)
}

type undoArgs struct {
	Op      int64  `json:"op" doc:"number of the operation; default: the latest" min:"0"`
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
	u, err := d.as(by).Undo(ctx, engine.UndoInput{Op: a.Op, Project: at.Name, DryRun: a.DryRun})
	if err != nil {
		return undone{}, err
	}
	return undone{enveloped(at, strings.TrimSpace(render.Undone(u, a.DryRun))), u.Undone.Op, u.Op, u.Left}, nil
}
