package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type decayArgs struct {
	ID      tool.ID `json:"observation_id" doc:"only this one"`
	Project string  `json:"project" doc:"default: this folder's"`
	Limit   int     `json:"limit" default:"10" min:"1" max:"100" lax:"true"`
	Below   float64 `json:"below" doc:"only what is weaker" min:"0" max:"1"`
	Days    int     `json:"days" doc:"how far ahead" default:"30" min:"1" max:"3650"`
}

func (d *dialect) decay(ctx context.Context, by tool.Caller, a decayArgs) (message, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return message{}, err
	}
	in := engine.DecayInput{Filter: engram.Filter{Project: at.Name}, Limit: a.Limit, Days: a.Days, Below: a.Below}
	if a.ID != 0 {
		in.Refs = []engram.Ref{engram.ByNum(int64(a.ID))}
	}
	out, err := d.as(by).Decay(ctx, in)
	if err != nil {
		return message{}, &tool.Failure{Text: "Failed to tell strengths: " + reason(err), Err: err}
	}
	if len(out.Memories) == 0 {
		nothing, err := d.nothing(ctx, by, at.Name)
		return message{envelope: enveloped(at, nothing)}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Strength now, and in %d days, the weakest first (%d of %d):", out.Days, len(out.Memories), out.Total)
	for _, f := range out.Memories {
		fmt.Fprintf(&b, "\n%.2f → %.2f  #%d [%s] %s | %s", f.Now, f.Later, f.Memory.Num, render.Line(string(f.Memory.Type), 0), render.Line(f.Memory.Title, 0), f.Reason)
	}
	return message{envelope: enveloped(at, b.String())}, nil
}
