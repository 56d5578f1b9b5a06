package segments_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// reorganisations are transactions that rewrite segments. The first four save memories, of which the
// second gets a number at which the newest memories move, a multiple of every; of 32, none does.
func reorganisations() map[string]reorganisation {
	return map[string]reorganisation{
		"save":    {64, insert(3), "1,2,3"},
		"seal":    {64, (*world).mixture, "1,2,3"},
		"merge":   {512, (*world).mixture, "2,3"},
		"settle":  {4096, (*world).mixture, "3"},
		"thin":    {32, (*world).thin, "1,2,3"},
		"move":    {32, func(w *world, tx engram.Tx) error { return w.take(tx, "p2", "p0") }, "1,2,3"},
		"reindex": {4096, func(w *world, tx engram.Tx) error { return tx.Reindex(w.Context()) }, "3"},
	}
}

// reorganisation is a transaction, the multiple that the second memory saved in it has for a number, and
// the levels of the segments after it.
type reorganisation struct {
	every  int64
	run    func(*world, engram.Tx) error
	levels string
}

// A transaction that rewrites segments, stopped before any of its statements or in any part of its commit,
// leaves the index as it was, in the process that lives on and in the one that opens the file next.
func TestAStoppedReorganisationChangesNothing(t *testing.T) {
	settled := settledWorld(t)
	for name, of := range reorganisations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, base := settled.copy(t, of.every)
			run := func(tx engram.Tx) error {
				w.r = rand.New(rand.NewPCG(*seed, 7)) // each time the same
				return of.run(w, tx)
			}
			q := engram.LexicalQuery{Terms: text.Query(w.words[0]), Limit: 10}
			// It reads the index, so that nothing waits to be written when it is given up.
			stopped := func(tx engram.Tx) error {
				if err := run(tx); err != nil {
					return err
				}
				if _, err := tx.Lexical(w.Context(), q); err != nil {
					return err
				}
				return errGivenUp
			}
			before, log := w.model.clone(), w.log()
			for n := 0; ; n++ {
				w.step = n
				err := w.attempt(&countdown{Context: t.Context(), left: n}, stopped)
				if errors.Is(err, errGivenUp) {
					t.Logf("%d statements", n)
					break
				}
				if !errors.Is(err, context.Canceled) {
					w.failf("got %v, want the cancellation", err)
				}
				w.r = rand.New(rand.NewPCG(*seed, 100+uint64(n)))
				w.ask(1)
				if now := w.log(); !bytes.Equal(now, log) {
					w.crashed(base, now, before)
					log = now
				}
				if n%32 == 31 {
					w.reopen()
					w.examine()
				}
			}
			// Another one has the same numbers for other texts.
			w.words = slices.Clone(w.words)
			slices.Reverse(w.words)
			if err := w.attempt(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			w.hasLevels(of.levels)
			w.ask(10)
			w.examine()
			w.cut(base, w.log(), before)
		})
	}
}

// countdown is a context that ends when it is asked for the left-th time, as a writing transaction does
// before each statement.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// Context returns the context of the running transaction, or else that of the test.
func (w *world) Context() context.Context {
	if w.ctx != nil {
		return w.ctx
	}
	return w.TB.Context()
}

// attempt runs a transaction; if it fails, the model is as before.
func (w *world) attempt(ctx context.Context, fn func(engram.Tx) error) error {
	all, erased, moved, before, made := maps.Clone(w.all), slices.Clone(w.erased), slices.Clone(w.moved), w.model.clone(), w.made
	w.ctx = ctx
	err := w.s.Update(ctx, fn)
	if w.ctx = nil; err != nil {
		w.all, w.erased, w.moved, w.model, w.made = all, erased, moved, before, made
	}
	return err
}

func forget(m *engram.Memory) { m.DeletedAt = at(1) }

func insert(n int) func(*world, engram.Tx) error {
	return func(w *world, tx engram.Tx) error { return w.insert(tx, n) }
}

// mixture saves, changes, forgets and restores a few memories.
func (w *world) mixture(tx engram.Tx) error {
	return errors.Join(w.each(tx, 3, false, w.change), w.each(tx, 3, false, forget),
		w.each(tx, 2, true, func(m *engram.Memory) { m.DeletedAt = time.Time{} }), w.insert(tx, 3))
}

// thin forgets more memories of a segment than are removed from it one by one.
func (w *world) thin(tx engram.Tx) error {
	live := slices.Sorted(maps.Keys(w.model.live))
	for _, num := range live[len(live)-115:][:26] {
		m := w.all[num]
		forget(&m)
		if err := tx.ReplaceMemory(w.Context(), m); err != nil {
			return err
		}
		w.all[num] = m
		w.model.put(m)
	}
	return nil
}

// settledWorld makes a closed store with segments of every level, a sparse one among them, and unsealed
// memories.
func settledWorld(t testing.TB) *world {
	w := newWorld(t, *seed)
	for _, of := range []reorganisation{{32, insert(9), ""}, {4096, insert(200), "3"}, {32, (*world).sweep, "3"}, {512, insert(80), "2,3"}, {64, insert(80), "1,2,3"}, {32, insert(5), "1,2,3"}} {
		w.number(of.every)
		if err := w.attempt(t.Context(), func(tx engram.Tx) error { return of.run(w, tx) }); err != nil {
			t.Fatal(err)
		}
		w.hasLevels(of.levels)
	}
	w.examine()
	w.close()
	return w
}

// number has the second memory from now on get a number that is every more than a multiple of 4096.
func (w *world) number(every int64) {
	w.Helper()
	w.raw(func(db *sql.DB) error {
		_, err := db.ExecContext(w.Context(), `UPDATE sqlite_sequence SET seq = (seq / 4096 + 1) * 4096 + ? - 2 WHERE name = 'unsealed'`, every)
		return err
	})
}

// hasLevels checks the levels of the segments.
func (w *world) hasLevels(want string) {
	w.Helper()
	w.raw(func(db *sql.DB) error {
		var got string
		err := db.QueryRowContext(w.Context(), `SELECT coalesce(group_concat(level), '') FROM (SELECT DISTINCT level FROM segments ORDER BY level)`).Scan(&got)
		if err == nil && got != want {
			err = fmt.Errorf("there are segments of the levels %q, want %q", got, want)
		}
		return err
	})
}

func (w *world) raw(fn func(*sql.DB) error) {
	w.Helper()
	db, err := sql.Open("sqlite", w.path)
	if err == nil {
		err = errors.Join(fn(db), db.Close())
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) close() {
	w.Helper()
	if err := errors.Join(w.s.Close(), w.other.Close()); err != nil {
		w.failf("close: %v", err)
	}
}

func (w *world) reopen() {
	w.Helper()
	w.close()
	w.s, w.other = w.open(), w.open()
}

// copy opens a copy of a closed store, and returns its file as it was before.
func (w *world) copy(t testing.TB, every int64) (*world, []byte) {
	t.Helper()
	copied := *w
	copied.TB, copied.path, copied.r = t, filepath.Join(t.TempDir(), "engram.db"), rand.New(rand.NewPCG(*seed, 8))
	copied.all, copied.model = maps.Clone(w.all), w.model.clone()
	copyFile(t, w.path, copied.path)
	copied.number(every)
	base, err := os.ReadFile(copied.path)
	if err != nil {
		t.Fatal(err)
	}
	copied.s, copied.other = copied.open(), copied.open()
	t.Cleanup(func() { _ = errors.Join(copied.s.Close(), copied.other.Close()) })
	return &copied, base
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// log returns the write-ahead log as it is now. The transactions are too small to have it moved to the
// database file, so that file is as it was before the first one.
func (w *world) log() []byte {
	w.Helper()
	log, err := os.ReadFile(w.path + "-wal")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.Fatal(err)
	}
	return log
}

// cut has the process die at several places of the commit that the log ends with: between pages, within
// one, before the last one and after it.
func (w *world) cut(base, log []byte, before *model) {
	w.Helper()
	const header, frameHeader = 32, 24
	frame := frameHeader + int(binary.BigEndian.Uint32(log[8:]))
	frames := (len(log) - header) / frame
	if frames < 8 || header+frames*frame != len(log) {
		w.Fatalf("the log has %d bytes, which is not the log of one large commit", len(log))
	}
	for n := 0; n < frames; n += max(1, frames/6) {
		w.crashed(base, log[:header+n*frame], before)
	}
	w.crashed(base, log[:header+(frames-1)*frame], before)
	w.crashed(base, log[:len(log)-1], before)
	w.crashed(base, log, w.model)
}

// crashed opens a copy of the file with a log, as another process would after the end of this one, and
// compares it with a model.
func (w *world) crashed(base, log []byte, is *model) {
	w.Helper()
	after := *w
	after.path, after.model = filepath.Join(w.TempDir(), "engram.db"), is
	if err := errors.Join(os.WriteFile(after.path, base, 0o600), os.WriteFile(after.path+"-wal", log, 0o600)); err != nil {
		w.Fatal(err)
	}
	after.s = after.open()
	after.other = after.s
	after.ask(2)
	after.examine()
	if err := after.s.Close(); err != nil {
		w.failf("close: %v", err)
	}
}
