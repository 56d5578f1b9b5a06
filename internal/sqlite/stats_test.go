package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// For a project with most of the memories, the other relations are counted instead: both ways must give
// the same, with forgotten memories and removed relations.
func TestTheRelationsOfAProjectAreThoseBetweenLiveMemories(t *testing.T) {
	for seed := range uint64(12) {
		chance := rand.New(rand.NewPCG(seed, 1))
		s := open(t, filepath.Join(t.TempDir(), "engram.db"))
		c := storetest.NewCorpus(seed)
		makeProjects(t, s, c)
		names := c.Projects()[:3]
		ms := make([]engram.Memory, 60)
		want := map[string]int{}
		update(t, s, func(tx engram.Tx) error {
			for i := range ms {
				ms[i] = c.Memory(now())
				ms[i].Project = names[[]int{0, 0, 0, 0, 0, 0, 0, 1, 1, 2}[chance.IntN(10)]]
				ms[i].SessionID = "s-" + ms[i].Project
				if err := saveOne(t, tx, &ms[i]); err != nil {
					return err
				}
			}
			for i := range 150 {
				r := engram.Relation{ID: fmt.Sprint("rel-", i), Source: ms[chance.IntN(60)].Num, Target: ms[chance.IntN(60)].Num,
					Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, CreatedAt: now(), UpdatedAt: now()}
				if r.Source == r.Target {
					continue
				}
				if err := tx.InsertRelation(t.Context(), &r); engram.CodeOf(err) == engram.CodeConflict {
					continue
				} else if err != nil {
					return err
				}
				if chance.IntN(5) == 0 {
					r.RemovedAt = now()
					if err := tx.ReplaceRelation(t.Context(), r); err != nil {
						return err
					}
				}
			}
			for i := range ms {
				if chance.IntN(4) == 0 {
					ms[i].DeletedAt = now()
					if err := tx.ReplaceMemory(t.Context(), ms[i]); err != nil {
						return err
					}
				}
			}
			return nil
		})
		view(t, s, func(r engram.Reader) error {
			of := map[int64]engram.Memory{}
			nums := make([]int64, len(ms))
			for i, m := range ms {
				of[m.Num], nums[i] = m, m.Num
			}
			rs, err := engram.RelationsOf(t.Context(), r, nums, nil, 0)
			if err != nil {
				return err
			}
			for _, rel := range rs {
				if rel.RemovedAt.IsZero() && of[rel.Source].DeletedAt.IsZero() && of[rel.Target].DeletedAt.IsZero() {
					want[of[rel.Source].Project]++
					want[""]++
				}
			}
			for _, name := range append(names, "") {
				st, err := r.Stats(t.Context(), name)
				if err != nil {
					return err
				}
				if st.Relations != want[name] {
					t.Errorf("seed %d, project %q with %d memories: got %d relations, want %d", seed, name, st.Memories, st.Relations, want[name])
				}
			}
			return nil
		})
		closed(t, s)
	}
}
