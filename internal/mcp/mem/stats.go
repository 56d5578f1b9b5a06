package mem

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type statsArgs struct {
	Project string `json:"project" doc:"only echoed; counts are of everything"`
}

func (d *dialect) stats(ctx context.Context, by tool.Caller, a statsArgs) (message, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return message{}, err
	}
	s, err := d.as(by).Stats(ctx, "")
	if err != nil {
		return message{}, err
	}
	text := fmt.Sprintf("Memory System Stats:\n- Sessions: %d\n- Observations: %d\n- Prompts: %d\n- Projects: %s",
		s.Sessions, s.Memories, s.Prompts, projectList(s))
	if s.Memories == 0 {
		nothing, err := d.nothing(ctx, by, "")
		if err != nil {
			return message{}, err
		}
		text += "\n" + nothing
	}
	return message{envelope: enveloped(at, text)}, nil
}
