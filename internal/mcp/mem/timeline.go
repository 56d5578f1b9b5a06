package mem

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

//go:embed timeline.md
var timelineProse string

func (d *dialect) timelineTool() tool.Tool {
	return tool.New(tool.Def{Name: "mem_timeline", Title: "Memory timeline", Prose: timelineProse, Effect: tool.Reads,
		Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.timeline)
}

type timelineArgs struct {
	ID      tool.ID `json:"observation_id" required:"true"`
	Before  int     `json:"before" default:"5" min:"0" max:"100" lax:"true"`
	After   int     `json:"after" default:"5" min:"0" max:"100" lax:"true"`
	Project string  `json:"project"`
}

func (d *dialect) timeline(ctx context.Context, by tool.Caller, a timelineArgs) (message, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return message{}, err
	}
	t, err := d.as(by).Timeline(ctx, engram.ByNum(int64(a.ID)), a.Before, a.After)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return message{}, &tool.Failure{Text: fmt.Sprintf("Timeline error: timeline: observation #%d not found", a.ID), Err: err}
	}
	if err != nil {
		return message{}, &tool.Failure{Text: "Timeline error: " + reason(err), Err: err}
	}
	return message{envelope: enveloped(at, render.Timeline(t, d.text))}, nil
}
