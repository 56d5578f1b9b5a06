package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/project"
)

// world is an engine under test, with common operations that fail the test instead of returning an error.
type world struct {
	testing.TB
	enginetest.Parts
}

func newWorld(t testing.TB) world {
	t.Helper()
	return world{t, enginetest.NewParts(t)}
}

// in returns the same world for a subtest.
func (w world) in(t testing.TB) world { return world{t, w.Parts} }

// unlinked returns the same world with an engine that creates no relations or candidates by itself.
func (w world) unlinked() world {
	p := lifecycle.DefaultPolicy()
	p.MostLinks, p.MostCandidates = 0, 0
	w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: enginetest.Embedder(), Now: w.Clock.Now, NewID: enginetest.IDs(), Policy: &p,
		Code: w.Code, Caller: ledger.Caller{Dir: enginetest.CodeFolder}})
	return w
}

// again returns another process on the same file.
func (w world) again() world { return world{w.TB, w.Parts.Again(w.TB)} }

func (w world) save(in remember.SaveInput) remember.SaveResult {
	w.Helper()
	res, err := w.Save(w.Context(), in)
	if err != nil {
		w.Fatalf("save %+v: %v", in, err)
	}
	return res
}

// note saves a text in project demo and returns its number.
func (w world) note(title, content string) int64 {
	w.Helper()
	return w.save(remember.SaveInput{Title: title, Content: content, Project: "demo"}).Memory.Num
}

func (w world) get(num int64) read.Detail {
	w.Helper()
	d, err := w.Get(w.Context(), engram.ByNum(num))
	if err != nil {
		w.Fatalf("get #%d: %v", num, err)
	}
	return d
}

func (w world) search(in search.SearchInput) engram.Found {
	w.Helper()
	found, err := w.Search(w.Context(), in)
	if err != nil {
		w.Fatalf("search %+v: %v", in, err)
	}
	return found
}

// find returns the numbers of what a question finds, best first.
func (w world) find(query string) []int64 {
	w.Helper()
	return hitNums(w.search(search.SearchInput{Query: query}).Hits)
}

func (w world) list(f engram.Filter) []int64 {
	w.Helper()
	ms, err := w.List(w.Context(), f, engram.Page{Limit: 1000})
	if err != nil {
		w.Fatalf("list %+v: %v", f, err)
	}
	return nums(ms)
}

func (w world) stats() engram.Stats {
	w.Helper()
	st, err := w.Stats(w.Context(), "")
	if err != nil {
		w.Fatalf("stats: %v", err)
	}
	return st
}

func (w world) session(id, in string) {
	w.Helper()
	if _, err := w.StartSession(w.Context(), remember.SessionInput{ID: id, Project: in}); err != nil {
		w.Fatalf("start session %s: %v", id, err)
	}
}

// journal returns every entry, oldest first.
func (w world) journal() []engram.Mutation {
	w.Helper()
	var all []engram.Mutation
	err := w.Store.View(w.Context(), func(r engram.Reader) (err error) {
		all, err = r.Mutations(w.Context(), engram.JournalSpan{}, engram.Page{Limit: 100_000})
		return err
	})
	if err != nil {
		w.Fatalf("read journal: %v", err)
	}
	slices.Reverse(all)
	return all
}

// since returns the entries that do writes.
func (w world) since(do func()) []engram.Mutation {
	w.Helper()
	before := len(w.journal())
	do()
	return w.journal()[before:]
}

// failer is the part of testing.TB and rapid.T that helpers need.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// was returns the Was of an entry as decoded JSON; nil without one.
func was(t failer, m engram.Mutation) map[string]any {
	t.Helper()
	if m.Was == nil {
		return nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(m.Was, &fields); err != nil {
		t.Fatalf("entry %d has %s: %v", m.Seq, m.Was, err)
	}
	return fields
}

func nums(ms []engram.Memory) []int64 {
	all := make([]int64, len(ms))
	for i, m := range ms {
		all[i] = m.Num
	}
	return all
}

func hitNums(hits []engram.Hit) []int64 {
	all := make([]int64, len(hits))
	for i, h := range hits {
		all[i] = h.Memory.Num
	}
	return all
}

// wantCode fails unless err has the code, and a hint if the caller can act on it.
func wantCode(t testing.TB, err error, code engram.Code) {
	t.Helper()
	if engram.CodeOf(err) != code {
		t.Fatalf("got error %v (%q), want code %q", err, engram.CodeOf(err), code)
	}
}

// wantProblem fails unless err is a project problem with this reason.
func wantProblem(t testing.TB, err error, reason project.Reason) *project.Problem {
	t.Helper()
	p, ok := errors.AsType[*project.Problem](err)
	if !ok || p.Reason != reason {
		t.Fatalf("got error %v with the cause %+v, want reason %s", err, p, reason)
	}
	return p
}

func same[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\n got %v\nwant %v", what, got, want)
	}
}

// listAsOf lists memories at a past time.
func listAsOf(ctx context.Context, e interface {
	ListAsOf(context.Context, engram.Filter, engram.Page, time.Time) (read.Listed, error)
}, f engram.Filter, p engram.Page, at time.Time) ([]engram.Memory, []string, error) {
	l, err := e.ListAsOf(ctx, f, p, at)
	return l.Memories, l.Degraded, err
}
