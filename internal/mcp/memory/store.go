package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// draft is a memory as the dialect takes it.
type draft struct {
	Content    string   `json:"content" required:"true"`
	Type       string   `json:"type" doc:"fact, decision, preference, pattern, debug, entity, …" default:"fact"`
	Tags       []string `json:"tags"`
	Importance *float64 `json:"importance" doc:"default 0.5" min:"0" max:"1"`
	RelatedTo  []string `json:"related_to" doc:"ids" ref:"true"`
}

type storeArgs struct {
	Content    string   `json:"content" required:"true"`
	Type       string   `json:"type" doc:"fact, decision, preference, pattern, debug, entity, …" default:"fact"`
	Tags       []string `json:"tags"`
	Importance *float64 `json:"importance" doc:"default 0.5; important ones fade slower" min:"0" max:"1"`
	RelatedTo  []string `json:"related_to" doc:"ids of memories it belongs with" ref:"true"`
	Project    string   `json:"project" doc:"its name; this server does not see your folder" schema:"-"`
}

type stored struct {
	ID       string   `json:"id"`
	Action   string   `json:"action" doc:"inserted, or repeated: it was there"`
	Warnings []string `json:"warnings"`

	saved string // in words
}

// PlainText says what became of the memory.
func (s stored) PlainText() (string, bool) { return withWarnings(s.saved, s.Warnings), true }

func withWarnings(text string, warnings []string) string {
	for _, w := range warnings {
		text += "\nWarning: " + w
	}
	return text
}

func (d *Dialect) store(ctx context.Context, by tool.Caller, a storeArgs) (stored, error) {
	at, err := d.writing(ctx, a.Project)
	if err != nil {
		return stored{}, err
	}
	in, err := d.input(ctx, at, "", draft{a.Content, a.Type, a.Tags, a.Importance, a.RelatedTo})
	if err != nil {
		return stored{}, err
	}
	res, err := d.as(by).Save(ctx, in)
	if err != nil {
		return stored{}, err
	}
	return stored{string(res.Memory.ID), string(res.Action), warningsOf(at, res), savedAs(res)}, nil
}

// input is what the engine is to save; path opens the names of arguments in errors.
func (d *Dialect) input(ctx context.Context, at engine.ProjectInForce, path string, m draft) (engine.SaveInput, error) {
	related, err := d.refs(ctx, path+"related_to", m.RelatedTo)
	if err != nil {
		return engine.SaveInput{}, err
	}
	return engine.SaveInput{Content: m.Content, Type: engram.Type(m.Type), Project: at.Name, Directory: d.dir, Tags: m.Tags,
		Importance: m.Importance, Related: related}, nil
}

// warningsOf are what a save has to be told with: about the project, and what the memory
// may contradict, with the id under which a verdict is recorded.
func warningsOf(at engine.ProjectInForce, res engine.SaveResult) []string {
	var conflicts []string
	for _, c := range res.Candidates {
		conflicts = append(conflicts, fmt.Sprintf("may contradict %s (%s): %s; settle it with memory_link (supersedes or contradicts), judgment %s",
			c.Memory.ID, c.Memory.Title, c.Reason, c.Relation.ID))
	}
	return warnings([]string{at.Warning}, res.Warnings, conflicts)
}

// savedAs says what a save did.
func savedAs(res engine.SaveResult) string {
	done := strings.ToUpper(string(res.Action[:1])) + string(res.Action[1:])
	return fmt.Sprintf("%s: %s [%s] in project %q", done, res.Memory.ID, res.Memory.Type, res.Memory.Project)
}
