package mem

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type timelineArgs struct {
	ID      tool.ID `json:"observation_id" required:"true"`
	Before  int     `json:"before" default:"5" min:"0" max:"100" lax:"true"`
	After   int     `json:"after" default:"5" min:"0" max:"100" lax:"true"`
	Project string  `json:"project"`
}

// around is the answer of mem_timeline: in words, and beside them which memories those are.
type around struct {
	message
	Focus  *observation  `json:"focus,omitempty" schema:"-"`
	Before []observation `json:"before,omitempty" schema:"-"` // the oldest first, as After is; without what they say
	After  []observation `json:"after,omitempty" schema:"-"`
}

// InText returns the words alone.
func (a around) InText() any { return a.message }

func (d *dialect) timeline(ctx context.Context, by tool.Caller, a timelineArgs) (around, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return around{}, err
	}
	t, err := d.as(by).Timeline(ctx, engram.ByNum(int64(a.ID)), a.Before, a.After)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return around{}, &tool.Failure{Text: fmt.Sprintf("Timeline error: timeline: observation #%d not found", a.ID), Err: err}
	}
	if err != nil {
		return around{}, &tool.Failure{Text: "Timeline error: " + reason(err), Err: err}
	}
	one := func(m engram.Memory) observation { return d.observationOf(m, t.Notes[m.Num], -1) }
	focus := one(t.Focus)
	return around{message{envelope: enveloped(at, render.Timeline(t, d.text))}, &focus, document.Each(t.Before, one), document.Each(t.After, one)}, nil
}
