package foreign_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// database makes a SQLite database from statements.
func database(t *testing.T, name string, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	run(t, path, statements...)
	return path
}

func run(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := connect(t, path)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

// memSchema is the documented schema of the mem_* program.
const memSchema = `CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT NOT NULL, directory TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT, summary TEXT, status TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, session_id TEXT NOT NULL REFERENCES sessions(id), type TEXT NOT NULL, title TEXT NOT NULL,
	content TEXT NOT NULL, tool_name TEXT, project TEXT, scope TEXT NOT NULL DEFAULT 'project', topic_key TEXT, normalized_hash TEXT, revision_count INTEGER NOT NULL DEFAULT 1,
	duplicate_count INTEGER NOT NULL DEFAULT 1, last_seen_at TEXT, review_after TEXT, pinned INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT);
CREATE VIRTUAL TABLE observations_fts USING fts5(title, content, content='observations', content_rowid='id');
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, session_id TEXT NOT NULL, content TEXT NOT NULL, project TEXT, created_at TEXT NOT NULL);
CREATE TABLE prompt_tombstones (sync_id TEXT PRIMARY KEY, session_id TEXT, project TEXT, deleted_at TEXT NOT NULL);
CREATE TABLE memory_relations (id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT NOT NULL UNIQUE, source_id TEXT, target_id TEXT, relation TEXT NOT NULL DEFAULT 'pending', reason TEXT,
	evidence TEXT, confidence REAL, judgment_status TEXT NOT NULL DEFAULT 'pending', marked_by_actor TEXT, marked_by_kind TEXT, marked_by_model TEXT, session_id TEXT,
	superseded_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`

const memRows = `INSERT INTO sessions VALUES ('s1', 'shop', '/src/shop', '2026-01-02 03:04:05', '2026-01-02 04:00:00', 'Did things', 'completed');
INSERT INTO observations (sync_id, session_id, type, title, content, tool_name, project, scope, topic_key, revision_count, duplicate_count, last_seen_at, review_after, pinned, created_at, updated_at, deleted_at) VALUES
	('obs-00000000000000aa', 's1', 'decision', 'Auth model', 'JWT, 15 minutes', 'bash', 'shop', 'project', 'architecture/auth', 3, 2, '2026-01-03 00:00:00', '2026-07-02 03:04:05', 1, '2026-01-02 03:10:00', '2026-01-02 03:20:00', NULL),
	('obs-00000000000000bb', 's1', 'bugfix', 'Old port', 'It listens on 8080', NULL, 'shop', 'personal', NULL, 1, 1, NULL, NULL, 0, '2026-01-02 03:11:00', '2026-01-02 03:11:00', '2026-01-05 00:00:00');
INSERT INTO user_prompts (sync_id, session_id, content, project, created_at) VALUES ('prompt-00000000000000cc', 's1', 'Why does login fail?', 'shop', '2026-01-02 03:05:00');
INSERT INTO prompt_tombstones VALUES ('prompt-00000000000000dd', 's1', 'shop', '2026-01-04 00:00:00');
INSERT INTO memory_relations (sync_id, source_id, target_id, relation, reason, confidence, judgment_status, marked_by_actor, marked_by_kind, created_at, updated_at) VALUES
	('rel-00000000000000ee', 'obs-00000000000000aa', 'obs-00000000000000bb', 'supersedes', 'newer', 0.9, 'judged', 'agent', 'agent', '2026-01-02 05:00:00', '2026-01-02 05:00:00'),
	('rel-00000000000000ff', '1', '2', 'pending', NULL, NULL, 'pending', NULL, NULL, '2026-01-02 05:00:00', '2026-01-02 05:00:00'),
	('rel-0000000000000011', 'obs-00000000000000aa', 'obs-gone', 'related', NULL, NULL, 'orphaned', NULL, NULL, '2026-01-02 05:00:00', '2026-01-02 05:00:00')`

func TestTheDatabaseOfTheMemProgram(t *testing.T) {
	path := database(t, "engram.db", memSchema, memRows)
	for _, named := range []string{path, filepath.Dir(path)} {
		all := must(t, source.Engram, named, source.Options{Here: "elsewhere"})
		if all.head.Memories != 2 || all.head.Format != "engram" {
			t.Errorf("head %+v", all.head)
		}
		auth := all.memory(t, "Auth model")
		if auth.SyncID != "obs-00000000000000aa" || auth.Content != "JWT, 15 minutes" || auth.Type != "decision" || auth.ToolName != "bash" || auth.Project != "shop" ||
			auth.TopicKey != "architecture/auth" || auth.RevisionCount != 3 || auth.DuplicateCount != 2 || !auth.Permanent || auth.SessionID != "s1" ||
			auth.UpdatedAt.Format("15:04") != "03:20" || auth.ReviewAfter.IsZero() || auth.LastSeenAt.IsZero() || auth.Metadata["source_id"] != "1" || auth.Metadata["source_path"] != "engram.db" {
			t.Errorf("Auth model is %+v", auth)
		}
		if old := all.memory(t, "Old port"); !old.Forgotten() || old.Scope != "personal" {
			t.Errorf("Old port is %+v, want it forgotten and personal", old)
		}
		same(t, "relations", all.relations(), []string{"Auth model supersedes Old port: newer", "Auth model contradicts Old port: "})
		same(t, "flaws", all.flaws(), []string{"memory_relations 3: one of its memories is missing"})
		var kinds []engram.Entity
		for _, r := range all.records {
			kinds = append(kinds, r.Entity())
			switch {
			case r.Relation != nil && (r.Relation.Relation.Verb == engram.VerbContradicts) != (r.Relation.Relation.Status == engram.RelationPending):
				t.Errorf("relation %+v, want the suspicion to be pending and the verdict not", r.Relation.Relation)
			case r.Session != nil && (r.Session.ID != "s1" || r.Session.Directory != "/src/shop" || r.Session.Summary != "Did things" || r.Session.EndedAt.IsZero()):
				t.Errorf("session %+v", r.Session)
			case r.Prompt != nil && (r.Prompt.SyncID != "prompt-00000000000000cc" || r.Prompt.Content != "Why does login fail?" || r.Prompt.Project != "shop"):
				t.Errorf("prompt %+v", r.Prompt)
			case r.Erased != nil && (r.Erased.ID != "prompt-00000000000000dd" || r.Erased.At == 0):
				t.Errorf("erased %+v", r.Erased)
			}
		}
		if len(kinds) != 8 {
			t.Errorf("records %v, want a session, two memories, two prompts and three relations", kinds)
		}
	}
}

func TestAnEarlyDatabaseOfTheMemProgram(t *testing.T) {
	path := database(t, "engram.db", `CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT, directory TEXT, started_at TEXT)`,
		`CREATE TABLE observations (id INTEGER PRIMARY KEY, session_id TEXT, type TEXT, title TEXT, content TEXT, project TEXT, created_at TEXT)`,
		`INSERT INTO observations VALUES (1, 's1', 'bugfix', 'A', 'a', 'shop', '2025-01-02 03:04:05'), (2, 's1', 'bugfix', 'B', 'b', 'shop', '2025-01-02 03:04:05')`)
	all, again := must(t, source.Engram, path, source.Options{}), must(t, source.Engram, path, source.Options{})
	a, b := all.memory(t, "A"), all.memory(t, "B")
	if a.SyncID == b.SyncID || !strings.HasPrefix(a.SyncID, "obs-") || a.SyncID != again.memory(t, "A").SyncID || a.UpdatedAt.Year() != 2025 {
		t.Errorf("without sync ids they are called %q and %q, the second time %q", a.SyncID, b.SyncID, again.memory(t, "A").SyncID)
	}
}

func TestTheExportOfTheMemProgram(t *testing.T) {
	dir := folder(t, map[string]string{"export.json": ` {"version":"0.1.0","exported_at":"2026-01-01T00:00:00Z","sessions":[],"observations":[{"id":1,"sync_id":"obs-00000000000000aa","type":"bugfix","title":"A","content":"a"}],"prompts":null}`})
	all := must(t, source.Engram, filepath.Join(dir, "export.json"), source.Options{})
	if a := all.memory(t, "A"); a.Metadata["source"] != "engram" || a.Metadata["source_id"] != "obs-00000000000000aa" || a.Metadata["source_path"] != "engram-export.json" {
		t.Errorf("A comes from %v", a.Metadata)
	}
}

// cmSchema is the schema of claude-mem after its migration 35, without indexes.
const cmSchema = `CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT UNIQUE NOT NULL, memory_session_id TEXT UNIQUE, project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude',
	user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER, status TEXT NOT NULL DEFAULT 'active', worker_port INTEGER, prompt_counter INTEGER DEFAULT 0, custom_title TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT,
	files_read TEXT, files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT, agent_type TEXT, agent_id TEXT, merged_into_project TEXT, generated_by_model TEXT, metadata TEXT,
	created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT,
	files_edited TEXT, notes TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, merged_into_project TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL)`

const cmRows = `INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, started_at, started_at_epoch, completed_at, completed_at_epoch) VALUES
	('c1', 'm1', 'shop', '2026-02-03T04:05:06.789Z', 1770091506789, '2026-02-03T05:00:00.000Z', 1770094800000), ('c2', NULL, 'blog', '', 1770091506789, NULL, NULL);
INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative, concepts, files_read, files_modified, prompt_number, generated_by_model, created_at, created_at_epoch) VALUES
	('m1', 'shop', 'feature', 'Checkout', 'Pay first', '["Two steps","No guests"]', 'Shoppers pay before they pick a slot.', '["how-it-works","pay flow"]', '["a.go"]', '[]', 2, 'some-model', '2026-02-03T04:10:00.000Z', 1770091800000);
INSERT INTO observations (memory_session_id, project, text, type, merged_into_project, created_at, created_at_epoch) VALUES
	('m1', 'shop-worktree', 'Only a text', 'bugfix', 'shop', 'yesterday', 1770091800000);
INSERT INTO session_summaries (memory_session_id, project, request, learned, next_steps, created_at, created_at_epoch) VALUES ('m1', 'shop', 'Add checkout', 'Slots are scarce', 'Test it', '2026-02-03T05:00:00.000Z', 1770094800000);
INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch) VALUES ('c1', 1, 'add a checkout', '2026-02-03T04:05:06.789Z', 1770091506789)`

func checkClaudeMem(t *testing.T, all everything) {
	t.Helper()
	pay := all.memory(t, "Checkout")
	if pay.Content != "Pay first\n\nShoppers pay before they pick a slot.\n\n- Two steps\n- No guests" || pay.Type != "feature" || pay.Project != "shop" || pay.SessionID != "c1" ||
		len(pay.Tags) != 2 || pay.Tags[1] != "pay-flow" || pay.Metadata["source"] != "claude-mem" || pay.Metadata["source_id"] != "observations/1" || pay.CreatedAt.Minute() != 10 {
		t.Errorf("Checkout is %+v", pay)
	}
	if bare := all.memory(t, ""); bare.Content != "Only a text" || bare.Project != "shop" || bare.CreatedAt.IsZero() {
		t.Errorf("an observation of early times is %+v", bare)
	}
	sum := all.memory(t, "Add checkout")
	if sum.Type != engram.TypeSessionSummary || sum.Content != "## Request\n\nAdd checkout\n\n## Learned\n\nSlots are scarce\n\n## Next steps\n\nTest it" || sum.SessionID != "c1" {
		t.Errorf("the summary is %+v", sum)
	}
	sessions, prompts := 0, 0
	for _, r := range all.records {
		if r.Session != nil {
			sessions++
			if r.Session.ID == "c1" && (r.Session.Project != "shop" || r.Session.EndedAt.IsZero()) || r.Session.StartedAt.IsZero() {
				t.Errorf("session %+v", r.Session)
			}
		}
		if r.Prompt != nil {
			prompts++
			if r.Prompt.SessionID != "c1" || r.Prompt.Project != "shop" || r.Prompt.Content != "add a checkout" {
				t.Errorf("prompt %+v", r.Prompt)
			}
		}
	}
	if sessions != 2 || prompts != 1 || len(all.flaws()) != 0 {
		t.Errorf("%d sessions, %d prompts, flaws %v; want 2, 1, none", sessions, prompts, all.flaws())
	}
}

func TestTheDatabaseOfClaudeMem(t *testing.T) {
	path := database(t, "claude-mem.db", cmSchema, cmRows)
	checkClaudeMem(t, must(t, source.ClaudeMem, path, source.Options{}))
	// Before migration 17, sessions had other names.
	run(t, path, `ALTER TABLE sdk_sessions RENAME COLUMN content_session_id TO claude_session_id`, `ALTER TABLE sdk_sessions RENAME COLUMN memory_session_id TO sdk_session_id`,
		`ALTER TABLE observations RENAME COLUMN memory_session_id TO sdk_session_id`, `ALTER TABLE session_summaries RENAME COLUMN memory_session_id TO sdk_session_id`,
		`ALTER TABLE user_prompts RENAME COLUMN content_session_id TO claude_session_id`)
	checkClaudeMem(t, must(t, source.ClaudeMem, path, source.Options{}))
}

// An open database has its latest changes in a log beside it.
func TestADatabaseThatIsInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claude-mem.db")
	db := connect(t, path)
	defer func() { _ = db.Close() }()
	for _, s := range []string{`PRAGMA journal_mode = WAL`, cmSchema, cmRows} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("the log: %v, %v; want one", info, err)
	}
	temp := t.TempDir()
	checkClaudeMem(t, must(t, source.ClaudeMem, path, source.Options{Temp: temp}))
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("of the copy %v is left, %v; want nothing", left, err)
	}
	if _, err := db.Exec(`INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch) VALUES ('c1', 2, 'more', '', 0)`); err != nil {
		t.Errorf("its own program can no longer write: %v", err)
	}
}

// A program killed during a write leaves half of it in the file, and the old content in a journal.
func TestADatabaseWhoseProgramWasKilled(t *testing.T) {
	from := database(t, "claude-mem.db", cmSchema, cmRows)
	db := connect(t, from)
	defer func() { _ = db.Close() }()
	for _, s := range []string{`PRAGMA cache_size = 1`, `BEGIN IMMEDIATE`, `UPDATE observations SET title = 'half', narrative = hex(zeroblob(100000))`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch) SELECT 'c1', i, hex(zeroblob(4000)), '', 0 FROM n`} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	killed := filepath.Join(t.TempDir(), "claude-mem.db")
	for _, end := range []string{"", "-journal"} {
		b, err := os.ReadFile(from + end)
		if err != nil || len(b) == 0 {
			t.Fatalf("%s has %d bytes, %v", from+end, len(b), err)
		}
		if err := os.WriteFile(killed+end, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	temp := t.TempDir()
	checkClaudeMem(t, must(t, source.ClaudeMem, killed, source.Options{Temp: temp}))
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("of the copy %v is left, %v; want nothing", left, err)
	}
}

func TestADatabaseThatIsWrittenMeanwhile(t *testing.T) {
	path := database(t, "engram.db", memSchema, memRows)
	src, err := foreign.Open(t.Context(), source.Engram, path, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	_, records, err := src.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var last error
	first := true
	for _, err := range records {
		if first {
			run(t, path, `UPDATE observations SET title = 'changed'`, `INSERT INTO prompt_tombstones VALUES ('x', 's', 'p', '')`)
			first = false
		}
		last = err
	}
	if engram.CodeOf(last) != engram.CodeUnavailable {
		t.Errorf("it ended with %v, want CodeUnavailable: what was read may be torn", last)
	}
}

func TestDatabasesThatAreNoneOfTheirs(t *testing.T) {
	good := database(t, "engram.db", memSchema, memRows)
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	torn := bytes.Clone(whole)
	for i := 4096; i < len(torn); i++ {
		torn[i] = byte(i * 7)
	}
	file := func(b []byte) string {
		path := filepath.Join(t.TempDir(), "engram.db")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name   string
		system source.System
		path   string
		want   engram.Code
	}{
		{"another program's", source.ClaudeMem, database(t, "x.db", `CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)`), engram.CodeInvalid},
		{"that of the other system", source.Engram, database(t, "x.db", cmSchema), engram.CodeConflict},
		{"a newer one, which keeps its texts elsewhere", source.Engram, database(t, "x.db", `CREATE TABLE sessions (id TEXT)`, `CREATE TABLE observations (id INTEGER, body TEXT)`), engram.CodeConflict},
		{"a view that only looks like a table", source.Engram, database(t, "x.db", `CREATE TABLE sessions (id TEXT)`, `CREATE VIEW observations AS SELECT 1 AS id, 'x' AS content`), engram.CodeConflict},
		{"this program's own", source.Engram, database(t, "x.db", `CREATE TABLE sessions (id TEXT)`, `CREATE TABLE lineages (key TEXT)`), engram.CodeInvalid},
		{"cut off", source.Engram, file(whole[:5000]), engram.CodeInvalid},
		{"cut off in its head", source.Engram, file(whole[:50]), engram.CodeInvalid},
		{"overwritten", source.Engram, file(torn), engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.system, tt.path, source.Options{})
			if engram.CodeOf(err) != tt.want {
				t.Errorf("%v (%s), want %s", err, engram.CodeOf(err), tt.want)
			}
			if remark, ok := err.(*engram.Error); ok && remark.Hint == "" {
				t.Errorf("%v has no hint", err)
			}
		})
	}
}

func TestALinkToADatabaseIsFollowedToItsLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claude-mem.db")
	db := connect(t, path)
	defer func() { _ = db.Close() }()
	for _, s := range []string{`PRAGMA journal_mode = WAL`, cmSchema, cmRows} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	checkClaudeMem(t, must(t, source.ClaudeMem, link, source.Options{}))
}

func TestAValueThatIsTooLong(t *testing.T) {
	path := database(t, "engram.db", memSchema, `INSERT INTO observations (session_id, type, title, content, created_at, updated_at) VALUES ('s', 'x', 'x', zeroblob(70000000), '', '')`)
	if _, err := open(t, source.Engram, path, source.Options{}); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("got %v, want CodeInvalid and the limit", err)
	}
}
