package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

// together runs writes on a store that wait for another one, so that they share its commit, and calls answered when that
// one is answered.
func together(t *testing.T, s *sqlite.Store, answered func(error), writes ...func(ctx context.Context) error) {
	t.Helper()
	ctx := engram.WithSharedCommit(t.Context())
	var others sync.WaitGroup
	err := s.UpdateAfter(ctx, func(engram.Reader) error { return nil }, func(engram.Tx) error {
		for _, write := range writes {
			others.Go(func() {
				defer func() { _ = recover() }()
				_ = write(ctx)
			})
		}
		waittest.Until(t, "all writes wait", func() bool { return s.Waiting() == len(writes) })
		return nil
	})
	answered(err)
	others.Wait()
}

var near = engram.Model{Name: "m", Fingerprint: "f", Dimensions: 8}

// direction is the vector of the i-th memory.
func direction(i int) []float32 {
	v := make([]float32, near.Dimensions)
	v[i%len(v)], v[i/len(v)%len(v)] = 1, 0.5
	return v
}

// insertNear adds the i-th memory, with a vector.
func insertNear(ctx context.Context, tx engram.Tx, i int) error {
	m := draft("t", i)
	m.Project, m.SessionID = "", ""
	if err := tx.InsertMemory(ctx, &m); err != nil {
		return err
	}
	return tx.PutVectors(ctx, near, []engram.Vector{{Num: m.Num, Values: direction(i)}})
}

// found returns what searches find: the numbers by words and by vector.
func found(ctx context.Context, r engram.Reader, i int) (all []string, err error) {
	words, err := r.Lexical(ctx, engram.LexicalQuery{Terms: []engram.Term{{Word: draftWord(i)}}, Limit: 9})
	if err != nil {
		return nil, err
	}
	ranked, err := r.Nearest(ctx, engram.VectorQuery{Model: near.Fingerprint, Vector: direction(i), Limit: 9})
	for _, h := range words.Hits {
		all = append(all, fmt.Sprint("word ", h.Num))
	}
	for _, h := range ranked {
		all = append(all, fmt.Sprintf("vector %d %.4f", h.Num, h.Score))
	}
	return all, err
}

func TestWritesThatWaitShareACommit(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer closed(t, s)
	broken := errors.New("broken")
	var order atomic.Int64
	var wrong atomic.Int64
	nothing := func(engram.Reader) error { return nil }
	write := func(ctx context.Context) error {
		var n int64
		err := s.UpdateAfter(ctx, nothing, func(tx engram.Tx) error {
			if n = order.Add(1); n == 4 {
				return errors.Join(tx.PutFact(ctx, fmt.Sprint(n), "yes"), broken)
			}
			if n == 5 {
				if err := tx.PutFact(ctx, fmt.Sprint(n), "yes"); err != nil {
					return err
				}
				panic("broken")
			}
			// Those before are seen, but not what failed.
			for before := range n - 1 {
				fact, err := tx.Fact(ctx, fmt.Sprint(before+1))
				if err != nil || (fact == "yes") != (before != 3 && before != 4) {
					wrong.Add(1)
				}
			}
			return tx.PutFact(ctx, fmt.Sprint(n), "yes")
		})
		if (n == 4) != errors.Is(err, broken) || n != 4 && err != nil {
			wrong.Add(1)
		}
		return err
	}
	together(t, s, func(err error) {
		if n := order.Load(); n != 7 || err != nil {
			t.Errorf("the first write was answered after %d of 7 others: %v", n, err)
		}
	}, write, write, write, write, write, write, write)
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d writes saw or said something wrong", n)
	}
	view(t, s, func(r engram.Reader) error {
		for n := range 7 {
			fact, err := r.Fact(t.Context(), fmt.Sprint(n+1))
			if err != nil || (fact == "yes") != (n != 3 && n != 4) {
				t.Errorf("fact %d: %q, %v", n+1, fact, err)
			}
		}
		return nil
	})
}

// What is kept in memory of the index stays that of what was committed, however writes that share a commit end.
func TestWritesThatShareACommitLeaveTheIndexRight(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer closed(t, s)
	broken := errors.New("broken")
	const writes, each = 10, 9 // so many memories of a write that some of those that share a commit move them to segments
	var made, order atomic.Int64
	insert := func(tx engram.Tx) error {
		for range each {
			if err := insertNear(t.Context(), tx, int(made.Add(1))); err != nil {
				return err
			}
		}
		return nil
	}
	for _, round := range []struct {
		name             string
		fails, takesBack int64 // which write
		again            int   // so many writes after that, which are those that failed to every number but not in what they say
	}{{"all succeed", 0, 0, 0}, {"one fails", 4, 0, 0}, {"the last one fails", writes, 0, 0}, {"all fail", 0, writes, writes - 1}, {"once more", 0, writes, 2 * writes}} {
		order.Store(0)
		write := func(ctx context.Context) error {
			return s.UpdateAfter(ctx, func(r engram.Reader) error {
				_, err := found(ctx, r, 1)
				return err
			}, func(tx engram.Tx) error {
				n, err := order.Add(1), insert(tx)
				if n == round.takesBack {
					return errors.Join(err, broken, sqlite.TakeBack(ctx, tx))
				}
				if n == round.fails {
					return errors.Join(err, broken)
				}
				return err
			})
		}
		together(t, s, func(err error) {
			if (err != nil) != (round.takesBack > 0) {
				t.Errorf("%s: the first write: %v", round.name, err)
			}
		}, slices.Repeat([]func(context.Context) error{write}, writes)...)
		for range round.again {
			update(t, s, insert)
		}
		anew := open(t, path)
		for i := range int(made.Load()) {
			var got, looked, want []string
			into := func(all *[]string) func(engram.Reader) error {
				return func(r engram.Reader) (err error) {
					*all, err = found(t.Context(), r, i)
					return err
				}
			}
			view(t, s, into(&got))
			view(t, anew, into(&want))
			if err := s.UpdateAfter(t.Context(), into(&looked), func(engram.Tx) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || !slices.Equal(looked, want) {
				t.Fatalf("%s: of memory %d it finds %v, before a write %v, a store that is opened anew %v", round.name, i, got, looked, want)
			}
		}
		closed(t, anew)
	}
	if err := sqlite.CheckIndex(t.Context(), path); err != nil {
		t.Error(err)
	}
}
