package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type deleteArgs struct {
	ID   tool.ID `json:"id" required:"true"`
	Hard bool    `json:"hard_delete" default:"false"`
}

type deleted struct {
	ID   int64 `json:"id"`
	Hard bool  `json:"hard_delete"`
	// HeldBy are copies that an erase does not reach.
	HeldBy []string `json:"held_by,omitempty"`
	// Degraded says where copies may be that could not be looked for.
	Degraded []string `json:"degraded,omitempty"`
}

// PlainText returns the sentence the dialect answers with.
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
	gone, err := d.as(by).Delete(ctx, a.Hard, engram.ByNum(int64(a.ID)))
	if engram.CodeOf(err) == engram.CodeNotFound {
		return deleted{}, &tool.Failure{Text: "Failed to delete memory: observation not found", Err: err}
	}
	if err != nil {
		return deleted{}, &tool.Failure{Text: "Failed to delete memory: " + reason(err), Err: err}
	}
	out := deleted{ID: int64(a.ID), Hard: a.Hard, Degraded: gone.Degraded}
	for _, t := range gone.HeldBy {
		out.HeldBy = append(out.HeldBy, fmt.Sprintf("%s %s", t.Kind, t.Where))
	}
	return out, nil
}
