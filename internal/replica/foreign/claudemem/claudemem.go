// Package claudemem reads the database of claude-mem.
//
// claude-mem keeps a SQLite database, ~/.claude-mem/claude-mem.db: sdk_sessions, observations,
// session_summaries and user_prompts. A session has two names: the agent's own (content_session_id,
// formerly claude_session_id), used here, and that of the observing process (memory_session_id,
// formerly sdk_session_id), used by observations and summaries. Lists (facts, concepts, files) are
// JSON in a text.
//
// Source: thedotmack/claude-mem, src/services/sqlite (migrations up to 35).
package claudemem

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/database"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// File is the name of its database.
const File = "claude-mem.db"

// Open opens the database at path, or in the folder at path. CodeInvalid for another database,
// CodeConflict for an unknown version.
func Open(ctx context.Context, path string, info fs.FileInfo, o source.Options) (engram.Source, error) {
	path = source.Inside(path, info, File)
	db, err := database.Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	c := &claudeMem{db: db, Naming: source.Naming{System: source.ClaudeMem}, sessions: map[string]cmSession{}}
	if err := db.Require(ctx, "claude-mem", c.tables()[:2]...); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	c.Source = source.Source{Head: engram.Snapshot{Format: string(source.ClaudeMem), Memories: db.Count(ctx, "observations") + db.Count(ctx, "session_summaries"),
		Lacks: []engram.Entity{engram.EntityProject, engram.EntityRelation}}, Each: c.each, Done: db.Close}
	return c, nil
}

type claudeMem struct {
	source.Source
	source.Naming
	db       *database.DB
	sessions map[string]cmSession // by either name
}

type cmSession struct{ id, project string }

func (c *claudeMem) each(ctx context.Context, yield func(engram.Record) bool) error {
	_, err := c.db.Records(ctx, yield, c.tables()...)
	return err
}

func (c *claudeMem) tables() []database.Table {
	return []database.Table{
		{Name: "sdk_sessions", Needs: []string{"id", "project"}, Likes: []string{"content_session_id", "claude_session_id", "memory_session_id", "sdk_session_id",
			"started_at", "started_at_epoch", "completed_at", "completed_at_epoch"}, Order: "id", Record: c.session},
		{Name: "observations", Needs: []string{"id", "project", "type"}, Likes: []string{"memory_session_id", "sdk_session_id", "text", "title", "subtitle", "facts",
			"narrative", "concepts", "files_read", "files_modified", "prompt_number", "merged_into_project", "generated_by_model",
			"created_at", "created_at_epoch"}, Order: "id", Record: c.observation},
		{Name: "session_summaries", Needs: []string{"id", "project"}, Likes: []string{"memory_session_id", "sdk_session_id", "request", "investigated", "learned",
			"completed", "next_steps", "files_read", "files_edited", "notes", "prompt_number", "merged_into_project", "created_at", "created_at_epoch"}, Order: "id", Record: c.summary},
		{Name: "user_prompts", Needs: []string{"id", "prompt_text"}, Likes: []string{"content_session_id", "claude_session_id", "prompt_number", "created_at", "created_at_epoch"},
			Order: "id", Record: c.prompt},
	}
}

func cmTime(v database.Values, name string) time.Time {
	if t := source.When(v.Text(name)); !t.IsZero() {
		return t
	}
	return source.Epoch(v.Number(name + "_epoch"))
}

func (c *claudeMem) session(v database.Values) engram.Record {
	watched := v.First("memory_session_id", "sdk_session_id")
	id := cmp.Or(v.First("content_session_id", "claude_session_id"), watched)
	if id == "" {
		return engram.Record{Flaw: engram.Errorf(engram.CodeInvalid, "the session has no id")}
	}
	known := cmSession{id, v.Text("project")}
	c.sessions[id] = known
	if watched != "" {
		c.sessions[watched] = known
	}
	return engram.Record{Session: &engram.Session{ID: id, Project: known.project, StartedAt: cmTime(v, "started_at"), EndedAt: cmTime(v, "completed_at")}}
}

// in returns the session of a row by either name.
func (c *claudeMem) in(name string) cmSession {
	if s, known := c.sessions[name]; known {
		return s
	}
	return cmSession{id: name}
}

// projectOf returns the project of a row; one that it was merged into comes first.
func projectOf(v database.Values, s cmSession) string {
	return cmp.Or(v.First("merged_into_project", "project"), s.project)
}

// filesOf returns the lists of files of a row, for metadata.
func filesOf(v database.Values, names ...string) map[string]any {
	more := map[string]any{}
	for _, name := range names {
		if files := list(v.Text(name)); len(files) > 0 {
			more[name] = source.Listed(files)
		}
	}
	return more
}

// observation returns an observation: its narrative, or the text of early versions, with the facts
// below. Unknown types (feature, refactor, change) are kept, because the vocabulary is open.
func (c *claudeMem) observation(v database.Values) engram.Record {
	watched := v.First("memory_session_id", "sdk_session_id")
	s := c.in(watched)
	parts := []string{v.Text("subtitle"), v.First("narrative", "text"), source.Bullets(list(v.Text("facts")))}
	more := filesOf(v, "files_read", "files_modified")
	if n := v.Number("prompt_number"); n > 0 {
		more["prompt_number"] = n
	}
	if model := v.Text("generated_by_model"); model != "" {
		more["model"] = model
	}
	return source.NewMemory(engram.Memory{SyncID: c.Memory("observation", watched, v.Text("id")), SessionID: s.id, Project: projectOf(v, s),
		Type: cmp.Or(engram.Type(v.Text("type")), engram.TypeDiscovery), Title: v.Text("title"), Content: cmp.Or(joined(parts), v.Text("title")), Tags: source.TagsOf(list(v.Text("concepts"))),
		CreatedAt: cmTime(v, "created_at"), Metadata: c.Origin("observations/"+v.Text("id"), File, more)})
}

// summary returns the summary of a session or a prompt.
func (c *claudeMem) summary(v database.Values) engram.Record {
	watched := v.First("memory_session_id", "sdk_session_id")
	s := c.in(watched)
	var parts []string
	for _, p := range []struct{ column, heading string }{
		{"request", "Request"}, {"investigated", "Investigated"}, {"learned", "Learned"}, {"completed", "Completed"}, {"next_steps", "Next steps"}, {"notes", "Notes"},
	} {
		if text := strings.TrimSpace(v.Text(p.column)); text != "" {
			parts = append(parts, "## "+p.heading+"\n\n"+text)
		}
	}
	return source.NewMemory(engram.Memory{SyncID: c.Memory("summary", watched, v.Text("id")), SessionID: s.id, Project: projectOf(v, s),
		Type: engram.TypeSessionSummary, Title: source.FirstLine(v.First("request", "completed")), Content: strings.Join(parts, "\n\n"),
		CreatedAt: cmTime(v, "created_at"), Metadata: c.Origin("session_summaries/"+v.Text("id"), File, filesOf(v, "files_read", "files_edited"))})
}

func (c *claudeMem) prompt(v database.Values) engram.Record {
	name := v.First("content_session_id", "claude_session_id")
	s := c.in(name)
	return engram.Record{Prompt: &engram.Prompt{SyncID: c.Naming.Prompt(name, v.Text("id")), SessionID: s.id, Project: s.project,
		Content: v.Text("prompt_text"), CreatedAt: cmTime(v, "created_at")}}
}

// list reads a JSON list of texts; any other text is a list of one.
func list(text string) []string {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return nil
	}
	var all []string
	if json.Unmarshal([]byte(text), &all) == nil {
		return all
	}
	return []string{text}
}

// joined joins non-empty texts with blank lines.
func joined(parts []string) string {
	var said []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "\n\n")
}
