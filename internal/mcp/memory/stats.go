package memory

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type statsArgs struct {
	Project string `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

type counted struct {
	Project       string  `json:"project_id"`
	Memories      int     `json:"memory_count"`
	Relationships int     `json:"relationship_count"`
	AvgRelevance  float64 `json:"avg_relevance" doc:"mean strength now, 0 to 1"`
	// Elsewhere says what is in other projects, where there are no memories in this one.
	Elsewhere string `json:"elsewhere,omitempty" schema:"-"`
}

// PlainText is the counts in a line.
func (c counted) PlainText() (string, bool) {
	said := fmt.Sprintf("Project %q: %d memories, %d relationships, average relevance %.3f", c.Project, c.Memories, c.Relationships, c.AvgRelevance)
	if c.Elsewhere != "" {
		said += "\n" + c.Elsewhere
	}
	return said, true
}

func (d *Dialect) stats(ctx context.Context, by tool.Caller, a statsArgs) (counted, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return counted{}, err
	}
	v, err := d.as(by).Overview(ctx, at.Name)
	if err != nil {
		return counted{}, err
	}
	out := counted{v.Project, v.Memories, v.Relations, document.Thousandths(v.Strength), ""}
	if out.Memories == 0 {
		out.Elsewhere, err = d.nothing(ctx, by, at.Name)
	}
	return out, err
}
