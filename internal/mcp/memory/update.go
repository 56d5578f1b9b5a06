package memory

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type updateArgs struct {
	ID         string    `json:"id" required:"true" ref:"true"`
	Content    *string   `json:"content"`
	Importance *float64  `json:"importance" min:"0" max:"1"`
	Tags       *[]string `json:"tags" doc:"in place of those it has"`
	Type       *string   `json:"type"`
}

// updated is the memory as it is now.
type updated struct{ told }

// PlainText shows the memory.
func (u updated) PlainText() (string, bool) { return "Updated: " + u.block(), true }

func (d *Dialect) update(ctx context.Context, by tool.Caller, a updateArgs) (updated, error) {
	ref, err := d.ref(ctx, "id", a.ID)
	if err != nil {
		return updated{}, err
	}
	in := engine.UpdateInput{Ref: ref, Content: a.Content, Importance: a.Importance, Tags: a.Tags}
	if a.Type != nil {
		in.Type = new(engram.Type(*a.Type))
	}
	m, err := d.as(by).Update(ctx, in)
	if err != nil {
		return updated{}, err
	}
	return updated{toldOf(m.Memory, engram.Note{State: d.engine.StateOf(m.Memory)})}, nil
}
