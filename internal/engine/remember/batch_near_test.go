package remember_test

import (
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A batch looks around for all its memories at once, which must find what each finds when it is saved alone: in its
// project, in none, where the search has to be widened past those of projects, and among the items before it.
func TestABatchFindsWhatEachFindsAlone(t *testing.T) {
	t.Parallel()
	upload := func(n int, project string) remember.SaveInput {
		return remember.SaveInput{Title: fmt.Sprintf("Upload queue of host %d", n), Project: project,
			Content: fmt.Sprintf("The upload queue of host %d retries %d times and waits two seconds in between.", n, n%4+2)}
	}
	var before, batch []remember.SaveInput
	for n := range 40 {
		before = append(before, upload(n, []string{"shop", "bank", "shop", ""}[n%4]))
		batch = append(batch, upload(100+n, []string{"bank", "", "new", "shop", "shop"}[n%5]))
	}
	batch[7].Type = engram.TypeSessionSummary // is not compared
	relations := func(save func(w enginetest.World)) (all []string) {
		w := enginetest.NewWorld(t)
		for _, in := range before {
			w.MustSave(in)
		}
		save(w)
		err := w.Store.View(t.Context(), func(r engram.Reader) error {
			rs, err := r.Relations(t.Context(), engram.RelationFilter{OldestFirst: true}, engram.Page{Limit: 10_000})
			for _, x := range rs {
				all = append(all, fmt.Sprintf("#%d %s #%d, %s, %.4f %s", x.Source, x.Verb, x.Target, x.Status, x.Strength, x.Reason))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	alone := relations(func(w enginetest.World) {
		for _, in := range batch {
			w.MustSave(in)
		}
	})
	together := relations(func(w enginetest.World) {
		if _, err := w.SaveBatch(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	})
	if len(alone) < 2*len(batch) {
		t.Fatalf("got %d relations, which says little", len(alone))
	}
	for i, want := range alone {
		if i >= len(together) || together[i] != want {
			t.Fatalf("relation %d of %d alone, %d together: got %q, want %q", i+1, len(alone), len(together), together[min(i, len(together)-1)], want)
		}
	}
	if len(together) > len(alone) {
		t.Errorf("got %q beyond those", together[len(alone):])
	}
}
