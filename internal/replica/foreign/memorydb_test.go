package foreign_test

import (
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// graphSchema is the documented schema of the memory_* program.
const graphSchema = `CREATE TABLE memories (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, memory_type TEXT NOT NULL, content TEXT NOT NULL, summary TEXT, tags TEXT,
	importance REAL DEFAULT 0.5, relevance_score REAL DEFAULT 1.0, access_count INTEGER DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_accessed_at INTEGER NOT NULL);
CREATE TABLE embeddings (memory_id TEXT PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE, vector BLOB NOT NULL, model_version TEXT NOT NULL);
CREATE TABLE relationships (id TEXT PRIMARY KEY, source_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE, target_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
	relation_type TEXT NOT NULL, strength REAL DEFAULT 1.0, created_at INTEGER NOT NULL, UNIQUE(source_id, target_id, relation_type));
CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT NOT NULL, root_path TEXT, decay_rate REAL DEFAULT 0.01, created_at INTEGER NOT NULL)`

const graphRows = `INSERT INTO projects VALUES ('proj_1', 'shop', '/src/shop', 0.02, 1767323000);
INSERT INTO memories VALUES
	('mem_abc123', 'proj_1', 'decision', 'Access tokens live 15 minutes', 'tokens: 15 min', '["auth","jwt"]', 0.8, 0.6, 4, 1767323045, 1767323999, 1767400000),
	('mem_def456', 'proj_1', 'debug', 'The pool was exhausted by a leak', NULL, NULL, 0.5, 1.0, 0, 1767323046, 1767323046, 1767323046),
	('mem_ghi789', 'elsewhere', 'fact', 'Redis listens on 6380', NULL, 'cache, ports', 7, NULL, 0, 1767323047000, 1767323047000, 0);
INSERT INTO embeddings VALUES ('mem_abc123', x'00000000', 'all-MiniLM-L6-v2');
INSERT INTO relationships VALUES ('rel_1', 'mem_abc123', 'mem_def456', 'derived_from', 0.7, 1767323050), ('rel_2', 'mem_def456', 'mem_abc123', 'reminds_of', 1.0, 1767323051)`

func TestTheDatabaseOfTheMemoryProgram(t *testing.T) {
	all := must(t, source.Engram, database(t, "memory.db", graphSchema, graphRows), source.Options{Here: "elsewhere"})
	if all.head.Memories != 3 || len(all.records) != 6 || len(all.flaws()) != 0 {
		t.Fatalf("head %+v, %d records, flaws %v; want 3 memories, 6 records and no flaw", all.head, len(all.records), all.flaws())
	}
	m := map[engram.ID]engram.Memory{}
	for _, r := range all.records {
		if p := r.Project; p != nil && (p.Name != "shop" || p.Root != "/src/shop" || p.Decay == nil || p.Decay.Curve != engram.CurveImportance || p.Decay.Rate != 0.02) {
			t.Errorf("the project is %+v, want shop with its own decay", p)
		}
		if r.Memory != nil {
			m[r.Memory.Memory.ID] = r.Memory.Memory
		}
	}
	auth := m["mem_abc123"]
	if auth.Project != "shop" || auth.Type != "decision" || auth.Content != "Access tokens live 15 minutes" || auth.Summary != "tokens: 15 min" || len(auth.Tags) != 2 ||
		auth.Importance != 0.8 || auth.Strength != 0.6 || auth.AccessCount != 4 || auth.CreatedAt.Unix() != 1767323045 || auth.UpdatedAt.Unix() != 1767323999 ||
		auth.LastAccessedAt.Unix() != 1767400000 || auth.Metadata["source"] != "engram" || auth.Metadata["source_id"] != "mem_abc123" {
		t.Errorf("mem_abc123 is %+v", auth)
	}
	// A project without a row is named by its id; times may be milliseconds, and numbers out of
	// range are limited.
	if redis := m["mem_ghi789"]; redis.Project != "elsewhere" || len(redis.Tags) != 2 || redis.Importance != 1 || redis.Strength != 1 || redis.CreatedAt.Unix() != 1767323047 {
		t.Errorf("mem_ghi789 is %+v", redis)
	}
	var said []string
	for _, r := range all.records {
		if r.Relation != nil {
			x := r.Relation
			said = append(said, x.Source.ID+" "+string(x.Relation.Verb)+" "+x.Target.ID+" "+x.Relation.Reason)
		}
	}
	same(t, "relations", said, []string{"mem_abc123 derived_from mem_def456 ", "mem_def456 relates_to mem_abc123 reminds_of"})
}

func TestADatabaseOfTheMemoryProgramWithoutAColumn(t *testing.T) {
	path := database(t, "memory.db", `CREATE TABLE memories (id TEXT PRIMARY KEY, memory_type TEXT, content TEXT)`)
	if _, err := open(t, source.Engram, path, source.Options{}); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("%s: got %v, want a conflict that names the column", filepath.Base(path), err)
	}
}
