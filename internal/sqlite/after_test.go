package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// What another process writes between the look and the write is seen by the write, and nothing is lost.
func TestAnUpdateAfterALookSeesWhatWasWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s, other := open(t, path), open(t, path)
	defer closed(t, s)
	defer closed(t, other)
	for _, meanwhile := range []bool{false, true} {
		var before, after engram.Head
		err := s.UpdateAfter(t.Context(), func(r engram.Reader) (err error) {
			if before, err = r.Replica().Head(t.Context()); err != nil || !meanwhile {
				return err
			}
			return other.Update(t.Context(), func(tx engram.Tx) error {
				return tx.Append(t.Context(), &engram.Mutation{At: before.Clock + 1, Operation: "save", Entity: engram.EntityMemory, Key: "1"})
			})
		}, func(tx engram.Tx) (err error) {
			if after, err = tx.Replica().Head(t.Context()); err != nil {
				return err
			}
			m := &engram.Mutation{At: after.Clock + 1, Operation: "save", Entity: engram.EntityMemory, Key: "2"}
			if err := tx.Append(t.Context(), m); err != nil {
				return err
			}
			if m.Seq != after.Seq+1 || m.Op != m.Seq {
				t.Errorf("entry %d of operation %d after entry %d", m.Seq, m.Op, after.Seq)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if moved := after.Seq - before.Seq; moved != 0 != meanwhile {
			t.Errorf("written meanwhile: %v; the newest entry was %d, then %d", meanwhile, before.Seq, after.Seq)
		}
	}
	view(t, other, func(r engram.Reader) error {
		all, err := r.Mutations(t.Context(), engram.JournalSpan{OldestFirst: true}, engram.Page{Limit: 10})
		if err != nil || len(all) != 3 {
			t.Errorf("got %d entries, %v, want 3", len(all), err)
		}
		for i, m := range all {
			if m.Seq != int64(i+1) || m.Op != m.Seq {
				t.Errorf("entry %d: number %d, operation %d", i+1, m.Seq, m.Op)
			}
		}
		return nil
	})
}
