package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type captureArgs struct {
	Content   string `json:"content" required:"schema"`
	SessionID string `json:"session_id"`
	Source    string `json:"source" default:"mcp-passive"`
}

func (d *dialect) capture(ctx context.Context, by tool.Caller, a captureArgs) (message, error) {
	if strings.TrimSpace(a.Content) == "" {
		return message{}, invalid("content is required — include text with a '## Key Learnings:' section")
	}
	at, err := d.writing(ctx, d.ofSession(ctx, engine.ProjectRequest{Override: d.project}, a.SessionID))
	if err != nil {
		return message{}, err
	}
	res, err := d.as(by).Capture(ctx, engine.CaptureInput{Content: a.Content, SessionID: a.SessionID, NewSession: true,
		Project: at.Name, Directory: d.dir, Source: a.Source})
	if err != nil {
		return message{}, failed("Failed to capture", err, engine.ProjectRequest{SessionID: a.SessionID})
	}
	if res.Saved > 0 {
		d.activity.savedIn(at.Name, d.engine.Now())
	}
	return message{envelope: enveloped(at, cautioned(fmt.Sprintf("Passive capture complete: extracted=%d saved=%d duplicates=%d",
		res.Extracted, res.Saved, res.Duplicates), res.Warnings))}, nil
}
