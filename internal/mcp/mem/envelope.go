package mem

import (
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
)

// envelope is what nearly every answer of the dialect is wrapped in. Fields that need
// no explaining stay out of the schema: every agent pays for it in each session.
type envelope struct {
	Project       string `json:"project" schema:"-"`
	ProjectPath   string `json:"project_path" schema:"-"`
	ProjectSource string `json:"project_source" schema:"-"`
	Result        string `json:"result"`
	Warning       string `json:"warning,omitempty" schema:"-"`
}

// caution opens a warning about a project's name.
const caution = "⚠️ "

func enveloped(at engine.ProjectInForce, result string) envelope {
	e := envelope{Project: at.Name, ProjectPath: at.Path, ProjectSource: string(at.Source), Result: result, Warning: at.Warning}
	if e.Warning != "" && at.Source == project.SourceOverride {
		e.Warning = caution + e.Warning
	}
	return e
}

// cautioned is a result with a line for each warning.
func cautioned(result string, warnings []string) string {
	for _, w := range warnings {
		result += "\n" + caution + w
	}
	return result
}

// message is the answer of a tool that has text alone to say.
type message struct {
	envelope
	bare bool // the text stands without its envelope
}

// PlainText returns the text of an answer without envelope.
func (m message) PlainText() (string, bool) { return m.Result, m.bare }

// stamp writes a time for programs; "" for never.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
