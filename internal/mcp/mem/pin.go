package mem

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// pinArgs name the memory; either way of naming it is known from the other tools.
type pinArgs struct {
	ID    tool.ID `json:"id" required:"schema"`
	Alias tool.ID `json:"observation_id" schema:"-"`
}

// What the dialect calls pinned is a memory that does not fade.
func (d *dialect) pin(ctx context.Context, by tool.Caller, a pinArgs) (message, error) {
	return d.setPinned(ctx, by, a, true, "pin")
}

func (d *dialect) unpin(ctx context.Context, by tool.Caller, a pinArgs) (message, error) {
	return d.setPinned(ctx, by, a, false, "unpin")
}

func (d *dialect) setPinned(ctx context.Context, by tool.Caller, a pinArgs, pinned bool, verb string) (message, error) {
	if a.ID == 0 {
		a.ID = a.Alias
	}
	if a.ID == 0 {
		return message{}, invalid("id is required for mem_" + verb)
	}
	m, err := d.as(by).Update(ctx, engine.UpdateInput{Ref: engram.ByNum(int64(a.ID)), Permanent: &pinned})
	if err != nil {
		return message{}, &tool.Failure{Text: "Failed to " + verb + " memory: " + reason(err), Err: err}
	}
	return d.here(ctx, fmt.Sprintf("Memory %sned: #%d %q", verb, m.Num, m.Title)), nil
}
