// Package earlier reads the databases and exports of earlier Engrams: the programs of the mem_*
// dialect (here), of the memory_* dialect (graph.go), and of two smaller ones (plain.go).
//
// Programs of the mem_* dialect keep a SQLite database, engram.db: sessions, observations,
// user_prompts, prompt_tombstones and memory_relations. Times are texts in UTC; sync ids are kept.
// Columns that a version lacks are read as empty. Their JSON export, which has less, is read too.
package earlier

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/database"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
)

// File is the name of their databases.
const File = "engram.db"

const exportFile = "engram-export.json"

// Open opens a database or a JSON export at path, or the database in the folder at path. CodeInvalid for
// another file, CodeConflict for an unknown version.
func Open(ctx context.Context, path string, info fs.FileInfo, o source.Options) (engram.Source, error) {
	path = source.Inside(path, info, File)
	json, err := beginsWithBrace(path)
	if err != nil {
		return nil, err
	}
	if json {
		return openExport(path)
	}
	db, err := database.Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s, err := newEngram(ctx, db, o)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// newEngram returns the source of a database according to its tables.
func newEngram(ctx context.Context, db *database.DB, o source.Options) (engram.Source, error) {
	have, err := db.Columns(ctx, "memories")
	if err != nil {
		return nil, err
	}
	own, err := db.Columns(ctx, "lineages")
	if err != nil {
		return nil, err
	}
	switch {
	case len(own) > 0: // our own database, which require reports
	case slices.Contains(have, "memory_type"):
		return newGraph(ctx, db)
	case slices.Contains(have, "content"):
		return newPlain(ctx, db, o)
	}
	m := &memDatabase{db: db, Naming: source.Naming{System: source.Engram}, names: map[int64]string{}}
	if err := db.Require(ctx, "the mem_* program", m.tables()[1], m.tables()[0]); err != nil {
		if known, ok := errors.AsType[*engram.Error](err); ok && known.Code == engram.CodeInvalid {
			err = known.WithHint("name a database of the mem_* program; it has none of the expected tables. Use {export FILE} and {import FILE} for a database of this program")
		}
		return nil, err
	}
	m.Source = source.Source{Head: engram.Snapshot{Format: string(source.Engram), Memories: db.Count(ctx, "observations"), Lacks: []engram.Entity{engram.EntityProject}},
		Each: m.each, Done: db.Close}
	db.Note = m.Note
	return m, nil
}

// beginsWithBrace reports whether a file looks like JSON.
func beginsWithBrace(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, source.Missing(path, err)
	}
	defer func() { _ = f.Close() }()
	head, err := bufio.NewReader(f).Peek(64)
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return false, source.Unreadable(path, err)
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '['), nil
}

func openExport(path string) (engram.Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, source.Missing(path, err)
	}
	return &export{file: f, Naming: source.Naming{System: source.Engram}}, nil
}

// export is a JSON export, read by jsonfile. Memories of other programs get the name of the file as
// their source.
type export struct {
	source.Naming
	file *os.File
}

// Read implements engram.Source.
func (x *export) Read(context.Context) (engram.Snapshot, iter.Seq2[engram.Record, error], error) {
	head, records, err := jsonfile.Native{}.Read(x.file)
	if err != nil || head.Format == jsonfile.NameNative || head.Format == jsonfile.NamePlain {
		return head, records, err
	}
	return head, func(yield func(engram.Record, error) bool) {
		for r, err := range records {
			if err == nil && r.Memory != nil {
				m := &r.Memory.Memory
				m.Metadata = x.Origin(cmp.Or(m.SyncID, string(m.ID)), exportFile, m.Metadata)
			}
			if !yield(r, err) {
				return
			}
		}
	}, nil
}

// Notes implements engram.Source.
func (x *export) Notes() []engram.ImportNote { return nil }

// Close implements engram.Source.
func (x *export) Close() error { return x.file.Close() }

type memDatabase struct {
	source.Source
	source.Naming
	db    *database.DB
	names map[int64]string // sync ids of observations by number, which some relations use
}

func (m *memDatabase) each(ctx context.Context, yield func(engram.Record) bool) error {
	stopped, err := m.db.Records(ctx, yield, m.tables()...)
	if err != nil || stopped {
		return err
	}
	return m.db.LeftOut(ctx)
}

func (m *memDatabase) tables() []database.Table {
	return []database.Table{
		{Name: "sessions", Needs: []string{"id"}, Likes: []string{"project", "directory", "started_at", "ended_at", "summary"}, Order: "id", Record: m.session},
		{Name: "observations", Needs: []string{"id", "content"}, Likes: []string{"sync_id", "session_id", "type", "title", "tool_name", "project", "scope", "topic_key",
			"revision_count", "duplicate_count", "last_seen_at", "review_after", "expires_at", "pinned", "created_at", "updated_at", "deleted_at"}, Order: "id", Record: m.memory},
		{Name: "user_prompts", Needs: []string{"id", "content"}, Likes: []string{"sync_id", "session_id", "project", "created_at"}, Order: "id", Record: m.prompt},
		{Name: "prompt_tombstones", Needs: []string{"sync_id"}, Likes: []string{"project", "deleted_at"}, Order: "sync_id", Record: m.erased},
		{Name: "memory_relations", Needs: []string{"id", "source_id", "target_id", "relation"}, Likes: []string{"sync_id", "reason", "evidence", "confidence",
			"judgment_status", "marked_by_actor", "marked_by_kind", "marked_by_model", "session_id", "superseded_at", "created_at", "updated_at"}, Order: "id", Record: m.relation},
	}
}

func (m *memDatabase) session(v database.Values) engram.Record {
	return engram.Record{Session: &engram.Session{ID: v.Text("id"), Project: v.Text("project"), Directory: v.Text("directory"),
		StartedAt: v.Moment("started_at"), EndedAt: v.Moment("ended_at"), Summary: v.Text("summary")}}
}

func (m *memDatabase) memory(v database.Values) engram.Record {
	// Before git sync there were no sync ids.
	sync := cmp.Or(v.Text("sync_id"), m.Naming.Memory(v.Text("session_id"), v.Text("id"), v.Text("created_at")))
	m.names[v.Number("id")] = sync
	more := map[string]any{}
	if at := v.Text("expires_at"); at != "" {
		more["expires_at"] = at
	}
	return source.NewMemory(engram.Memory{Num: v.Number("id"), SyncID: sync, SessionID: v.Text("session_id"), Type: engram.Type(v.Text("type")), Title: v.Text("title"),
		Content: v.Text("content"), ToolName: v.Text("tool_name"), Project: v.Text("project"), Scope: engram.Scope(v.Text("scope")),
		TopicKey: v.Text("topic_key"), RevisionCount: int(v.Number("revision_count")), DuplicateCount: int(v.Number("duplicate_count")),
		LastSeenAt: v.Moment("last_seen_at"), ReviewAfter: v.Moment("review_after"), Permanent: v.Number("pinned") != 0,
		CreatedAt: v.Moment("created_at"), UpdatedAt: v.Moment("updated_at", "created_at"), DeletedAt: v.Moment("deleted_at"),
		Metadata: m.Origin(v.Text("id"), File, more)})
}

func (m *memDatabase) prompt(v database.Values) engram.Record {
	sync := cmp.Or(v.Text("sync_id"), m.Naming.Prompt(v.Text("session_id"), v.Text("id"), v.Text("created_at")))
	return engram.Record{Prompt: &engram.Prompt{Num: v.Number("id"), SyncID: sync, SessionID: v.Text("session_id"), Project: v.Text("project"),
		Content: v.Text("content"), CreatedAt: v.Moment("created_at")}}
}

// erased returns a deleted prompt, of which only the name is left.
func (m *memDatabase) erased(v database.Values) engram.Record {
	var at engram.Clock
	if t := v.Moment("deleted_at"); !t.IsZero() {
		at = at.Tick(t)
	}
	return engram.Record{Erased: &engram.Erased{Entity: engram.EntityPrompt, ID: v.Text("sync_id"), SyncID: v.Text("sync_id"), Project: v.Text("project"), At: at}}
}

// relation returns a verdict, or a pending pair: a suspected contradiction.
func (m *memDatabase) relation(v database.Values) engram.Record {
	verb, status := engram.Verb(v.Text("relation")), engram.RelationStatus(v.Text("judgment_status"))
	if status == "orphaned" {
		return engram.Record{Flaw: engram.Errorf(engram.CodeInvalid, "one of its memories is missing")}
	}
	if verb == "pending" || verb == "" {
		verb, status = engram.VerbContradicts, engram.RelationPending
	}
	confidence, _ := v.Row["confidence"].(float64)
	id := cmp.Or(v.Text("sync_id"), m.Naming.Relation(v.Text("id"), v.Text("created_at")))
	r := engram.Relation{ID: id, Verb: verb, Status: status, Strength: 1, Reason: v.Text("reason"), Evidence: v.Text("evidence"),
		Confidence: confidence, Actor: v.Text("marked_by_actor"), ActorKind: v.Text("marked_by_kind"), Model: v.Text("marked_by_model"),
		SessionID: v.Text("session_id"), CreatedAt: v.Moment("created_at"), UpdatedAt: v.Moment("updated_at", "created_at"),
		RemovedAt: v.Moment("superseded_at")}
	return engram.Record{Relation: &engram.RelationRecord{Relation: r, Source: m.end(v.Text("source_id")), Target: m.end(v.Text("target_id"))}}
}

// end returns the memory that a relation names by sync id, or in some versions by number.
func (m *memDatabase) end(name string) engram.Ref {
	if n, err := strconv.ParseInt(name, 10, 64); err == nil && m.names[n] != "" {
		name = m.names[n]
	}
	return engram.Ref{SyncID: name}
}

// Recognize names the earlier Engram that a database belongs to, by its tables and columns; known
// is false for any other database.
func Recognize(tables map[string][]string) (of string, known bool) {
	has := func(table string, columns ...string) bool {
		have := tables[table]
		return len(have) > 0 && !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(have, c) })
	}
	switch {
	case has("lineages"): // our own, whatever its application ID
		return "", false
	case has("observations", "id", "content") && has("sessions", "id") && !has("sdk_sessions"):
		return "mem_* tools", true
	case has("memories", "id", "content", "memory_type"):
		return "memory_* tools", true
	case has("memories", "id", "content", "title", "type"):
		return "sleep and focus, in LibSQL", true
	case has("memories", "id", "content", "strength"), has("memories", "id", "content", "category"):
		return "remember and recall tools", true
	}
	return "", false
}

// Name names the earlier Engram of the database at path or in the folder at path; "" for
// anything else.
func Name(ctx context.Context, path string) (of string) {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	db, err := database.Open(ctx, source.Inside(path, info, File), source.Options{})
	if err != nil {
		return ""
	}
	tables := map[string][]string{}
	for _, name := range []string{"lineages", "observations", "sessions", "sdk_sessions", "memories"} {
		if tables[name], err = db.Columns(ctx, name); err != nil {
			break
		}
	}
	if closing := db.Close(); err == nil && closing == nil {
		of, _ = Recognize(tables)
	}
	return of
}
