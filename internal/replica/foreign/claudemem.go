package foreign

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// claude-mem keeps a SQLite database, ~/.claude-mem/claude-mem.db: sdk_sessions, observations,
// session_summaries and user_prompts. A session has two names: the agent's own (content_session_id,
// formerly claude_session_id), used here, and that of the observing process (memory_session_id,
// formerly sdk_session_id), used by observations and summaries. Lists (facts, concepts, files) are
// JSON in a text.
//
// Source: thedotmack/claude-mem, src/services/sqlite (migrations up to 35).

const claudeMemFile = "claude-mem.db"

func cmSessions() table {
	return table{"sdk_sessions", []string{"id", "project"}, []string{"content_session_id", "claude_session_id", "memory_session_id", "sdk_session_id",
		"started_at", "started_at_epoch", "completed_at", "completed_at_epoch"}, "id"}
}

func cmObservations() table {
	return table{"observations", []string{"id", "project", "type"}, []string{"memory_session_id", "sdk_session_id", "text", "title", "subtitle", "facts",
		"narrative", "concepts", "files_read", "files_modified", "prompt_number", "merged_into_project", "generated_by_model",
		"created_at", "created_at_epoch"}, "id"}
}

func cmSummaries() table {
	return table{"session_summaries", []string{"id", "project"}, []string{"memory_session_id", "sdk_session_id", "request", "investigated", "learned",
		"completed", "next_steps", "files_read", "files_edited", "notes", "prompt_number", "merged_into_project", "created_at", "created_at_epoch"}, "id"}
}

func cmPrompts() table {
	return table{"user_prompts", []string{"id", "prompt_text"}, []string{"content_session_id", "claude_session_id", "prompt_number", "created_at", "created_at_epoch"}, "id"}
}

func openClaudeMem(ctx context.Context, path string, info fs.FileInfo, o Options) (engram.Source, error) {
	path = inside(path, info, claudeMemFile)
	db, err := openDatabase(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if err := db.require(ctx, "claude-mem", cmSessions(), cmObservations()); err != nil {
		return nil, errors.Join(err, db.close())
	}
	c := &claudeMem{db: db, naming: naming{system: ClaudeMem}, sessions: map[string]cmSession{}}
	c.source = source{head: engram.Snapshot{Format: string(ClaudeMem), Memories: db.count(ctx, "observations") + db.count(ctx, "session_summaries"),
		Lacks: []engram.Entity{engram.EntityProject, engram.EntityRelation}}, each: c.each, close: db.close}
	return c, nil
}

// claudeMem reads such a database.
type claudeMem struct {
	source
	naming
	db       *database
	sessions map[string]cmSession // by either name
}

type cmSession struct{ id, project string }

func (c *claudeMem) each(ctx context.Context, yield func(engram.Record) bool) error {
	_, err := c.db.records(ctx, yield, rowReader{cmSessions(), c.session}, rowReader{cmObservations(), c.observation},
		rowReader{cmSummaries(), c.summary}, rowReader{cmPrompts(), c.prompt})
	return err
}

func cmTime(v values, name string) time.Time {
	if t := when(v.text(name)); !t.IsZero() {
		return t
	}
	return epoch(v.number(name + "_epoch"))
}

func (c *claudeMem) session(v values) engram.Record {
	watched := v.first("memory_session_id", "sdk_session_id")
	id := cmp.Or(v.first("content_session_id", "claude_session_id"), watched)
	if id == "" {
		return engram.Record{Flaw: engram.Errorf(engram.CodeInvalid, "the session has no id")}
	}
	known := cmSession{id, v.text("project")}
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
func projectOf(v values, s cmSession) string {
	return cmp.Or(v.first("merged_into_project", "project"), s.project)
}

// filesOf returns the lists of files of a row, for metadata.
func filesOf(v values, names ...string) map[string]any {
	more := map[string]any{}
	for _, name := range names {
		if files := list(v.text(name)); len(files) > 0 {
			more[name] = listed(files)
		}
	}
	return more
}

// observation returns an observation: its narrative, or the text of early versions, with the facts
// below. Unknown types (feature, refactor, change) are kept, because the vocabulary is open.
func (c *claudeMem) observation(v values) engram.Record {
	watched := v.first("memory_session_id", "sdk_session_id")
	s := c.in(watched)
	parts := []string{v.text("subtitle"), v.first("narrative", "text"), bullets(list(v.text("facts")))}
	more := filesOf(v, "files_read", "files_modified")
	if n := v.number("prompt_number"); n > 0 {
		more["prompt_number"] = n
	}
	if model := v.text("generated_by_model"); model != "" {
		more["model"] = model
	}
	return newMemory(engram.Memory{SyncID: c.memory("observation", watched, v.text("id")), SessionID: s.id, Project: projectOf(v, s),
		Type: cmp.Or(engram.Type(v.text("type")), engram.TypeDiscovery), Title: v.text("title"), Content: cmp.Or(joined(parts), v.text("title")), Tags: tagsOf(list(v.text("concepts"))),
		CreatedAt: cmTime(v, "created_at"), Metadata: c.origin("observations/"+v.text("id"), claudeMemFile, more)})
}

// summary returns the summary of a session or a prompt.
func (c *claudeMem) summary(v values) engram.Record {
	watched := v.first("memory_session_id", "sdk_session_id")
	s := c.in(watched)
	var parts []string
	for _, p := range []struct{ column, heading string }{
		{"request", "Request"}, {"investigated", "Investigated"}, {"learned", "Learned"}, {"completed", "Completed"}, {"next_steps", "Next steps"}, {"notes", "Notes"},
	} {
		if text := strings.TrimSpace(v.text(p.column)); text != "" {
			parts = append(parts, "## "+p.heading+"\n\n"+text)
		}
	}
	return newMemory(engram.Memory{SyncID: c.memory("summary", watched, v.text("id")), SessionID: s.id, Project: projectOf(v, s),
		Type: engram.TypeSessionSummary, Title: firstLine(v.first("request", "completed")), Content: strings.Join(parts, "\n\n"),
		CreatedAt: cmTime(v, "created_at"), Metadata: c.origin("session_summaries/"+v.text("id"), claudeMemFile, filesOf(v, "files_read", "files_edited"))})
}

func (c *claudeMem) prompt(v values) engram.Record {
	name := v.first("content_session_id", "claude_session_id")
	s := c.in(name)
	return engram.Record{Prompt: &engram.Prompt{SyncID: c.naming.prompt(name, v.text("id")), SessionID: s.id, Project: s.project,
		Content: v.text("prompt_text"), CreatedAt: cmTime(v, "created_at")}}
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

// tagsOf returns words as tags, up to the limit of a memory.
func tagsOf(words []string) []string {
	var tags []string
	for _, w := range words {
		if len(tags) < engram.MaxTags {
			tags = append(tags, tagOf(w)...)
		}
	}
	return tags
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

// longestTitle is the longest title made from a text, in bytes.
const longestTitle = 120

// firstLine returns the beginning of a text as a title, cut between words.
func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= longestTitle {
		return text
	}
	cut := strings.LastIndexByte(text[:longestTitle], ' ')
	if cut <= 0 {
		cut = longestTitle
	}
	return strings.ToValidUTF8(text[:cut], "") + "…"
}
