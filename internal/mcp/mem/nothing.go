package mem

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

// nothing is the line of an answer in which nothing was found.
func (d *dialect) nothing(ctx context.Context, by tool.Caller, project string) (string, error) {
	n, err := d.as(by).Nothing(ctx, project)
	return render.Nothing(n, "mem_search with all_projects: true", "mem_save"), err
}
