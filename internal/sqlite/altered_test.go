package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// watched makes a store note every change of a row from which a connection may have kept a memory, a vector or a relation,
// with the count of such transactions before it.
var watched = func() []string {
	statements := []string{"CREATE TABLE watched (at INTEGER NOT NULL)"}
	for i, change := range []string{"UPDATE ON memories", "DELETE ON memories", "UPDATE ON vectors", "DELETE ON vectors", "UPDATE ON tags", "DELETE ON tags",
		"UPDATE ON relations", "DELETE ON relations", "UPDATE OF name ON projects", "DELETE ON projects", "UPDATE OF id ON sessions", "DELETE ON sessions"} {
		statements = append(statements, fmt.Sprintf("CREATE TRIGGER watched_%d AFTER %s BEGIN INSERT INTO watched SELECT altered FROM index_state; END", i, change))
	}
	return statements
}()

// counted checks that each transaction with such a change was counted.
func counted(t *testing.T, path string) {
	t.Helper()
	if n := count(t, path, "SELECT count(*) FROM watched WHERE at >= (SELECT altered FROM index_state)"); n > 0 {
		t.Errorf("%d rows of memories, vectors or relations were changed by transactions that do not count as such", n)
	}
}

// What another process has changed is seen, and what it has left as it was is not read again.
func TestWhatOthersOnlyAddIsNotReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	var read []string
	other := open(t, path)
	defer closed(t, other)
	ctx := t.Context()
	first, lacking := draft("a", 0), draft("b", 1)
	if err := saveDraft(other, &first); err != nil {
		t.Fatal(err)
	}
	put := func(num int64, i int) func(engram.Tx) error {
		return func(tx engram.Tx) error {
			return tx.PutVectors(ctx, near, []engram.Vector{{Num: num, Values: direction(i)}})
		}
	}
	if err := other.Update(ctx, put(first.Num, 0)); err != nil {
		t.Fatal(err)
	}
	if err := saveDraft(other, &lacking); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, func(o *sqlite.Options) { o.Ran = func(query string) { read = append(read, query) } })
	defer closed(t, s)
	view := func() (shown string, rows int) {
		read = nil
		err := s.View(ctx, func(r engram.Reader) error {
			ms, err := r.Memories(ctx, []int64{first.Num, lacking.Num})
			if err != nil {
				return err
			}
			for _, m := range ms {
				shown += fmt.Sprintln(m.Num, m.Title, m.Project, m.Tags, m.AccessCount)
			}
			vs, err := r.Vectors(ctx, near.Fingerprint, []int64{first.Num, lacking.Num})
			if err != nil {
				return err
			}
			shown += fmt.Sprintln(vs[first.Num], vs[lacking.Num])
			rs, err := engram.RelationsOf(ctx, r, []int64{first.Num}, nil, 5)
			for _, r := range rs {
				shown += fmt.Sprintln(r.Num, r.Verb, r.Reason)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range read {
			if strings.Contains(query, "CROSS JOIN memories m ON") || strings.Contains(query, "JOIN relations n") {
				rows++
			}
		}
		return shown, rows
	}
	view()
	adds := func(name string, write func(engram.Tx) error) {
		t.Helper()
		before, _ := view()
		if err := other.Update(ctx, write); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if after, rows := view(); after != before || rows > 0 {
			t.Errorf("%s: read %d rows again, and got\n%swant\n%s", name, rows, after, before)
		}
	}
	alters := func(name, want string, write func(engram.Tx) error) {
		t.Helper()
		if err := other.Update(ctx, write); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if after, _ := view(); !strings.Contains(after, want) {
			t.Errorf("%s: got\n%swant %q", name, after, want)
		}
	}
	changed := func(change func(m *engram.Memory)) func(engram.Tx) error {
		return func(tx engram.Tx) error {
			m, err := tx.Memory(ctx, engram.Ref{Num: first.Num})
			if err != nil {
				return err
			}
			change(&m)
			return tx.ReplaceMemory(ctx, m)
		}
	}
	alters("a first write, before which the count was not read", "kettle", func(tx engram.Tx) error { return tx.PutFact(ctx, "x", "0") })
	view()
	third := draft("c", 2)
	third.Tags = []string{"hot"}
	adds("a save with its vector", func(tx engram.Tx) error {
		if err := tx.InsertMemory(ctx, &third); err != nil {
			return err
		}
		return put(third.Num, 2)(tx)
	})
	adds("a fact", func(tx engram.Tx) error { return tx.PutFact(ctx, "x", "1") })
	adds("a session", func(tx engram.Tx) error {
		return tx.PutSession(ctx, engram.Session{ID: "s2", Project: "app", StartedAt: now(), ActiveAt: now()})
	})
	alters("the first vector of a memory", fmt.Sprint(direction(1)[:1])[1:2], put(lacking.Num, 1))
	if shown, _ := view(); strings.HasSuffix(shown, "[]\n") {
		t.Errorf("a vector that was put later is not seen:\n%s", shown)
	}
	alters("another text", "pot", changed(func(m *engram.Memory) { m.Title = "pot" }))
	adds("a prompt", func(tx engram.Tx) error {
		return tx.InsertPrompt(ctx, &engram.Prompt{SyncID: "p", Project: "app", SessionID: "s-app", Content: "what now", CreatedAt: now()})
	})
	alters("tags", "[iron]", changed(func(m *engram.Memory) { m.Tags = []string{"iron"} }))
	related := func(num, source, target int64, reason string) func(engram.Tx) error {
		return func(tx engram.Tx) error {
			return tx.InsertRelation(ctx, &engram.Relation{Num: num, ID: "rel-" + reason, Source: source, Target: target, Verb: engram.VerbRelatesTo,
				Status: engram.RelationJudged, Strength: 1, Reason: reason, CreatedAt: now(), UpdatedAt: now()})
		}
	}
	adds("a relation of others", related(0, lacking.Num, third.Num, "both hum"))
	alters("a relation", "both boil", related(0, first.Num, third.Num, "both boil"))
	adds("another fact", func(tx engram.Tx) error { return tx.PutFact(ctx, "x", "2") })
	alters("a relation under a number of before", "both steam", func(tx engram.Tx) error {
		if err := related(99, third.Num, lacking.Num, "both rust")(tx); err != nil {
			return err
		}
		return related(50, lacking.Num, first.Num, "both steam")(tx)
	})
	foreign(t, path, "UPDATE sqlite_sequence SET seq = seq + 1000 WHERE name = 'relations'") // as if there had been as many
	alters("a relation after a thousand", "both whistle", related(0, third.Num, first.Num, "both whistle"))
	alters("another reason", "both cool", func(tx engram.Tx) error {
		rs, err := engram.RelationsOf(ctx, tx, []int64{first.Num}, nil, 5)
		if err != nil {
			return err
		}
		rs[0].Reason = "both cool"
		return tx.ReplaceRelation(ctx, rs[0])
	})
	alters("another vector", fmt.Sprint(direction(3)[3]), func(tx engram.Tx) error {
		return tx.PutVectors(ctx, near, []engram.Vector{{Num: first.Num, Values: []float32{0, 0, 0, 1, 0, 0, 0, 0}}})
	})
	alters("a move", "home", func(tx engram.Tx) error {
		err := tx.PutProject(ctx, engram.Project{Name: "home", CreatedAt: now()})
		if err == nil {
			_, err = tx.MoveProject(ctx, "app", "home")
		}
		return err
	})
	alters("an erasure", fmt.Sprint(lacking.Num), func(tx engram.Tx) error { return tx.EraseMemory(ctx, first.Num) })
	if shown, _ := view(); strings.Contains(shown, "pot") {
		t.Errorf("an erased memory is still shown:\n%s", shown)
	}
}

// A failed write counts nothing: what it changed is as before.
func TestATransactionThatIsTakenBackAltersNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer closed(t, s)
	m := draft("a", 0)
	if err := saveDraft(s, &m); err != nil {
		t.Fatal(err)
	}
	const query = "SELECT altered FROM index_state"
	before, broken := count(t, path, query), fmt.Errorf("broken")
	err := s.Update(t.Context(), func(tx engram.Tx) error {
		m.Title = "pot"
		if err := tx.ReplaceMemory(context.Background(), m); err != nil {
			return err
		}
		return broken
	})
	if err == nil {
		t.Fatal("the write did not fail")
	}
	if n := count(t, path, query); n != before {
		t.Errorf("altered: got %d, want %d", n, before)
	}
}
