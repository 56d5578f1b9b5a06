package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

// childLock takes the write lock of the database at args[0] as another program would, reports it, and
// holds it until released.
func childLock(args []string) error {
	db, err := sql.Open("sqlite", args[0])
	if err != nil {
		return err
	}
	ctx := context.Background()
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	fmt.Println("locked")
	_, _ = fmt.Scanln()
	_, err = c.ExecContext(ctx, "ROLLBACK")
	return errors.Join(err, c.Close(), db.Close())
}

func lock(t *testing.T, path string) *child {
	t.Helper()
	c := start(t, "lock", path)
	if _, err := c.line(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSavesWaitForAForeignLock(t *testing.T) {
	t.Parallel() // mostly waits
	path := filepath.Join(t.TempDir(), "engram.db")
	closed(t, open(t, path))
	holder := lock(t, path)
	began := time.Now()
	var wg sync.WaitGroup
	var ids []string
	for i := range 8 {
		name := fmt.Sprint("q", i)
		ids = append(ids, string(draft(name, 1).ID))
		c := start(t, "save", path, name, "1")
		wg.Go(func() {
			if out, err := c.rest(); err != nil {
				t.Errorf("save %d: %v %s", i, err, out)
			}
		})
	}
	const held = 3 * time.Second
	waittest.Until(t, "the end of the lock", func() bool { return time.Since(began) > held })
	fmt.Fprintln(holder.in)
	wg.Wait()
	t.Logf("8 saves waited %v for a lock of %v", time.Since(began).Round(time.Millisecond), held)
	if _, err := holder.rest(); err != nil {
		t.Error(err)
	}
	checkAll(t, path, ids, false)
}

func TestALastingLockIsReportedInTime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	const wait, slack = 400 * time.Millisecond, 3 * time.Second
	s := open(t, path, func(o *sqlite.Options) { o.WriteWait = wait })
	defer s.Close()
	saveCorpus(t, s, storetest.NewCorpus(1), 5, nil)
	holder := lock(t, path)

	failed := make(chan error, 3) // one holds the connection, the others wait for it
	began := time.Now()
	for i := range cap(failed) {
		go func() {
			m := draft("late", i)
			failed <- saveDraft(s, &m)
		}()
	}
	readBegan := time.Now()
	view(t, s, func(r engram.Reader) error {
		ms, err := r.List(t.Context(), engram.Filter{}, engram.Page{Limit: 10})
		if len(ms) != 5 {
			t.Errorf("a read beside the lock: got %d memories, want 5", len(ms))
		}
		return err
	})
	if d := time.Since(readBegan); d > wait {
		t.Errorf("a read beside the lock took %v", d)
	}
	for range cap(failed) {
		err := <-failed
		if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "locked by another program") || !strings.Contains(engram.HintOf(err), path) {
			t.Errorf("got %q, %v, hint %q\nwant unavailable, the cause and the file", engram.CodeOf(err), err, engram.HintOf(err))
		}
	}
	if d := time.Since(began); d < wait || d > wait+slack {
		t.Errorf("the error came after %v, want %v and little more", d, wait)
	}

	fmt.Fprintln(holder.in)
	if _, err := holder.rest(); err != nil {
		t.Error(err)
	}
	m := draft("after", 1)
	if err := saveDraft(s, &m); err != nil {
		t.Errorf("a save after the lock is gone: %v", err)
	}
}

func TestALockTimeoutLeavesTheQueue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	holder := lock(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := s.Update(ctx, func(engram.Tx) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) && engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want the caller's own deadline, or that the database is busy", err)
	}
	if d := time.Since(began); d > 3*time.Second {
		t.Errorf("the caller had to wait %v", d)
	}
	fmt.Fprintln(holder.in)
	if _, err := holder.rest(); err != nil {
		t.Error(err)
	}
	m := draft("after", 1)
	if err := saveDraft(s, &m); err != nil {
		t.Errorf("a save after the lock is gone: %v", err)
	}
}

func TestALockTimeoutCountsOnlyWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	m := draft("first", 1)
	if err := saveDraft(s, &m); err != nil {
		t.Fatal(err)
	}

	const wait = 50 * time.Millisecond
	impatient := engram.WithLockTimeout(t.Context(), wait)
	err := s.Update(impatient, func(engram.Tx) error {
		began := time.Now() // its own work is not waiting
		waittest.Until(t, "more time than it would wait", func() bool { return time.Since(began) > 2*wait })
		return nil
	})
	if err != nil {
		t.Errorf("an update that takes longer than it would wait for others: %v", err)
	}

	holder := lock(t, path)
	err = s.Update(impatient, func(engram.Tx) error { return nil })
	if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "for "+wait.String()) {
		t.Errorf("beside a lock: got %q, %v; want unavailable, and how long it waited", engram.CodeOf(err), err)
	}
	fmt.Fprintln(holder.in)
	if _, err := holder.rest(); err != nil {
		t.Error(err)
	}
}
