package mem

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type diagnosticsArgs struct {
	Project string `json:"project" doc:"default: this folder's"`
	Limit   int    `json:"limit" doc:"of each list" default:"10" min:"1" max:"100" lax:"true"`
}

func (d *dialect) diagnostics(ctx context.Context, by tool.Caller, a diagnosticsArgs) (message, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return message{}, err
	}
	out, err := d.as(by).Diagnose(ctx, engine.DiagnosticsInput{Project: at.Name, Limit: a.Limit, Progress: by.Progress})
	if err != nil {
		return message{}, err
	}
	return message{envelope: enveloped(at, render.Diagnosed(out))}, nil
}
