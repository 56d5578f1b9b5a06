package segments_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/indextest"
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
		"move":    {32, func(w *world, tx engram.Tx) error { return w.Take(tx, "p2", "p0") }, "1,2,3"},
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

var errGivenUp = errors.New("given up")

// A transaction that rewrites segments, stopped before any of its statements or in any part of its commit,
// leaves the index as it was, in the process that lives on and in the one that opens the file next.
func TestAStoppedReorganisationChangesNothing(t *testing.T) {
	settled := settledWorld(t)
	for name, of := range reorganisations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, base := settled.copy(t, of.every)
			run := func(tx engram.Tx) error {
				w.Seed(*seed, 7) // each time the same
				return of.run(w, tx)
			}
			q := engram.LexicalQuery{Terms: text.Query(w.Words[0]), Limit: 10}
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
			before, log := w.Copy(t, in(w.path)), w.log()
			for n := 0; ; n++ {
				w.Step = n
				err := w.Attempt(&countdown{Context: t.Context(), left: n}, stopped)
				if errors.Is(err, errGivenUp) {
					t.Logf("%d statements", n)
					break
				}
				if !errors.Is(err, context.Canceled) {
					w.Failf("got %v, want the cancellation", err)
				}
				w.Seed(*seed, 100+uint64(n))
				w.Ask(1)
				if now := w.log(); !bytes.Equal(now, log) {
					w.crashed(base, now, before)
					log = now
				}
				if n%32 == 31 {
					w.Close()
					w.Open()
					w.Examine()
				}
			}
			// Another one has the same numbers for other texts.
			w.Words = slices.Clone(w.Words)
			slices.Reverse(w.Words)
			if err := w.Attempt(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			w.hasLevels(of.levels)
			w.Ask(10)
			w.Examine()
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

func forget(m *engram.Memory) { m.DeletedAt = m.CreatedAt }

func insert(n int) func(*world, engram.Tx) error {
	return func(w *world, tx engram.Tx) error { return w.Insert(tx, n) }
}

// mixture saves, changes, forgets and restores a few memories.
func (w *world) mixture(tx engram.Tx) error {
	return errors.Join(w.Each(tx, 3, false, w.Change), w.Each(tx, 3, false, forget),
		w.Each(tx, 2, true, func(m *engram.Memory) { m.DeletedAt = time.Time{} }), w.Insert(tx, 3))
}

// thin forgets more memories of a segment than are removed from it one by one.
func (w *world) thin(tx engram.Tx) error {
	live := w.Live()
	for _, num := range live[len(live)-115:][:26] {
		m := w.All[num]
		forget(&m)
		if err := w.Replace(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// settledWorld makes a closed store with segments of every level, a sparse one among them, and unsealed
// memories.
func settledWorld(t testing.TB) *world {
	w := newWorld(t, *seed)
	for _, of := range []reorganisation{{32, insert(9), ""}, {4096, insert(200), "3"}, {32, (*world).Sweep, "3"}, {512, insert(80), "2,3"}, {64, insert(80), "1,2,3"}, {32, insert(5), "1,2,3"}} {
		w.number(of.every)
		if err := w.Attempt(t.Context(), func(tx engram.Tx) error { return of.run(w, tx) }); err != nil {
			t.Fatal(err)
		}
		w.hasLevels(of.levels)
	}
	w.Examine()
	w.Close()
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

// copy opens a copy of a closed store, and returns its file as it was before.
func (w *world) copy(t testing.TB, every int64) (*world, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engram.db")
	copied := &world{w.Copy(t, in(path)), path}
	copied.Seed(*seed, 8)
	copyFile(t, w.path, path)
	copied.number(every)
	base, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied.Open()
	return copied, base
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
func (w *world) cut(base, log []byte, before *indextest.World) {
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
	w.crashed(base, log, w.World)
}

// crashed opens a copy of the file with a log, as another process would after the end of this one, and
// compares it with a world.
func (w *world) crashed(base, log []byte, is *indextest.World) {
	w.Helper()
	path := filepath.Join(w.TempDir(), "engram.db")
	if err := errors.Join(os.WriteFile(path, base, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
		w.Fatal(err)
	}
	after := is.Copy(w.TB, in(path))
	after.Step = w.Step
	after.Ask(2)
	after.Examine()
	after.Close()
}
