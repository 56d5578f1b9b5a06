package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type updateArgs struct {
	ID       tool.ID `json:"id" required:"true"`
	Title    *string `json:"title"`
	Content  *string `json:"content"`
	Type     *string `json:"type"`
	Scope    *string `json:"scope" enum:"project,personal,global" lax:"true"`
	TopicKey *string `json:"topic_key"`
	Project  *string `json:"project" doc:"moves it there"`
}

func (d *dialect) update(ctx context.Context, by tool.Caller, a updateArgs) (message, error) {
	if a.Project != nil && strings.TrimSpace(*a.Project) == "" {
		a.Project = nil // models fill in what they do not mean; a memory is not moved to nowhere
	}
	if a.Title == nil && a.Content == nil && a.Type == nil && a.Scope == nil && a.TopicKey == nil && a.Project == nil {
		return message{}, invalid("provide at least one field to update")
	}
	in := engine.UpdateInput{Ref: engram.ByNum(int64(a.ID)), Title: a.Title, Content: a.Content, TopicKey: a.TopicKey}
	if a.Type != nil {
		in.Type = new(engram.Type(*a.Type))
	}
	if a.Scope != nil {
		in.Scope = new(engram.ParseScope(*a.Scope))
	}
	if a.Project != nil {
		to, err := d.writing(ctx, engine.ProjectRequest{Explicit: *a.Project}) // one that is known, as for a save
		if err != nil {
			return message{}, err
		}
		in.Project = &to.Name
	}
	m, err := d.as(by).Update(ctx, in)
	if err != nil {
		return message{}, &tool.Failure{Text: "Failed to update memory: " + reason(err), Err: err}
	}
	lines := []string{fmt.Sprintf("Memory updated: #%d %q (%s, scope=%s)", m.Num, m.Title, m.Type, m.Scope)}
	if in.Project != nil {
		lines = append(lines, fmt.Sprintf("It is in project %q now.", m.Project))
	}
	for _, w := range m.Warnings {
		lines = append(lines, caution+w)
	}
	return d.here(ctx, strings.Join(lines, "\n")), nil
}
