package mem

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

//go:embed get.md
var getProse string

func (d *dialect) getTool() tool.Tool {
	return tool.New(tool.Def{Name: "mem_get_observation", Title: "Read a memory", Prose: getProse, Effect: tool.Reads,
		Idempotent: true, Profiles: []string{agent}}, d.get)
}

type getArgs struct {
	ID tool.ID `json:"id" required:"true"`
}

func (d *dialect) get(ctx context.Context, by tool.Caller, a getArgs) (message, error) {
	detail, err := d.as(by).GetIn(ctx, d.asking.now(), engram.ByNum(int64(a.ID)))
	if engram.CodeOf(err) == engram.CodeNotFound {
		return message{}, &tool.Failure{Text: fmt.Sprintf("Observation #%d not found", a.ID), Err: err}
	}
	if err != nil {
		return message{}, err
	}
	return d.here(ctx, render.Memory(detail.Memory, d.text)), nil
}

// here wraps text in the project of the working folder; where that has none, the text
// stands alone, because it does not depend on it.
func (d *dialect) here(ctx context.Context, text string) message {
	at, err := d.reading(ctx, "")
	if err != nil {
		return message{envelope: envelope{Result: text}, bare: true}
	}
	return message{envelope: enveloped(at, text)}
}
