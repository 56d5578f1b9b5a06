package enginetest

import (
	"os"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// World is an engine under test, with common operations that fail the test instead of returning an error.
type World struct {
	testing.TB
	Parts
}

// NewWorld returns a world on an empty store.
func NewWorld(t testing.TB) World {
	t.Helper()
	return World{t, NewParts(t)}
}

// NewWorldIn is NewWorld with the file in dir, for tests with many stores.
func NewWorldIn(t testing.TB, dir string) World {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return World{t, NewPartsIn(t, dir)}
}

// In returns the same world for a subtest.
func (w World) In(t testing.TB) World { return World{t, w.Parts} }

// Unlinked returns the same world with an engine that creates no relations or candidates by itself.
func (w World) Unlinked() World {
	p := lifecycle.DefaultPolicy()
	p.MostLinks, p.MostCandidates = 0, 0
	w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: Embedder(), Now: w.Clock.Now, NewID: IDs(), Policy: &p,
		Code: w.Code, Caller: ledger.Caller{Dir: CodeFolder}})
	return w
}

// Reopened returns another process on the same file.
func (w World) Reopened() World { return World{w.TB, w.Parts.Again(w.TB)} }

// MustSave is Save of the engine; the test fails on its error.
func (w World) MustSave(in remember.SaveInput) remember.SaveResult {
	w.Helper()
	res, err := w.Save(w.Context(), in)
	if err != nil {
		w.Fatalf("save %+v: %v", in, err)
	}
	return res
}

// Note saves a text in project demo and returns its number.
func (w World) Note(title, content string) int64 {
	w.Helper()
	return w.MustSave(remember.SaveInput{Title: title, Content: content, Project: "demo"}).Memory.Num
}

// MustGet returns a memory by its number.
func (w World) MustGet(num int64) read.Detail {
	w.Helper()
	d, err := w.Get(w.Context(), engram.ByNum(num))
	if err != nil {
		w.Fatalf("get #%d: %v", num, err)
	}
	return d
}

// MustSearch is Search of the engine; the test fails on its error.
func (w World) MustSearch(in search.SearchInput) engram.Found {
	w.Helper()
	found, err := w.Search(w.Context(), in)
	if err != nil {
		w.Fatalf("search %+v: %v", in, err)
	}
	return found
}

// MustFind returns the numbers of what a question finds, best first.
func (w World) MustFind(query string) []int64 {
	w.Helper()
	return HitNums(w.MustSearch(search.SearchInput{Query: query}).Hits)
}

// MustList returns the numbers of what a filter lists.
func (w World) MustList(f engram.Filter) []int64 {
	w.Helper()
	ms, err := w.List(w.Context(), f, engram.Page{Limit: 1000})
	if err != nil {
		w.Fatalf("list %+v: %v", f, err)
	}
	return Nums(ms)
}

// MustStats is Stats of the engine; the test fails on its error.
func (w World) MustStats() engram.Stats {
	w.Helper()
	st, err := w.Stats(w.Context(), "")
	if err != nil {
		w.Fatalf("stats: %v", err)
	}
	return st
}

// MustSession starts a session in a project.
func (w World) MustSession(id, in string) {
	w.Helper()
	if _, err := w.StartSession(w.Context(), remember.SessionInput{ID: id, Project: in}); err != nil {
		w.Fatalf("start session %s: %v", id, err)
	}
}

// Journal returns every entry, oldest first.
func (w World) Journal() []engram.Mutation {
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

// Since returns the entries that do writes.
func (w World) Since(do func()) []engram.Mutation {
	w.Helper()
	before := len(w.Journal())
	do()
	return w.Journal()[before:]
}
