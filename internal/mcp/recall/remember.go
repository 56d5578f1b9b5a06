package recall

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type rememberArgs struct {
	Content  string         `json:"content" doc:"one or two full sentences" required:"true"`
	Category string         `json:"category" doc:"decision, pattern, fact, preference, insight, …"`
	Metadata map[string]any `json:"metadata" doc:"to be found by; needs_review: true flags it for the user"`
	Project  string         `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

// remembered is the answer, and what it says in words.
type remembered struct {
	document.Remembered
	text string
}

// PlainText returns the words.
func (r remembered) PlainText() (string, bool) { return r.text, true }

func (d *dialect) remember(ctx context.Context, by tool.Caller, a rememberArgs) (remembered, error) {
	at, warning, err := d.place(ctx, a.Project)
	if err != nil {
		return remembered{}, err
	}
	res, err := d.as(by).Save(ctx, engine.SaveInput{Content: a.Content, Type: engram.Type(a.Category), Metadata: a.Metadata,
		Project: at, Directory: d.Dir, Admit: engine.AdmitMerging})
	if err != nil {
		return remembered{}, err
	}
	return remembered{document.RememberedOf(res.Memory, res.Known(), res.Contested()), d.saidOf(res, warning)}, nil
}

// saidOf tells what a save did, and what there is to do about it.
func (d *dialect) saidOf(res engine.SaveResult, warning string) string {
	lines := []string{fmt.Sprintf("Remembered as %s.", res.Memory.ID)}
	switch res.Action {
	case engine.ActionRepeated:
		lines[0] = fmt.Sprintf("Known already, as %s.", res.Memory.ID)
	case engine.ActionMerged:
		lines[0] = fmt.Sprintf("Merged with %s, which said nearly the same; what it said before is kept.", res.Memory.ID)
	}
	if c := res.Contested(); c != nil {
		lines = append(lines, fmt.Sprintf("It may contradict %s: %s", c.ID, render.Line(c.Content, 300)),
			"If the new one holds, forget the old one. If you cannot tell, ask the user.")
	}
	for _, w := range append([]string{warning}, res.Warnings...) {
		if w != "" {
			lines = append(lines, "Warning: "+w)
		}
	}
	return strings.Join(lines, "\n")
}
