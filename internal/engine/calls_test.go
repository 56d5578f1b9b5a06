package engine_test

import (
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Over a network each call on the store is a round trip, so what agents do all day must make few.
func TestCallsOnTheStore(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	counting := &enginetest.Counting{Store: w.Store}
	w.Engine = engine.New(engine.Options{Store: counting, Embedder: enginetest.Embedder(), Now: w.Clock.Now, NewID: enginetest.IDs()})
	for i, text := range []string{
		"The importer reads invoices from the shared folder every night and stops at the first broken file",
		"Postgres runs on port 5433 in staging because the old cluster keeps the default",
		"Deploys to production go out on Tuesdays after the integration tests are green",
	} {
		w.MustSave(remember.SaveInput{Title: fmt.Sprintf("Note %d", i), Content: text, Project: "demo"})
	}
	for _, c := range []struct {
		name string
		most int
		do   func()
	}{
		{"save", 20, func() {
			w.MustSave(remember.SaveInput{Title: "Nightly import", Content: "The importer of invoices reads the shared folder at night and skips broken files", Project: "demo"})
		}},
		{"search", 12, func() {
			if found := w.MustSearch(search.SearchInput{Query: "which broken invoices does importer read nightly from shared folder", Filter: engram.Filter{Project: "demo"}}); len(found.Hits) == 0 {
				t.Error("found nothing")
			}
		}},
	} {
		counting.Calls()
		c.do()
		calls := counting.Calls()
		t.Logf("%s: %d calls %q", c.name, len(calls), calls)
		if len(calls) > c.most {
			t.Errorf("%s makes %d calls, at most %d", c.name, len(calls), c.most)
		}
	}
}
