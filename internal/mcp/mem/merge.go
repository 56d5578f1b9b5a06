package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type mergeArgs struct {
	From []string `json:"from" doc:"names" required:"schema"`
	To   string   `json:"to" required:"schema"`
}

type merged struct {
	To           string `json:"to"`
	Sources      int    `json:"sources"`
	Observations int    `json:"observations"`
	Sessions     int    `json:"sessions"`
	Prompts      int    `json:"prompts"`
}

// PlainText returns the table the dialect answers with.
func (m merged) PlainText() (string, bool) {
	return fmt.Sprintf("Merged %d source(s) into %q:\n  Observations moved: %d\n  Sessions moved:     %d\n  Prompts moved:      %d\n",
		m.Sources, m.To, m.Observations, m.Sessions, m.Prompts), true
}

func (d *dialect) merge(ctx context.Context, by tool.Caller, a mergeArgs) (merged, error) {
	var from []string
	for _, name := range a.From {
		if name = strings.TrimSpace(name); name != "" {
			from = append(from, name)
		}
	}
	if len(from) == 0 || strings.TrimSpace(a.To) == "" {
		return merged{}, invalid("both 'from' and 'to' are required")
	}
	res, err := d.as(by).MergeProjects(ctx, from, a.To)
	if err != nil {
		return merged{}, &tool.Failure{Text: "Merge failed: " + reason(err), Err: err}
	}
	return merged{To: res.To, Sources: res.Sources, Observations: res.Memories, Sessions: res.Sessions, Prompts: res.Prompts}, nil
}
