package sqlite_test

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

var updateFixture = flag.Bool("update", false, "write the fixture of the newest schema anew; never once it is released")

// fixture is the dump of a store of a release; its name has the schema's number.
const fixture = "testdata/schema1.sql"

// TestEveryReleasedSchemaOpensAndReads opens the stores of releases. A new schema adds its own fixture.
func TestEveryReleasedSchemaOpensAndReads(t *testing.T) {
	if *updateFixture {
		path := filepath.Join(t.TempDir(), "engram.db")
		furnishFixture(t, path)
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(fixture, []byte(dump(t, path)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "engram.db")
	foreign(t, path, string(read(t, fixture)), "INSERT INTO models (num, name, fingerprint, dimensions, memories) VALUES (7, 'm', 'm7', 2, 1)",
		"INSERT INTO vectors (model, memory, row) VALUES (7, 1, x'0102')")
	s := open(t, path)
	defer s.Close()
	view(t, s, func(r engram.Reader) error {
		m, err := r.Memory(t.Context(), engram.Ref{Topic: "architecture/kettle", Project: "former"})
		if err != nil {
			return err
		}
		if m.Num != 1 || m.Title != "The kettle's lid" || m.Metadata["ticket"] != "K-7" || strings.Join(m.Tags, " ") != "heat lid" || m.Project != "app" {
			t.Errorf("memory 1: got %+v", m)
		}
		rs, err := r.Revisions(t.Context(), 1)
		if err != nil || len(rs) != 1 || rs[0].Content != "It was loose." {
			t.Errorf("revisions: got %+v, %v", rs, err)
		}
		found, err := storetest.Hits(t.Context(), r, engram.LexicalQuery{Terms: text.Query("why do lids whistle"), Filter: engram.Filter{Project: "app"}, Limit: 5})
		if err != nil || len(found) == 0 || found[0].Num != 1 {
			t.Errorf("search: got %+v, %v, want memory 1 first", found, err)
		}
		ps, err := r.SearchPrompts(t.Context(), text.Query("boiling"), "", 5)
		if err != nil || len(ps) != 1 {
			t.Errorf("prompts: got %+v, %v, want one", ps, err)
		}
		st, err := r.Stats(t.Context(), "")
		if got, want := fmt.Sprint(st.Memories, st.Forgotten, st.Sessions, st.Prompts, st.Relations, st.Projects), "2 1 1 1 1 [app]"; err != nil || got != want {
			t.Errorf("statistics: got %s, %v, want %s", got, err, want)
		}
		last, err := engram.LastMutation(t.Context(), r)
		if err != nil || last.Seq != 3 || last.Operation != "forget" || string(last.Was) != `{"deleted_at":null}` {
			t.Errorf("last entry: got %+v, %v", last, err)
		}
		return err
	})
	if n := count(t, path, "SELECT count(*) FROM vectors WHERE num = (7 << 48) + 1 AND row = x'0102'"); n != 1 {
		t.Errorf("the memory's vector: got %d, want it", n)
	}
	next := draft("next", 1)
	if err := saveDraft(s, &next); err != nil || next.Num != 4 {
		t.Errorf("a save: got number %d, %v, want 4", next.Num, err)
	}
	closed(t, s)
	checkIntegrity(t, path)

	fresh := filepath.Join(t.TempDir(), "engram.db")
	closed(t, open(t, fresh))
	got, want := schema(t, path), schema(t, fresh)
	for _, definition := range got {
		if !slices.Contains(want, definition) {
			t.Errorf("after migration there is, other than in a new store,\n%s\nas long as the schema is not released, run with -update", definition)
		}
	}
	for _, definition := range want {
		if !slices.Contains(got, definition) {
			t.Errorf("after migration there is not, other than in a new store,\n%s\nas long as the schema is not released, run with -update", definition)
		}
	}
}

func furnishFixture(t *testing.T, path string) {
	t.Helper()
	s := open(t, path)
	ctx := t.Context()
	update(t, s, func(tx engram.Tx) error {
		if err := tx.PutProject(ctx, engram.Project{Name: "app", Aliases: []string{"former"}, Root: "/src/app", CreatedAt: now()}); err != nil {
			return err
		}
		if err := tx.PutSession(ctx, engram.Session{ID: "s-app", Project: "app", StartedAt: now(), ActiveAt: now()}); err != nil {
			return err
		}
		ms := []engram.Memory{draft("a", 1), draft("a", 2), draft("a", 3)}
		ms[0].Title, ms[0].Content, ms[0].TopicKey = "The kettle's lid", "It whistles when the lid is shut.", "architecture/kettle"
		ms[0].Tags, ms[0].Metadata, ms[0].RevisionCount = []string{"heat", "lid"}, map[string]any{"ticket": "K-7"}, 2
		ms[2].DeletedAt = now()
		for i := range ms {
			if err := tx.InsertMemory(ctx, &ms[i]); err != nil {
				return err
			}
		}
		if err := tx.InsertRevision(ctx, engram.Revision{Memory: 1, Number: 1, Type: engram.TypeFact, Title: "The lid", Content: "It was loose.",
			WrittenAt: now(), ReplacedAt: now(), Reason: "topic key"}); err != nil {
			return err
		}
		if err := tx.InsertRelation(ctx, &engram.Relation{ID: "rel-1", Source: 1, Target: 2, Verb: engram.VerbRelatesTo, Status: engram.RelationJudged,
			CreatedAt: now(), UpdatedAt: now()}); err != nil {
			return err
		}
		if err := tx.InsertPrompt(ctx, &engram.Prompt{SyncID: "prompt-1", Project: "app", SessionID: "s-app", Content: "why is it boiling over?", CreatedAt: now()}); err != nil {
			return err
		}
		for i, verb := range []string{"save", "update", "forget"} {
			m := engram.Mutation{At: engram.Clock(0).Tick(now()) + engram.Clock(i), Actor: "cli", Operation: verb, Entity: engram.EntityMemory, Key: "1", Project: "app"}
			if verb == "forget" {
				m.Was = []byte(`{"deleted_at":null}`)
			}
			if err := tx.Append(ctx, &m); err != nil {
				return err
			}
		}
		return nil
	})
	closed(t, s)
}

// schema lists the definitions of a database, without formatting.
func schema(t *testing.T, path string) (all []string) {
	t.Helper()
	rows(t, path, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name", func(values []string) {
		all = append(all, strings.Join(strings.Fields(values[0]), " "))
	})
	return all
}

// rows reads text columns.
func rows(t *testing.T, path, query string, each func(values []string)) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]string, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		each(values)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// dump writes a database as a script: tables with their rows, then indexes and triggers, which would act
// on the rows. Tables of a full-text index are created by it, and their rows replaced.
func dump(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	var tables []string
	inside := func(name string) bool { return strings.Contains(name, "_fts_") }
	rows(t, path, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL AND name <> 'sqlite_sequence' ORDER BY rowid", func(v []string) {
		virtual := strings.HasPrefix(v[1], "CREATE VIRTUAL")
		if !inside(v[0]) {
			b.WriteString(v[1] + ";\n")
		}
		if !virtual {
			tables = append(tables, v[0])
		}
	})
	for _, table := range append(tables, "sqlite_sequence") {
		var columns []string
		rows(t, path, "SELECT name FROM pragma_table_info('"+table+"')", func(v []string) { columns = append(columns, v[0]) })
		if inside(table) || table == "sqlite_sequence" {
			fmt.Fprintf(&b, "DELETE FROM %s;\n", table)
		}
		quoted := make([]string, len(columns))
		for i, c := range columns {
			quoted[i] = "quote(\"" + c + "\")"
		}
		rows(t, path, "SELECT "+strings.Join(quoted, ", ")+" FROM "+table, func(v []string) {
			fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(columns, ", "), strings.Join(v, ", "))
		})
	}
	rows(t, path, "SELECT sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid", func(v []string) {
		b.WriteString(v[0] + ";\n")
	})
	fmt.Fprintf(&b, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n", count(t, path, "PRAGMA application_id"), count(t, path, "PRAGMA user_version"))
	return b.String()
}
