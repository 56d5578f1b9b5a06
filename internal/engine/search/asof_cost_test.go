package search_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// readCounter is a store that counts the rows read from its journal and its relations.
type readCounter struct {
	engram.Store
	entries, relations, offsets *int
}

func (c readCounter) View(ctx context.Context, fn func(engram.Reader) error) error {
	return c.Store.View(ctx, func(r engram.Reader) error { return fn(countedReader{r, c}) })
}

type countedReader struct {
	engram.Reader
	readCounter readCounter
}

func (r countedReader) Mutations(ctx context.Context, s engram.JournalSpan, p engram.Page) ([]engram.Mutation, error) {
	ms, err := r.Reader.Mutations(ctx, s, p)
	*r.readCounter.entries += len(ms)
	return ms, err
}

func (r countedReader) Relations(ctx context.Context, f engram.RelationFilter, p engram.Page) ([]engram.Relation, error) {
	rs, err := r.Reader.Relations(ctx, f, p)
	*r.readCounter.relations += len(rs)
	return rs, err
}

func (r countedReader) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	*r.readCounter.offsets += p.Offset
	return r.Reader.List(ctx, f, p)
}

// manyChanged is a world of so many memories, each related to the next, that have all changed since then; asked reads
// from a counting store.
func manyChanged(t testing.TB, n int) (w enginetest.World, asked *engine.Engine, read readCounter, then time.Time) {
	t.Helper()
	w = enginetest.NewWorld(t).Unlinked()
	w.MustSave(remember.SaveInput{Title: "first", Content: "the first", Project: "big"})
	each := func(do func(tx engram.Tx, i int, now time.Time) error) {
		now := w.Clock.Now()
		err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
			for i := range n {
				if err := do(tx, i, now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	note := func(tx engram.Tx, now time.Time, entity engram.Entity, num int64, was string) error {
		m := engram.Mutation{At: engram.Clock(0).Tick(now), Actor: "cli", Operation: "save", Entity: entity, Key: fmt.Sprint(num), Project: "big"}
		if was != "" {
			m.Was = []byte(was)
		}
		return tx.Append(t.Context(), &m)
	}
	each(func(tx engram.Tx, i int, now time.Time) error {
		m := engram.Memory{ID: engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, 1_000_000+i)), SyncID: fmt.Sprintf("obs-many-%d", i), Project: "big",
			Scope: engram.ScopeProject, Type: "note", Origin: engram.OriginAgent, Title: fmt.Sprintf("title %d", i), Content: fmt.Sprintf("content %d, kettle %d", i, i%97),
			Importance: 0.5, Strength: 1, TouchedAt: now, CreatedAt: now, UpdatedAt: now, RevisionCount: 1, NormalizedHash: fmt.Sprintf("%064x", i)}
		if err := tx.InsertMemory(t.Context(), &m); err != nil {
			return err
		}
		return note(tx, now, engram.EntityMemory, m.Num, "")
	})
	link := func(apart int) {
		each(func(tx engram.Tx, i int, now time.Time) error {
			r := engram.Relation{ID: fmt.Sprintf("rel-%d-%d", apart, i), Source: int64(2 + i), Target: int64(2 + (i+apart)%n), Verb: engram.VerbRelatesTo,
				Status: engram.RelationJudged, Strength: 1, CreatedAt: now, UpdatedAt: now}
			if err := tx.InsertRelation(t.Context(), &r); err != nil {
				return err
			}
			return note(tx, now, engram.EntityRelation, r.Num, "")
		})
	}
	link(1)
	then = w.Later()
	each(func(tx engram.Tx, i int, now time.Time) error {
		if err := note(tx, now, engram.EntityMemory, int64(2+i), `{"strength":0.9}`); err != nil {
			return err
		}
		return note(tx, now, engram.EntityRelation, int64(1+i), `{"reason":"before"}`)
	})
	link(2)
	w.Later()
	read = readCounter{w.Store, new(int), new(int), new(int)}
	p := lifecycle.DefaultPolicy()
	return w, engine.New(engine.Options{Store: read, Now: w.Clock.Now, Policy: &p}), read, then
}

func TestThePastOfOneMemoryIsReadFromItsOwnEntries(t *testing.T) {
	t.Parallel()
	w, e, read, then := manyChanged(t, 3000)
	d, err := e.GetAsOf(t.Context(), engram.ByNum(5), then)
	if err != nil || d.Memory.Strength != 0.9 || len(d.Relations) != 2 || d.Relations[0].Relation.Reason != "before" {
		t.Fatalf("got %+v, %v; want it as it was, with its two relations of then", d, err)
	}
	if *read.entries > 30 {
		t.Errorf("read %d entries of the journal for one memory and its two relations", *read.entries)
	}
	_ = w
}

func TestAListOfThePastReadsEverythingOnce(t *testing.T) {
	t.Parallel()
	const n = 3000
	_, e, read, then := manyChanged(t, n)
	for _, tt := range []struct {
		name      string
		f         engram.Filter
		relations int
	}{
		{"a page", engram.Filter{}, 0},
		{"a page of what was not superseded", engram.Filter{Current: true}, 1000},
		{"by strength", engram.Filter{MinStrength: 1}, 0}, // none: every memory is looked at
	} {
		t.Run(tt.name, func(t *testing.T) {
			*read.entries, *read.relations, *read.offsets = 0, 0, 0
			ms, _, err := enginetest.ListAsOf(t.Context(), e, tt.f, engram.Page{}, then)
			if err != nil || len(ms) == 0 && tt.f.MinStrength == 0 {
				t.Fatalf("got %d memories, %v", len(ms), err)
			}
			if *read.entries > 2*n+1000 {
				t.Errorf("read %d entries, want each of the %d changes at most once", *read.entries, 2*n)
			}
			if *read.relations > tt.relations {
				t.Errorf("read %d relations for a page of 20, want at most %d", *read.relations, tt.relations)
			}
			if *read.offsets > 0 {
				t.Errorf("walked over %d memories of pages before", *read.offsets)
			}
		})
	}
}

// The cost of one question about the past when everything has changed.
func BenchmarkAsOf(b *testing.B) {
	_, e, _, then := manyChanged(b, 10_000)
	for name, ask := range map[string]func() error{
		"get": func() error { _, err := e.GetAsOf(b.Context(), engram.ByNum(5), then); return err },
		"list": func() error {
			_, _, err := enginetest.ListAsOf(b.Context(), e, engram.Filter{Current: true}, engram.Page{}, then)
			return err
		},
		"search": func() error {
			_, err := e.Search(b.Context(), search.SearchInput{Query: "kettle 5", AsOf: then})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
