package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type storeBatchArgs struct {
	Memories []draft `json:"memories" required:"true" min:"1" max:"100"`
	Project  string  `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

type storedBatch struct {
	IDs      []string `json:"ids" doc:"in the order given"`
	Warnings []string `json:"warnings"`
}

// PlainText lists the ids.
func (s storedBatch) PlainText() (string, bool) {
	return withWarnings(fmt.Sprintf("Stored %d: %s", len(s.IDs), strings.Join(s.IDs, ", ")), s.Warnings), true
}

func (d *Dialect) storeBatch(ctx context.Context, by tool.Caller, a storeBatchArgs) (storedBatch, error) {
	at, err := d.writing(ctx, a.Project)
	if err != nil {
		return storedBatch{}, err
	}
	all, err := d.as(by).SaveBatchOf(ctx, len(a.Memories), func(i int) (engine.SaveInput, error) {
		return d.input(ctx, at, fmt.Sprintf("memories[%d].", i), a.Memories[i])
	})
	if err != nil {
		return storedBatch{}, err
	}
	out := storedBatch{IDs: make([]string, len(all)), Warnings: []string{}}
	for i, res := range all {
		out.IDs[i] = string(res.Memory.ID)
		for _, w := range warningsOf(at, res) {
			out.Warnings = append(out.Warnings, out.IDs[i]+": "+w)
		}
	}
	return out, nil
}
