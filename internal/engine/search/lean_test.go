package search_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// What the vectors of a project have in common is computed again when a project of some size has grown by an eighth, and
// not while a small one has too few to tell.
func TestTheNewestVectorsAreReadWhenTheyMayTellMore(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	counting := &enginetest.Counting{Store: w.Store}
	at := w.Clock.Now() // nothing gets old
	e := engine.New(engine.Options{Store: counting, Embedder: enginetest.Embedder(), Now: func() time.Time { return at }, NewID: enginetest.IDs()})
	saved := 0
	grow := func(to int) {
		for ; saved < to; saved++ {
			w.Note(fmt.Sprintf("Valve %d", saved), fmt.Sprintf("Valve number %d of the boiler was greased.", saved))
		}
	}
	reads := func() bool {
		counting.Calls()
		if _, err := e.Search(t.Context(), search.SearchInput{Query: "valve boiler greased", Filter: engram.Filter{Project: "demo"}}); err != nil {
			t.Fatal(err)
		}
		return slices.Contains(counting.Calls(), "NewestVectors")
	}
	for _, step := range []struct {
		memories int
		reads    bool
	}{
		{10, true}, {10, false}, {12, false}, {retrieval.LeastCohesion - 1, false},
		{retrieval.LeastCohesion, true}, {retrieval.LeastCohesion, false}, {retrieval.LeastCohesion + 6, false}, {retrieval.LeastCohesion + 8, true},
		{120, true}, {120, false}, {121, false},
	} {
		grow(step.memories)
		if got := reads(); got != step.reads {
			t.Errorf("with %d memories: reads the newest vectors: %v, want %v", step.memories, got, step.reads)
		}
	}
}
