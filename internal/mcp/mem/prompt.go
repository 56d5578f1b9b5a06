package mem

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type promptArgs struct {
	Content      string `json:"content" required:"true"`
	SessionID    string `json:"session_id"`
	Project      string `json:"project" doc:"only after ambiguous_project"`
	ChoiceReason string `json:"project_choice_reason" enum:"user_selected_after_ambiguous_project" lax:"true"`
	Token        string `json:"recovery_token"`
}

func (d *dialect) savePrompt(ctx context.Context, by tool.Caller, a promptArgs) (message, error) {
	asked := d.ofSession(ctx, engine.ProjectRequest{Override: d.project}, a.SessionID)
	at, err := d.chosen(ctx, choice{a.SessionID, a.Project, a.ChoiceReason, a.Token}, asked)
	if err != nil {
		return message{}, err
	}
	p, err := d.as(by).SavePrompt(ctx, engine.PromptInput{Content: a.Content, SessionID: a.SessionID, NewSession: true,
		Project: at.Name, Directory: d.dir})
	if err != nil {
		return message{}, failed("Failed to save prompt", err, engine.ProjectRequest{SessionID: a.SessionID})
	}
	at.Name = p.Project // see save
	return message{envelope: enveloped(at, cautioned(fmt.Sprintf("Prompt saved: %q", render.Preview(p.Content, 80)), p.Warnings))}, nil
}
