package exchange_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// written is a source of records made by a test.
type written struct {
	records []engram.Record
	notes   []engram.ImportNote
	end     error
}

func (w written) Read(context.Context) (engram.Snapshot, iter.Seq2[engram.Record, error], error) {
	return engram.Snapshot{Format: "test"}, func(yield func(engram.Record, error) bool) {
		for _, r := range w.records {
			if !yield(r, nil) {
				return
			}
		}
		if w.end != nil {
			yield(engram.Record{}, w.end)
		}
	}, nil
}

func (w written) Notes() []engram.ImportNote { return w.notes }
func (w written) Close() error               { return nil }

// paged is a memory that has only the time of its file.
func paged(sync, content string, at time.Time) engram.Record {
	return engram.Record{Item: sync, Memory: &engram.MemoryRecord{Memory: engram.Memory{SyncID: sync, Project: "shop", Type: engram.TypePolicy, Title: sync, Content: content,
		Metadata: map[string]any{"source": "test", "source_id": sync, engram.SourceDated: "file"}, Importance: 0.5, Strength: 1, CreatedAt: at, UpdatedAt: at}}}
}

func tiedAs(reason string, at time.Time) engram.Record {
	return engram.Record{Item: "relation", Relation: &engram.RelationRecord{Source: engram.Ref{SyncID: "obs-a"}, Target: engram.Ref{SyncID: "obs-b"},
		Relation: engram.Relation{ID: "rel-00000000000000aa", Verb: engram.VerbRelatesTo, Strength: 1, Reason: reason, Actor: "test", ActorKind: "agent", CreatedAt: at, UpdatedAt: at}}}
}

func migrated(t *testing.T, e *engine.Engine, in exchange.MigrateInput, records ...engram.Record) exchange.Imported {
	t.Helper()
	res, err := e.Migrate(t.Context(), written{records: records}, in)
	if err != nil {
		t.Fatalf("migrate: %v", err)
	}
	return res
}

func contentOf(t *testing.T, e *engine.Engine, sync string) string {
	t.Helper()
	m, err := e.Get(t.Context(), engram.Ref{SyncID: sync})
	if err != nil {
		t.Fatalf("get %s: %v", sync, err)
	}
	return m.Memory.Content
}

func TestMigrateTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	day := func(n int) time.Time { return time.Date(2026, 3, n, 4, 5, 6, 789_123, time.UTC) }
	read := func(n int) []engram.Record {
		return []engram.Record{paged("obs-a", "one", day(n)), paged("obs-b", "two <private>key</private>", day(n)), tiedAs("uses", day(n))}
	}
	first := migrated(t, e, exchange.MigrateInput{}, read(1)...)
	if first.Memories.Added != 2 || first.Relations.Added != 1 || first.Op == 0 || first.From.Format != "test" {
		t.Fatalf("the first time: %+v, want two memories and a relation", first)
	}
	for name, again := range map[string]exchange.Imported{
		"the same file":                 migrated(t, e, exchange.MigrateInput{}, read(1)...),
		"a file that was touched":       migrated(t, e, exchange.MigrateInput{}, read(2)...),
		"a file that was touched again": migrated(t, e, exchange.MigrateInput{}, read(3)...),
	} {
		if again.Op != 0 || again.Memories.Unchanged != 2 || again.Relations.Unchanged != 1 {
			t.Errorf("%s changed something: %+v", name, again)
		}
	}
}

func TestWhatWasEditedHereSurvivesATouchedFile(t *testing.T) {
	t.Parallel()
	e, ctx := enginetest.New(t), t.Context()
	at := func(n int) time.Time { return enginetest.Start().AddDate(0, 0, n) }
	migrated(t, e, exchange.MigrateInput{}, paged("obs-a", "one", at(-9)), paged("obs-b", "two", at(-9)), tiedAs("uses", at(-9)))
	if _, err := e.Update(ctx, remember.UpdateInput{Ref: engram.Ref{SyncID: "obs-a"}, Content: new("mine")}); err != nil {
		t.Fatal(err)
	}
	touched := at(1).Add(-time.Hour) // later than the edit, as this test's clock goes
	res := migrated(t, e, exchange.MigrateInput{}, paged("obs-a", "one", touched), paged("obs-b", "two", touched), tiedAs("uses", touched))
	if got := contentOf(t, e, "obs-a"); got != "mine" || res.Op != 0 {
		t.Errorf("a file that was only touched made it %q (%+v), want what was written here", got, res)
	}
	if _, err := e.Unlink(ctx, relate.UnlinkInput{A: engram.Ref{SyncID: "obs-a"}, B: engram.Ref{SyncID: "obs-b"}}); err != nil {
		t.Fatal(err)
	}
	res = migrated(t, e, exchange.MigrateInput{}, paged("obs-a", "one", touched), paged("obs-b", "two", touched), tiedAs("uses", touched))
	if st, err := e.Stats(ctx, ""); err != nil || st.Relations != 0 || res.Op != 0 {
		t.Errorf("a relation that was taken away here is back: %d, %v, %+v", st.Relations, err, res)
	}
	res = migrated(t, e, exchange.MigrateInput{}, paged("obs-a", "one, and more", touched), paged("obs-b", "two", touched))
	if got := contentOf(t, e, "obs-a"); got != "one, and more" || res.Memories.Changed != 1 {
		t.Errorf("a file that was edited later left it %q (%+v), want the file's", got, res)
	}
	res = migrated(t, e, exchange.MigrateInput{}, paged("obs-a", "one", touched.Add(time.Minute)))
	if got := contentOf(t, e, "obs-a"); got != "one" || res.Memories.Changed != 1 {
		t.Errorf("a file that was put back left it %q (%+v), want the file's", got, res)
	}
}

func TestUndoTakesAMigrationBackAndItComesAgain(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	res := migrated(t, e, exchange.MigrateInput{}, paged("obs-a", "one", at))
	if _, err := e.Undo(t.Context(), undo.UndoInput{Op: res.Op}); err != nil {
		t.Fatal(err)
	}
	if st, err := e.Stats(t.Context(), ""); err != nil || st.Memories != 0 {
		t.Errorf("after the undo there are %d memories, %v", st.Memories, err)
	}
	migrated(t, e, exchange.MigrateInput{}, paged("obs-a", "one", at.AddDate(0, 0, 1)))
	if st, err := e.Stats(t.Context(), ""); err != nil || st.Memories != 1 {
		t.Errorf("after another migration there are %d memories, %v; want one", st.Memories, err)
	}
}

func TestMigrateTellsAndHeedsItsSource(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	flaw := engram.Record{Item: "x:1", Flaw: engram.Errorf(engram.CodeInvalid, "it makes no sense")}
	src := written{records: []engram.Record{paged("obs-a", "one", at), flaw}, notes: []engram.ImportNote{{Item: "y", Reason: "left out"}}}
	dry, err := e.Migrate(t.Context(), src, exchange.MigrateInput{DryRun: true})
	if err != nil || dry.Op != 0 || dry.Memories.Added != 1 || dry.Memories.Rejected != 1 || len(dry.Notes) != 1 || dry.Rejected[0].Reason != "it makes no sense" {
		t.Errorf("a dry run: %+v, %v; want one new, one rejected, one note", dry, err)
	}
	if st, err := e.Stats(t.Context(), ""); err != nil || st.Memories != 0 {
		t.Errorf("after a dry run there are %d memories, %v", st.Memories, err)
	}
	src.end = engram.Errorf(engram.CodeUnavailable, "it is being written")
	if _, err := e.Migrate(t.Context(), src, exchange.MigrateInput{}); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("a source that broke off: %v, want CodeUnavailable", err)
	}
	if st, err := e.Stats(t.Context(), ""); err != nil || st.Memories != 0 {
		t.Errorf("of a source that broke off, %d memories came in, %v; want none", st.Memories, err)
	}
	in := migrated(t, e, exchange.MigrateInput{Project: "Blog"}, src.records[0])
	m, err := e.Get(t.Context(), engram.Ref{SyncID: "obs-a"})
	if err != nil || m.Memory.Project != "blog" || m.Memory.Metadata["source"] != "test" || in.Memories.Added != 1 {
		t.Errorf("into blog: %+v, %v", m.Memory, err)
	}
}
