package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

// saveMany saves n memories and prompts of a corpus, one a transaction.
func saveMany(ctx context.Context, s engram.Store, from, n int) error {
	c := storetest.NewCorpus(uint64(from))
	for i := from; i < from+n; i++ {
		err := s.Update(ctx, func(tx engram.Tx) error {
			m := c.Memory(storetest.Day())
			m.ID, m.SyncID, m.Project, m.SessionID, m.NormalizedHash = engram.ID(fmt.Sprintf("mem_%026d", i)), fmt.Sprint("obs-", i), "app", "", "00"
			m.Title += fmt.Sprint(" number", i)
			p := engram.Prompt{SyncID: fmt.Sprint("prompt-", i), Project: "app", Content: fmt.Sprint("why number", i), CreatedAt: storetest.Day()}
			return errors.Join(tx.InsertMemory(ctx, &m), tx.InsertPrompt(ctx, &p))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TestSealing saves from two processes, which seal beside the saves, and finds everything.
func TestSealing(t *testing.T) {
	server := postgrestest.Start(t)
	space := postgrestest.Space()
	ctx := t.Context()
	first := open(t, server, space)
	if err := first.Update(ctx, func(tx engram.Tx) error {
		return tx.PutProject(ctx, engram.Project{Name: "app", CreatedAt: storetest.Day()})
	}); err != nil {
		t.Fatal(err)
	}
	const each = 200
	done := make(chan error, 2)
	for i, s := range []*postgres.Store{open(t, server, space), open(t, server, space)} {
		go func() { done <- errors.Join(saveMany(ctx, s, 1+i*each, each), s.Close()) }()
	}
	cold := open(t, server, space)
	const readers = 4
	asked := make(chan error, readers)
	for range readers { // while others write: each answer is that of one version
		go func() {
			var err error
			for i := 0; i < 40 && err == nil; i++ {
				err = cold.View(ctx, func(r engram.Reader) error {
					n, err := r.Count(ctx, engram.Filter{})
					found, err2 := r.Lexical(ctx, engram.LexicalQuery{Terms: text.Query("number"), Limit: 1})
					if found.Rows != n {
						err = fmt.Errorf("%d memories and %d in the index", n, found.Rows)
					}
					return errors.Join(err, err2)
				})
			}
			asked <- err
		}()
	}
	if err := errors.Join(<-done, <-done, <-asked, <-asked, <-asked, <-asked); err != nil {
		t.Fatal(err)
	}
	err := first.View(ctx, func(r engram.Reader) error {
		m, p, _ := postgres.IndexStores(r)
		for name, of := range map[string]index.Store{"memories": m, "prompts": p} {
			state, err := of.State(ctx)
			if err != nil {
				return err
			}
			segments := 0
			err = of.Segments(ctx, func(index.Segment) error { segments++; return nil })
			if state.Unsealed >= 64 || segments < 1 || err != nil {
				t.Errorf("%s: %d wait and %d segments, %v", name, state.Unsealed, segments, err)
			}
		}
		for i := 1; i <= 2*each; i += 13 {
			found, err := storetest.Hits(ctx, r, engram.LexicalQuery{Terms: text.Query(fmt.Sprint("number", i)), Limit: 1})
			asked, err2 := r.SearchPrompts(ctx, text.Query(fmt.Sprint("number", i)), "app", 3)
			if len(found) != 1 || len(asked) != 1 || asked[0].SyncID != fmt.Sprint("prompt-", i) {
				t.Errorf("number%d: found %v and %v, %v", i, found, asked, errors.Join(err, err2))
			}
		}
		return nil
	})
	if err = errors.Join(err, postgres.CheckIndex(ctx, first)); err != nil {
		t.Fatal(err)
	}
}

// TestRenewal opens a space whose index another version made, or none, and one whose index is damaged.
func TestRenewal(t *testing.T) {
	server := postgrestest.Start(t)
	space := postgrestest.Space()
	ctx := t.Context()
	s := open(t, server, space)
	if err := s.Update(ctx, func(tx engram.Tx) error {
		return tx.PutProject(ctx, engram.Project{Name: "app", CreatedAt: storetest.Day()})
	}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(saveMany(ctx, s, 1, 150), s.Close()); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]string{
		"made by another version": `UPDATE facts SET value = '0' WHERE key = 'words'`,
		"renewed in part":         `UPDATE facts SET value = '` + lexicon.Current() + ` in part' WHERE key = 'words'; UPDATE segments SET level = -level WHERE collection = 0`,
		"without an index":        `DELETE FROM facts WHERE key = 'words'; DELETE FROM unsealed; DELETE FROM segments; UPDATE heads SET changes = changes + 1, prompt_changes = prompt_changes + 1`,
		"damaged":                 `UPDATE facts SET value = '0' WHERE key = 'words'; UPDATE documents SET rows = ''`,
	} {
		for _, statement := range strings.Split(of, "; ") {
			where := " WHERE "
			if strings.Contains(statement, where) {
				where = " AND "
			}
			server.SQL(t, server.URL(), statement+where+"space = '"+space+"'")
		}
		s := open(t, server, space)
		var note string
		err := s.View(ctx, func(r engram.Reader) (err error) { note, err = r.Fact(ctx, "words"); return err })
		if err = errors.Join(err, postgres.CheckIndex(ctx, s)); err != nil || note != lexicon.Current() {
			t.Errorf("%s: its note is %q, %v", name, note, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamage reads an index whose parts are not what they were, and rebuilds it.
func TestDamage(t *testing.T) {
	server := postgrestest.Start(t)
	space := postgrestest.Space()
	ctx := t.Context()
	s := open(t, server, space)
	if err := s.Update(ctx, func(tx engram.Tx) error {
		return tx.PutProject(ctx, engram.Project{Name: "app", CreatedAt: storetest.Day()})
	}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(saveMany(ctx, s, 1, 70), s.Close()); err != nil {
		t.Fatal(err)
	}
	n := 70
	for sealed := false; !sealed; n++ { // a process that another save overtook leaves it to the next one
		s = open(t, server, space)
		if err := errors.Join(saveMany(ctx, s, n+1, 1), s.Close()); err != nil {
			t.Fatal(err)
		}
		sealed = server.SQL(t, server.URL(), "SELECT count(*) > 0 FROM segments WHERE collection = 0 AND space = '"+space+"'") == "t\n"
	}
	s = open(t, server, space) // and three more wait
	if err := errors.Join(saveMany(ctx, s, n+1, 3), s.Close()); err != nil {
		t.Fatal(err)
	}
	q := engram.LexicalQuery{Terms: text.Query("number7"), Limit: 5}
	for _, damage := range []string{"unsealed SET document = ''", "postings SET words = '\\x07ffffff'", "documents SET rows = ''", "segments SET firsts = '\\xff'"} {
		server.SQL(t, server.URL(), "UPDATE "+damage+" WHERE space = '"+space+"'")
		s := open(t, server, space)
		err := s.View(ctx, func(r engram.Reader) error { _, err := r.Lexical(ctx, q); return err })
		hint := ""
		if e, is := errors.AsType[*engram.Error](err); is {
			hint = e.Hint
		}
		if engram.CodeOf(err) != engram.CodeInternal || !strings.Contains(hint, "reembed") {
			t.Errorf("%s: got %v, hint %q", damage, err, hint)
		}
		facts, err := postgres.Examine(ctx, postgres.Options{URL: server.URL(), Space: space}, health.Query{Checks: []health.ID{health.IndexInStep}, Most: 3})
		if engram.CodeOf(facts.Index.Broken) != engram.CodeInternal || err != nil {
			t.Errorf("%s: doctor has %v, %v", damage, facts.Index.Broken, err)
		}
		err = s.Update(ctx, func(tx engram.Tx) error { return tx.Reindex(ctx) })
		if err = errors.Join(err, postgres.CheckIndex(ctx, s), s.Close()); err != nil {
			t.Errorf("%s: rebuilt: %v", damage, err)
		}
	}
}
