package engine_test

import (
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// BenchmarkSearchBesideAProject measures the cost of finding personal memories from a project: without any, and
// with some in another project.
func BenchmarkSearchBesideAProject(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		dir := b.TempDir()
		if err := fillFolder(dir, n); err != nil {
			b.Fatal(err)
		}
		for _, personal := range []int{0, 20} {
			for _, own := range []bool{true, false} {
				b.Run(fmt.Sprintf("memories=%d/personal=%d/own=%v", n, personal, own), func(b *testing.B) {
					onOne(b, func() (string, error) { return dir, nil }, func(b *testing.B, w enginetest.World, c *storetest.Corpus) {
						if personal > 0 && len(w.MustList(engram.Filter{Beyond: true})) == 0 {
							ids := enginetest.IDs()
							for range n + 1 { // those of the store
								ids()
							}
							w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: enginetest.Embedder(), Now: enginetest.Start, NewID: ids})
							for range personal {
								w.MustSave(remember.SaveInput{Content: c.Question(40), Project: "of a person", Scope: engram.ScopePersonal})
							}
						}
						c = storetest.NewCorpus(1)
						c.Question(100_000)
						ask := func() {
							if _, err := w.Search(b.Context(), search.SearchInput{Query: c.Question(10), Own: own, Filter: inAProject(c)}); err != nil {
								b.Fatal(err)
							}
						}
						ask()
						measured(b, func() {
							for b.Loop() {
								ask()
							}
						})
					})
				})
			}
		}
	}
}
