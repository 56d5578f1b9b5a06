// Package mem is the mem_* dialect of MCP: the names, arguments and answers of its tools. Every tool decodes,
// calls an operation of the engine and encodes; its prose is in the Markdown file of its name.
//
// The dialect's own state lives as long as the process: how active a project has been and which session asks
// (session.go), tokens for choosing a project (place.go).
//
// Text of memories is quoted unchanged, as data: nothing here reads it for instructions.
package mem

import (
	"context"
	"embed"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

//go:embed *.md
var prose embed.FS

// dialect is shared by the tools.
type dialect struct {
	tool.Options
	text     render.Options
	activity activity
	recovery recovery
	asking   asking
}

// The profiles that tools of this dialect belong to, beside its own.
const (
	agent = "agent"
	core  = "core"
	admin = "admin"
)

// Tools returns the tools of the dialect. They share state and may be called concurrently.
func Tools(o tool.Options) []tool.Tool {
	d := &dialect{Options: o, text: render.Options{Zone: o.Zone}}
	return tool.Described(prose, "mem_", []tool.Tool{
		tool.New(tool.Def{Name: "mem_capture_passive", Title: "Capture learnings", Effect: tool.Writes, Deferred: true, Profiles: []string{agent}}, d.capture),
		tool.New(tool.Def{Name: "mem_compare", Title: "Compare memories", Effect: tool.Writes, Idempotent: true, Profiles: []string{agent}}, d.compare),
		tool.New(tool.Def{Name: "mem_conflicts", Title: "Contradictions", Effect: tool.Writes, Deferred: true, Profiles: []string{admin}}, d.conflicts),
		tool.New(tool.Def{Name: "mem_context", Title: "Recall recent context", Effect: tool.Reads, Idempotent: true, Profiles: []string{agent, core}}, d.context),
		tool.New(tool.Def{Name: "mem_current_project", Title: "Current project", Effect: tool.Reads, Idempotent: true, Profiles: []string{agent}}, d.current),
		tool.New(tool.Def{Name: "mem_decay", Title: "Memory strength", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.decay),
		tool.New(tool.Def{Name: "mem_delete", Title: "Delete a memory", Effect: tool.Destroys, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.delete),
		tool.New(tool.Def{Name: "mem_diagnostics", Title: "Memories to look at", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.diagnostics),
		tool.New(tool.Def{Name: "mem_doctor", Title: "Memory diagnostics", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{agent}}, d.doctor),
		tool.New(tool.Def{Name: "mem_get_observation", Title: "Read a memory", Effect: tool.Reads, Idempotent: true, Profiles: []string{agent}}, d.get),
		tool.New(tool.Def{Name: "mem_history", Title: "Memory history", Effect: tool.Writes, Deferred: true, Profiles: []string{admin}}, d.history),
		tool.New(tool.Def{Name: "mem_judge", Title: "Judge a conflict", Effect: tool.Writes, Idempotent: true, Profiles: []string{agent}}, d.judge),
		tool.New(tool.Def{Name: "mem_log", Title: "Memory log", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.log),
		tool.New(tool.Def{Name: "mem_merge_projects", Title: "Merge projects", Effect: tool.Writes, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.merge),
		tool.New(tool.Def{Name: "mem_pin", Title: "Pin a memory", Effect: tool.Writes, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.pinning(true, "pin")),
		tool.New(tool.Def{Name: "mem_review", Title: "Review memories", Effect: tool.Writes, Deferred: true, Profiles: []string{agent}}, d.review),
		tool.New(tool.Def{Name: "mem_save", Title: "Save a memory", Effect: tool.Writes, Profiles: []string{agent, core}}, d.save),
		tool.New(tool.Def{Name: "mem_save_prompt", Title: "Save the user's prompt", Effect: tool.Writes, Profiles: []string{agent}}, d.savePrompt),
		tool.New(tool.Def{Name: "mem_search", Title: "Search memory", Effect: tool.Reads, Idempotent: true, Profiles: []string{agent, core}}, d.search),
		tool.New(tool.Def{Name: "mem_sleep", Title: "Consolidate memories", Effect: tool.Writes, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.sleep),
		tool.New(tool.Def{Name: "mem_session_end", Title: "End a session", Effect: tool.Writes, Idempotent: true, Deferred: true, Profiles: []string{agent}}, d.endSession),
		tool.New(tool.Def{Name: "mem_session_start", Title: "Start a session", Effect: tool.Writes, Idempotent: true, Deferred: true, Profiles: []string{agent}}, d.startSession),
		tool.New(tool.Def{Name: "mem_session_summary", Title: "Summarize the session", Effect: tool.Writes, Profiles: []string{agent}}, d.summarize),
		tool.New(tool.Def{Name: "mem_stats", Title: "Memory statistics", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.stats),
		tool.New(tool.Def{Name: "mem_suggest_topic_key", Title: "Suggest a topic key", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{agent}}, d.suggestTopic),
		tool.New(tool.Def{Name: "mem_timeline", Title: "Memory timeline", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{agent, admin}}, d.timeline),
		tool.New(tool.Def{Name: "mem_undo", Title: "Undo", Effect: tool.Writes, Deferred: true, Profiles: []string{admin}}, d.undo),
		tool.New(tool.Def{Name: "mem_update", Title: "Update a memory", Effect: tool.Writes, Deferred: true, Profiles: []string{agent}}, d.update),
		tool.New(tool.Def{Name: "mem_link", Title: "Link two memories", Effect: tool.Writes, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.link),
		tool.New(tool.Def{Name: "mem_unlink", Title: "Unlink two memories", Effect: tool.Writes, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.unlink),
		tool.New(tool.Def{Name: "mem_unpin", Title: "Unpin a memory", Effect: tool.Writes, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.pinning(false, "unpin")),
		tool.New(tool.Def{Name: "mem_graph", Title: "Graph around a memory", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{admin}}, d.graph),
	})
}

// envelope wraps nearly every answer of the dialect. Self-explanatory fields are not in the schema, which costs
// every agent tokens in each session.
type envelope struct {
	Project       string `json:"project" schema:"-"`
	ProjectPath   string `json:"project_path" schema:"-"`
	ProjectSource string `json:"project_source" schema:"-"`
	Result        string `json:"result"`
	Warning       string `json:"warning,omitempty" schema:"-"`
}

// caution opens a warning about a project's name.
const caution = "⚠️ "

func enveloped(at projects.ProjectInForce, result string) envelope {
	e := envelope{Project: at.Name, ProjectPath: at.Path, ProjectSource: string(at.Source), Result: result, Warning: at.Warning}
	if e.Warning != "" && at.Source == project.SourceOverride {
		e.Warning = caution + e.Warning
	}
	return e
}

// cautioned returns a result with a line for each warning.
func cautioned(result string, warnings []string) string {
	for _, w := range warnings {
		result += "\n" + caution + w
	}
	return result
}

// message is the answer of a tool that returns only text.
type message struct {
	envelope
	bare bool // the text stands without its envelope
}

// PlainText returns the text of an answer without envelope.
func (m message) PlainText() (string, bool) { return m.Result, m.bare }

// timestamp writes a time for programs; "" for the zero time.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// nothing is the line of an answer in which nothing, or nothing certain, was found; it may be "" for the latter.
func (d *dialect) nothing(ctx context.Context, by tool.Caller, project string, uncertain bool) (string, error) {
	n, err := d.As(by).Nothing(ctx, project)
	n.Nearest = uncertain
	return render.Nothing(n, "mem_search with all_projects: true", "mem_save"), err
}
