package sqlite_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

// A pruning forgets most of a store in one transaction, which looks up places in the index that it has
// changed itself: segments become sparse, lose blocks and disappear.
func TestAnIndexIsCorrectAfterMostOfItWasForgottenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	c := storetest.NewCorpus(3)
	makeProjects(t, s, c)
	ms := saveMany(t, s, c, 5000, nil)
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	live := map[int64]bool{}
	for _, m := range ms {
		live[m.Num] = true
	}
	before := count(t, path, "SELECT count(*) FROM segments")
	update(t, s, func(tx engram.Tx) error {
		for i, m := range ms[:4995] {
			var err error
			switch m.DeletedAt = m.CreatedAt.Add(time.Hour); {
			case i%100 == 99: // an update: it leaves its slot and becomes pending
				m.DeletedAt, m.Title = time.Time{}, m.Title+" again"
				err = tx.ReplaceMemory(t.Context(), m)
			case i%10 == 9:
				err = tx.EraseMemory(t.Context(), m.Num)
				delete(live, m.Num)
			default:
				err = tx.ReplaceMemory(t.Context(), m)
				delete(live, m.Num)
			}
			if err != nil {
				return err
			}
			if i%400 == 399 { // hits meanwhile must be live
				found, err := tx.Lexical(t.Context(), engram.LexicalQuery{Terms: text.Query(c.Question(6)), Limit: 20})
				if err != nil {
					return err
				}
				for _, hit := range found.Hits {
					if !live[hit.Num] {
						t.Fatalf("after %d of them memory %d is found, which was forgotten", i+1, hit.Num)
					}
				}
			}
		}
		return nil
	})
	if after := count(t, path, "SELECT count(*) FROM segments"); after >= before {
		t.Errorf("of %d segments %d are left: too many to tell what becomes of empty ones", before, after)
	}
	checkIndex(t, path)
}
