package foreign

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
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
)

// Programs of the mem_* dialect keep a SQLite database, engram.db: sessions, observations,
// user_prompts, prompt_tombstones and memory_relations. Times are texts in UTC; sync ids are kept.
// Columns that a version lacks are read as empty. Their JSON export, which has less, is read too.

const (
	engramFile = "engram.db"
	exportFile = "engram-export.json"
)

func openEngram(ctx context.Context, path string, info fs.FileInfo, o Options) (engram.Source, error) {
	path = inside(path, info, engramFile)
	json, err := beginsWithBrace(path)
	if err != nil {
		return nil, err
	}
	if json {
		return openExport(path)
	}
	db, err := openDatabase(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s, err := newEngram(ctx, db, o)
	if err != nil {
		return nil, errors.Join(err, db.close())
	}
	return s, nil
}

// newEngram returns the source of a database according to its tables.
func newEngram(ctx context.Context, db *database, o Options) (engram.Source, error) {
	have, err := db.columns(ctx, graphMemories().name)
	if err != nil {
		return nil, err
	}
	own, err := db.columns(ctx, "lineages")
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
	if err := db.require(ctx, "the mem_* program", memObservations(), memSessions()); err != nil {
		if known, ok := errors.AsType[*engram.Error](err); ok && known.Code == engram.CodeInvalid {
			err = known.WithHint("name a database of the mem_* program; it has none of the expected tables. Use {export FILE} and {import FILE} for a database of this program")
		}
		return nil, err
	}
	m := &memDatabase{db: db, naming: naming{system: Engram}, names: map[int64]string{}}
	m.source = source{head: engram.Snapshot{Format: string(Engram), Memories: db.count(ctx, "observations"), Lacks: []engram.Entity{engram.EntityProject}},
		each: m.each, close: db.close}
	db.note = m.note
	return m, nil
}

// beginsWithBrace reports whether a file looks like JSON.
func beginsWithBrace(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, missing(path, err)
	}
	defer func() { _ = f.Close() }()
	head, err := bufio.NewReader(f).Peek(64)
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return false, unreadable(path, err)
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '['), nil
}

// openExport opens a JSON export.
func openExport(path string) (engram.Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, missing(path, err)
	}
	return &export{file: f, naming: naming{system: Engram}}, nil
}

// export is a JSON export, read by jsonfile. Memories of other programs get the name of the file as
// their source.
type export struct {
	naming
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
				m.Metadata = x.origin(cmp.Or(m.SyncID, string(m.ID)), exportFile, m.Metadata)
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

func memSessions() table {
	return table{"sessions", []string{"id"}, []string{"project", "directory", "started_at", "ended_at", "summary"}, "id"}
}

func memObservations() table {
	return table{"observations", []string{"id", "content"}, []string{"sync_id", "session_id", "type", "title", "tool_name", "project", "scope", "topic_key",
		"revision_count", "duplicate_count", "last_seen_at", "review_after", "expires_at", "pinned", "created_at", "updated_at", "deleted_at"}, "id"}
}

func memPrompts() table {
	return table{"user_prompts", []string{"id", "content"}, []string{"sync_id", "session_id", "project", "created_at"}, "id"}
}

func memTombstones() table {
	return table{"prompt_tombstones", []string{"sync_id"}, []string{"project", "deleted_at"}, "sync_id"}
}

func memRelations() table {
	return table{"memory_relations", []string{"id", "source_id", "target_id", "relation"}, []string{"sync_id", "reason", "evidence", "confidence",
		"judgment_status", "marked_by_actor", "marked_by_kind", "marked_by_model", "session_id", "superseded_at", "created_at", "updated_at"}, "id"}
}

// memDatabase reads such a database.
type memDatabase struct {
	source
	naming
	db    *database
	names map[int64]string // sync ids of observations by number, which some relations use
}

func (m *memDatabase) each(ctx context.Context, yield func(engram.Record) bool) error {
	stopped, err := m.db.records(ctx, yield, rowReader{memSessions(), m.session}, rowReader{memObservations(), m.memory}, rowReader{memPrompts(), m.prompt},
		rowReader{memTombstones(), m.erased}, rowReader{memRelations(), m.relation})
	if err != nil || stopped {
		return err
	}
	return m.db.leftOut(ctx)
}

func (m *memDatabase) session(v values) engram.Record {
	return engram.Record{Session: &engram.Session{ID: v.text("id"), Project: v.text("project"), Directory: v.text("directory"),
		StartedAt: v.moment("started_at"), EndedAt: v.moment("ended_at"), Summary: v.text("summary")}}
}

func (m *memDatabase) memory(v values) engram.Record {
	// Before git sync there were no sync ids.
	sync := cmp.Or(v.text("sync_id"), m.naming.memory(v.text("session_id"), v.text("id"), v.text("created_at")))
	m.names[v.number("id")] = sync
	more := map[string]any{}
	if at := v.text("expires_at"); at != "" {
		more["expires_at"] = at
	}
	return newMemory(engram.Memory{Num: v.number("id"), SyncID: sync, SessionID: v.text("session_id"), Type: engram.Type(v.text("type")), Title: v.text("title"),
		Content: v.text("content"), ToolName: v.text("tool_name"), Project: v.text("project"), Scope: engram.Scope(v.text("scope")),
		TopicKey: v.text("topic_key"), RevisionCount: int(v.number("revision_count")), DuplicateCount: int(v.number("duplicate_count")),
		LastSeenAt: v.moment("last_seen_at"), ReviewAfter: v.moment("review_after"), Permanent: v.number("pinned") != 0,
		CreatedAt: v.moment("created_at"), UpdatedAt: v.moment("updated_at", "created_at"), DeletedAt: v.moment("deleted_at"),
		Metadata: m.origin(v.text("id"), engramFile, more)})
}

func (m *memDatabase) prompt(v values) engram.Record {
	sync := cmp.Or(v.text("sync_id"), m.naming.prompt(v.text("session_id"), v.text("id"), v.text("created_at")))
	return engram.Record{Prompt: &engram.Prompt{Num: v.number("id"), SyncID: sync, SessionID: v.text("session_id"), Project: v.text("project"),
		Content: v.text("content"), CreatedAt: v.moment("created_at")}}
}

// erased returns a deleted prompt, of which only the name is left.
func (m *memDatabase) erased(v values) engram.Record {
	var at engram.Clock
	if t := v.moment("deleted_at"); !t.IsZero() {
		at = at.Tick(t)
	}
	return engram.Record{Erased: &engram.Erased{Entity: engram.EntityPrompt, ID: v.text("sync_id"), SyncID: v.text("sync_id"), Project: v.text("project"), At: at}}
}

// relation returns a verdict, or a pending pair: a suspected contradiction.
func (m *memDatabase) relation(v values) engram.Record {
	verb, status := engram.Verb(v.text("relation")), engram.RelationStatus(v.text("judgment_status"))
	if status == "orphaned" {
		return engram.Record{Flaw: engram.Errorf(engram.CodeInvalid, "one of its memories is missing")}
	}
	if verb == "pending" || verb == "" {
		verb, status = engram.VerbContradicts, engram.RelationPending
	}
	confidence, _ := v.row["confidence"].(float64)
	id := cmp.Or(v.text("sync_id"), m.naming.relation(v.text("id"), v.text("created_at")))
	r := engram.Relation{ID: id, Verb: verb, Status: status, Strength: 1, Reason: v.text("reason"), Evidence: v.text("evidence"),
		Confidence: confidence, Actor: v.text("marked_by_actor"), ActorKind: v.text("marked_by_kind"), Model: v.text("marked_by_model"),
		SessionID: v.text("session_id"), CreatedAt: v.moment("created_at"), UpdatedAt: v.moment("updated_at", "created_at"),
		RemovedAt: v.moment("superseded_at")}
	return engram.Record{Relation: &engram.RelationRecord{Relation: r, Source: m.end(v.text("source_id")), Target: m.end(v.text("target_id"))}}
}

// end returns the memory that a relation names by sync id, or in some versions by number.
func (m *memDatabase) end(name string) engram.Ref {
	if n, err := strconv.ParseInt(name, 10, 64); err == nil && m.names[n] != "" {
		name = m.names[n]
	}
	return engram.Ref{SyncID: name}
}
