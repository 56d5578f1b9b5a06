// Package indextest lives through random histories of an index of words beside a plain model of it (model.go): memories are
// saved, changed, forgotten, restored, erased and moved in transactions of which some are given up (operation.go), and
// every answer is compared with that of the model (draw.go, compare.go).
//
// It knows nothing of how a store keeps its index: a test says how the store is opened and examined. A history is that of
// its seed, except for what a store does beside it.
package indextest

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
)

// Stores is where a world is kept.
type Stores struct {
	// Open opens it as one more process does.
	Open func(context.Context) (engram.Store, error)
	// Examine inspects it as doctor does.
	Examine func(context.Context, health.Query) (health.Facts, error)
}

// World is a store that lives through a history, and what is in it. Its methods fail the test at the first thing that is not
// as the model says.
type World struct {
	testing.TB
	Step  int                     // named by failures
	Words []string                // that texts are made of, the most frequent ones first
	All   map[int64]engram.Memory // live and forgotten, by number

	ctx    context.Context // of the transaction that Attempt runs; nil for the test's
	r      *rand.Rand
	at     Stores
	opened [2]engram.Store // as two processes, of which the first writes; nil until used
	erased []engram.Memory
	moved  []move
	model  *model
	made   int
	newest []string // words of the memory that was made last, saved or given up
}

// New returns a world of five projects with two sessions each, and no memories.
func New(t testing.TB, seed uint64, at Stores) *World {
	w := &World{TB: t, at: at, All: map[int64]engram.Memory{}, model: newModel()}
	w.Seed(seed, 19)
	t.Cleanup(w.Close)
	for len(w.Words) < 300 {
		w.Words = append(w.Words, w.coin())
	}
	w.newest = w.Words[:1]
	err := w.store(0).Update(t.Context(), func(tx engram.Tx) error {
		for _, p := range w.projects() {
			if err := tx.PutProject(t.Context(), engram.Project{Name: p, CreatedAt: minute(0)}); err != nil {
				return err
			}
			for _, s := range []string{"a", "b"} {
				if err := tx.PutSession(t.Context(), engram.Session{ID: p + "-" + s, Project: p, StartedAt: minute(0), ActiveAt: minute(0)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Seed has what is drawn from now on depend on two numbers alone.
func (w *World) Seed(seed, stream uint64) { w.r = rand.New(rand.NewPCG(seed, stream)) }

// Copy returns the world as it is now, to live on in a copy of its store. It shares the drawing, until Seed.
func (w *World) Copy(t testing.TB, at Stores) *World {
	c := w.clone()
	c.TB, c.at, c.opened = t, at, [2]engram.Store{}
	t.Cleanup(c.Close)
	return c
}

// clone returns w with contents of its own.
func (w *World) clone() *World {
	c := *w
	c.All, c.model, c.erased, c.moved = maps.Clone(w.All), w.model.clone(), slices.Clone(w.erased), slices.Clone(w.moved)
	return &c
}

// Live returns the numbers of the live memories, in order.
func (w *World) Live() []int64 { return slices.Sorted(maps.Keys(w.model.live)) }

// Run lives through a history: transactions, most of them followed by questions.
func (w *World) Run(transactions int) {
	for w.Step = range transactions {
		w.transaction()
		w.Ask(w.r.IntN(6))
		if w.Step%50 == 49 {
			w.Examine()
		}
	}
	w.Examine()
}

// Context returns the context of the running transaction, or else that of the test.
func (w *World) Context() context.Context {
	if w.ctx != nil {
		return w.ctx
	}
	return w.TB.Context()
}

// Attempt runs a transaction; if it fails, the model is as before.
func (w *World) Attempt(ctx context.Context, fn func(engram.Tx) error) error {
	s := w.store(0)
	return w.attempt(ctx, func(ctx context.Context) error { return s.Update(ctx, fn) })
}

func (w *World) attempt(ctx context.Context, update func(context.Context) error) error {
	before := w.clone()
	w.ctx = ctx
	err := update(ctx)
	if w.ctx = nil; err != nil {
		w.All, w.erased, w.moved, w.model, w.made = before.All, before.erased, before.moved, before.model, before.made
	}
	return err
}

// Examine has the doctor compare the whole index with the memories.
func (w *World) Examine() {
	w.Helper()
	f, err := w.at.Examine(context.Background(), health.Query{Checks: []health.ID{health.IndexInStep, health.Integrity}, Full: true, Most: 3})
	if err = errors.Join(err, f.Err, f.Index.Err, f.Index.Broken, f.Damage.Err); err != nil {
		w.Failf("examine: %v", err)
	}
	live := len(w.model.live)
	if x := f.Index; x.Live != live || x.Indexed != live || x.Missing.Count+x.Dead.Count+x.Doubled.Count+x.Moved.Count > 0 || len(f.Damage.Problems) > 0 {
		w.Failf("examine: %d memories are live, found %+v and %v", live, x, f.Damage.Problems)
	}
}

// store returns one of the two stores, open.
func (w *World) store(i int) engram.Store {
	w.Helper()
	if w.opened[i] == nil {
		s, err := w.at.Open(context.Background())
		if err != nil {
			w.Failf("open: %v", err)
		}
		w.opened[i] = s
	}
	return w.opened[i]
}

// Open opens what is closed; else the next use does.
func (w *World) Open() {
	w.Helper()
	w.store(0)
	w.store(1)
}

// Close ends both processes; the next use begins new ones.
func (w *World) Close() {
	w.Helper()
	w.close(0)
	w.close(1)
}

func (w *World) close(i int) {
	w.Helper()
	s := w.opened[i]
	if w.opened[i] = nil; s == nil {
		return
	}
	if err := s.Close(); err != nil {
		w.Failf("close: %v", err)
	}
}

// Failf ends the test.
func (w *World) Failf(format string, args ...any) {
	w.Helper()
	w.Fatalf("step %d: "+format, append([]any{w.Step}, args...)...)
}

// minute is a time, in minutes.
func minute(n int) time.Time {
	return time.Unix(1_700_000_000, 0).UTC().Add(time.Duration(n) * time.Minute)
}
