package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type historyArgs struct {
	ID      tool.ID `json:"id" required:"true"`
	Version *int    `json:"version" doc:"show this one whole" min:"1"`
	From    *int    `json:"from" doc:"version" min:"1"`
	To      *int    `json:"to" doc:"version; default: now" min:"1"`
	Restore *int    `json:"restore" doc:"version to restore" min:"1"`
}

func (d *dialect) history(ctx context.Context, by tool.Caller, a historyArgs) (message, error) {
	ref := engram.ByNum(int64(a.ID))
	if a.Restore != nil {
		m, err := d.as(by).Restore(ctx, ref, *a.Restore)
		if err != nil {
			return message{}, err
		}
		return d.here(ctx, fmt.Sprintf("Memory restored: #%d %q says what it said in version %d", m.Num, m.Title, *a.Restore)), nil
	}
	h, err := d.as(by).History(ctx, ref)
	if err != nil {
		return message{}, err
	}
	if a.Version != nil {
		v, err := h.Version(*a.Version)
		if err != nil {
			return message{}, err
		}
		return d.here(ctx, render.VersionText(v)), nil
	}
	if a.From == nil && a.To == nil {
		return d.here(ctx, strings.TrimSpace(render.History(h, d.text))), nil
	}
	numbers := [2]int{-1, 0}
	for i, n := range []*int{a.From, a.To} {
		if n != nil {
			numbers[i] = *n
		}
	}
	from, err := h.Version(numbers[0])
	if err != nil {
		return message{}, err
	}
	to, err := h.Version(numbers[1])
	if err != nil {
		return message{}, err
	}
	return d.here(ctx, strings.TrimSpace(render.VersionDiff(from, to))), nil
}
