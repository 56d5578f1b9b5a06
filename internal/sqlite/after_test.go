package sqlite_test

import (
	"errors"
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

func TestALookThatFailsWritesNothingAndLocksNobodyOut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s, other := open(t, path), open(t, path)
	defer closed(t, s)
	defer closed(t, other)
	broken := errors.New("broken")
	err := s.UpdateAfter(t.Context(), func(engram.Reader) error { return broken }, func(engram.Tx) error {
		t.Error("wrote after a look that failed")
		return nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	for _, store := range []engram.Store{other, s} {
		update(t, store, func(tx engram.Tx) error { return tx.PutFact(t.Context(), "k", "v") })
	}
}

// Projects that are hidden from the caller are hidden from the look alone: the write must see what it would collide with.
func TestALookDoesNotSeeWhatIsHidden(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer closed(t, s)
	m := draft("a", 1)
	if err := saveDraft(s, &m); err != nil {
		t.Fatal(err)
	}
	count := func(r engram.Reader) int {
		ms, err := r.Memories(t.Context(), []int64{m.Num})
		if err != nil {
			t.Fatal(err)
		}
		return len(ms)
	}
	var looked, wrote int
	ctx := engram.Without(t.Context(), func(project string) bool { return project == m.Project })
	err := s.UpdateAfter(ctx, func(r engram.Reader) error { looked = count(r); return nil }, func(tx engram.Tx) error { wrote = count(tx); return nil })
	if err != nil || looked != 0 || wrote != 1 {
		t.Errorf("the look saw %d memories, the write %d, %v; want 0 and 1", looked, wrote, err)
	}
}
