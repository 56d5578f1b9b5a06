package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type deleteArgs struct {
	ID string `json:"id" required:"true"`
}

type deleted struct {
	Deleted bool   `json:"deleted"`
	ID      string `json:"id"`
}

// PlainText says which memory was deleted.
func (g deleted) PlainText() (string, bool) { return "Deleted: " + g.ID, true }

func (d *Dialect) delete(ctx context.Context, by tool.Caller, a deleteArgs) (deleted, error) {
	ref, err := d.ref(ctx, "id", a.ID)
	if err != nil {
		return deleted{}, err
	}
	gone, err := d.as(by).Forget(ctx, ref)
	if err != nil {
		return deleted{}, err
	}
	return deleted{true, string(gone[0].ID)}, nil
}

type deleteBatchArgs struct {
	IDs []string `json:"ids" required:"true" min:"1" max:"1000" ref:"true"`
}

type deletedBatch struct {
	Deleted  int      `json:"deleted"`
	NotFound []string `json:"not_found"`
}

// PlainText says how many were deleted, and what was not found.
func (g deletedBatch) PlainText() (string, bool) {
	text := fmt.Sprintf("Deleted: %d", g.Deleted)
	if len(g.NotFound) > 0 {
		text += "\nNot found: " + strings.Join(g.NotFound, ", ")
	}
	return text, true
}

func (d *Dialect) deleteBatch(ctx context.Context, by tool.Caller, a deleteBatchArgs) (deletedBatch, error) {
	refs, err := d.refs(ctx, "ids", a.IDs)
	if err != nil {
		return deletedBatch{}, err
	}
	gone, unknown, err := d.as(by).ForgetKnown(ctx, refs...)
	if err != nil {
		return deletedBatch{}, err
	}
	out := deletedBatch{Deleted: len(gone), NotFound: []string{}}
	for _, i := range unknown {
		out.NotFound = append(out.NotFound, a.IDs[i])
	}
	return out, nil
}
