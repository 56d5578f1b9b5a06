package search_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// hub is a memory with a hundred thousand relations to and from 6,250 others by every verb, and one that
// supersedes it.
func hub(b *testing.B) (w enginetest.World, num int64) {
	b.Helper()
	w = enginetest.NewWorld(b)
	num = w.Note("Token lifetime", "The token lifetime is an hour.")
	young := w.Note("Audit", "Fifteen minutes from now on.")
	w.MustLink(young, engram.VerbSupersedes, num)
	verbs := slices.DeleteFunc(engram.Verbs(), func(v engram.Verb) bool { return v == engram.VerbSupersedes })
	err := w.Store.Update(b.Context(), func(tx engram.Tx) error {
		for i := range 6_250 {
			m := engram.Memory{ID: engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, 1_000_000+i)), SyncID: fmt.Sprint("obs-", i), Project: "demo",
				SessionID: "manual-save-demo", Scope: engram.ScopeProject, Type: engram.TypeManual, Origin: engram.OriginAgent,
				Title: fmt.Sprint("leaf ", i), Content: fmt.Sprint("leaf number ", i), Strength: 1, RevisionCount: 1, DuplicateCount: 1,
				NormalizedHash: fmt.Sprintf("%064x", i), CreatedAt: w.Now(), UpdatedAt: w.Now(), TouchedAt: w.Now()}
			if err := tx.InsertMemory(b.Context(), &m); err != nil {
				return err
			}
			for j, verb := range verbs {
				for k, ends := range [][2]int64{{num, m.Num}, {m.Num, num}} {
					r := engram.Relation{ID: fmt.Sprintf("rel-%d-%d-%d", i, j, k), Source: ends[0], Target: ends[1], Verb: verb,
						Status: engram.RelationJudged, Strength: 1, CreatedAt: w.Now(), UpdatedAt: w.Now()}
					if err := tx.InsertRelation(b.Context(), &r); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return w, num
}

func BenchmarkHub(b *testing.B) {
	w, num := hub(b)
	b.Run("all its relations", func(b *testing.B) {
		for b.Loop() {
			err := w.Store.View(b.Context(), func(r engram.Reader) error {
				all, err := engram.RelationsOf(b.Context(), r, []int64{num}, nil, 0)
				if len(all) != 100_001 {
					b.Fatalf("%d relations", len(all))
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			w.MustSearch(search.SearchInput{Query: "token lifetime", Filter: engram.Filter{Project: "demo", Current: true}})
		}
	})
	b.Run("graph", func(b *testing.B) {
		for b.Loop() {
			w.MustGraph(read.GraphInput{Ref: engram.ByNum(num)})
		}
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			w.MustGet(num)
		}
	})
}
