package memory

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

// nothing is the sentence of an answer in which nothing was found.
func (d *Dialect) nothing(ctx context.Context, by tool.Caller, project string) (string, error) {
	n, err := d.as(by).Nothing(ctx, project)
	return render.Nothing(n, "ask with the project of one of them", "memory_store"), err
}
