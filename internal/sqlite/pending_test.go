package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// mixed runs transactions that add, change, read and remove memories before the index is written.
type mixed struct {
	*testing.T
	s    *sqlite.Store
	c    *storetest.Corpus
	k    *clusters
	r    *rand.Rand
	live []engram.Memory
}

func (x *mixed) add(tx engram.Tx, n int) error {
	for range n {
		m := short(x.c, now().Add(time.Duration(len(x.live))*time.Second))
		m.Tags = []string{fmt.Sprint("tag", x.r.IntN(3))}
		if err := tx.InsertMemory(x.Context(), &m); err != nil {
			return err
		}
		if x.r.IntN(10) > 0 { // some have no vector
			if err := x.embed(tx, m); err != nil {
				return err
			}
		}
		x.live = append(x.live, m)
	}
	return nil
}

func (x *mixed) embed(tx engram.Tx, m engram.Memory) error {
	values := x.k.vector()
	for range x.r.IntN(3) { // passages
		values = append(values, x.k.vector()...)
	}
	return tx.PutVectors(x.Context(), x.k.model, []engram.Vector{{Num: m.Num, Values: values}})
}

// change changes a memory, a recent one half of the time.
func (x *mixed) change(tx engram.Tx) error {
	i := x.r.IntN(len(x.live))
	if x.r.IntN(2) == 0 {
		i = max(len(x.live)-1-x.r.IntN(40), 0)
	}
	m := x.live[i]
	switch x.r.IntN(7) {
	case 0:
		m.Content += " " + x.c.Question(3)
	case 1:
		m.Tags = []string{"other"}
	case 2:
		m.CreatedAt = m.CreatedAt.Add(time.Hour)
	case 3:
		return x.embed(tx, m)
	case 4:
		m.DeletedAt = now()
		if err := tx.ReplaceMemory(x.Context(), m); err != nil {
			return err
		}
		m.DeletedAt = time.Time{}
	case 5:
		x.live = append(x.live[:i], x.live[i+1:]...)
		return tx.EraseMemory(x.Context(), m.Num)
	case 6:
		return x.find(tx, m)
	}
	x.live[i] = m
	return tx.ReplaceMemory(x.Context(), m)
}

// find looks up a memory by its tag, in the index as the transaction sees it.
func (x *mixed) find(r engram.Reader, m engram.Memory) error {
	found, err := r.Lexical(x.Context(), engram.LexicalQuery{Terms: []engram.Term{{Word: "none", Written: "none"}}, Limit: 1, Filter: engram.Filter{Tags: m.Tags, Project: m.Project}})
	if err == nil && found.Rows == 0 {
		x.Errorf("nothing has the tag %s of memory %d, which was written in the same transaction", m.Tags[0], m.Num)
	}
	return err
}

// check compares the index and the codes with the memories.
func (x *mixed) check(path string) {
	x.Helper()
	checkIntegrity(x.T, path)
	f, err := sqlite.Examine(x.Context(), path, health.Query{Checks: health.IDs(), Now: now(), Most: 3, Full: true, Model: x.k.model})
	if err != nil || f.Err != nil {
		x.Fatalf("examine: %v, %v", err, f.Err)
	}
	if i := f.Index; i.Broken != nil || i.Missing.Count+i.Doubled.Count+i.Dead.Count+i.Moved.Count > 0 || i.Live != len(x.live) {
		x.Errorf("index of %d memories: got %+v", len(x.live), i)
	}
	if v := f.Vectors; v.Broken != nil || v.OffCode.Count+v.Stale.Count+v.Misfit.Count > 0 || v.Have == 0 {
		x.Errorf("vectors: got %+v", v)
	}
}

func TestBufferedIndexChangesAreWrittenAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	x := &mixed{T: t, s: s, c: storetest.NewCorpus(11), k: newClusters(11, 64), r: rand.New(rand.NewPCG(11, 1))}
	makeProjects(t, s, x.c)
	for _, n := range []int{1, 70, 63, 64, 65, 600, 5000, 3} {
		update(t, s, func(tx engram.Tx) error {
			if err := x.add(tx, n); err != nil {
				return err
			}
			for range 10 {
				if err := errors.Join(x.change(tx), x.add(tx, 1)); err != nil {
					return err
				}
			}
			_, err := tx.MoveProject(t.Context(), x.c.Project(), x.c.Project())
			return errors.Join(err, x.add(tx, 90))
		})
		// The moved memories must be in the other project.
		view(t, s, func(r engram.Reader) error {
			for i, m := range x.live {
				var err error
				if x.live[i], err = r.Memory(t.Context(), engram.ByNum(m.Num)); err != nil {
					return err
				}
			}
			return nil
		})
		x.check(path)
	}
}

func TestManyMemoriesLeaveTheIndexTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	x := &mixed{T: t, s: s, c: storetest.NewCorpus(13), k: newClusters(13, 64), r: rand.New(rand.NewPCG(13, 1))}
	makeProjects(t, s, x.c)
	update(t, s, func(tx engram.Tx) error { return x.add(tx, 6000) })
	for _, share := range []int{50, 3, 1} { // one in so many memories is removed
		update(t, s, func(tx engram.Tx) error {
			for i := len(x.live) - 1; i >= 0; i -= share {
				m := x.live[i]
				m.DeletedAt = now()
				if err := tx.ReplaceMemory(t.Context(), m); err != nil {
					return err
				}
				x.live = append(x.live[:i], x.live[i+1:]...)
			}
			return x.add(tx, 30)
		})
		x.check(path)
	}
}

func TestARolledBackTransactionLeavesNothingInTheIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	x := &mixed{T: t, s: s, c: storetest.NewCorpus(12), k: newClusters(12, 64), r: rand.New(rand.NewPCG(12, 1))}
	makeProjects(t, s, x.c)
	update(t, s, func(tx engram.Tx) error { return x.add(tx, 100) })
	kept := x.live
	gaveUp := errors.New("given up")
	err := s.Update(t.Context(), func(tx engram.Tx) error { return errors.Join(x.add(tx, 300), gaveUp) })
	if !errors.Is(err, gaveUp) {
		t.Fatalf("got %v, want that it was given up", err)
	}
	x.live = kept
	x.check(path)
	update(t, s, func(tx engram.Tx) error { return x.add(tx, 300) })
	x.check(path)
}
