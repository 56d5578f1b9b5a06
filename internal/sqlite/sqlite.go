// Package sqlite implements engram.Store on one SQLite file. There is a file per noun; the schema is in
// migration/.
//
// Many processes may use the file at once. Reads run on snapshots and never wait for a writer; one
// writer at a time holds the file, others queue for up to Options.WriteWait. The journal mode is WAL
// with synchronous=FULL, so an acknowledged commit survives a power failure. Only SQLite may open the
// file, its -wal or its -shm: closing them by other means would drop the locks of all connections of the
// process.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// Options configure a store. Path is required.
type Options struct {
	Path string           // of the database file; its folder is created with mode 0700
	Now  func() time.Time // for the names of backups; required if migrations are needed
	Log  *slog.Logger     // nil discards
	// Version is recorded in the store on writes, for Examine; "" records nothing.
	Version string
	// WriteWait is how long a write waits for other writers. Default 20 s.
	WriteWait time.Duration
	// Mapped memory-maps the file for reading, which halves the cost of cold reads (see mapping). For
	// short-lived processes.
	Mapped bool
	// Single lets the reading connection also write while it is idle: opening a second one is a
	// twentieth of the cost of an agent's event. For processes that do one thing.
	Single bool
}

// Store is an engram.Store on one SQLite file.
type Store struct {
	path      string
	log       *slog.Logger
	writeWait time.Duration
	reads     *conn.Pool
	writes    *conn.Pool
	kept      kept
	version   string
	now       func() time.Time
	signed    time.Time   // last check of the version entry; owned by the holder of the write connection
	tooLong   int64       // size in bytes at which the log is shortened; owned by the holder of the write connection
	held      atomic.Bool // see LogHolds
}

var _ engram.Store = (*Store)(nil)

// Open opens the store, creating it if needed, and migrates its schema after a backup. A file that is
// not a database, or not Engram's, is CodeInvalid; one of a newer Engram is CodeConflict. No file is
// ever replaced.
func Open(ctx context.Context, o Options) (*Store, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("database path: %w", err)
	}
	if o.WriteWait == 0 {
		o.WriteWait = 20 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := makeFile(path); err != nil {
		return nil, err
	}
	s := &Store{path: path, log: o.Log, writeWait: o.WriteWait, tooLong: longLog, version: o.Version, now: o.Now}
	reads := []string{fmt.Sprintf("busy_timeout(%d)", readerNap.Milliseconds()), "query_only(1)"}
	if o.Mapped {
		reads = append(reads, mapping()...)
	}
	if s.reads, err = conn.NewPool(dsn(path, reads...), readers); err != nil {
		return nil, err
	}
	if s.writes, err = conn.NewPool(dsn(path, writing()...), 1); err != nil {
		return nil, err
	}
	if o.Single {
		s.writes.BorrowFrom(s.reads, pragmas(writing()), pragmas(reads))
	}
	if err := s.prepare(ctx, o.Now); err != nil {
		return nil, errors.Join(explain(err, path), s.Close())
	}
	return s, nil
}

// writing returns the pragmas of a connection that writes.
func writing() []string {
	return []string{fmt.Sprintf("busy_timeout(%d)", writerNap.Milliseconds()), "query_only(0)", "mmap_size(0)",
		"foreign_keys(1)", "synchronous(FULL)", fmt.Sprintf("journal_size_limit(%d)", usualLog),
		// Always on: an erase cannot know which freed pages contain older copies.
		"secure_delete(1)"}
}

// Close waits for running transactions and closes the file.
func (s *Store) Close() error {
	return errors.Join(s.writes.Close(), s.reads.Close()) // borrowed connections go back first
}

// View runs fn on a snapshot.
func (s *Store) View(ctx context.Context, fn func(engram.Reader) error) error {
	c, err := s.reads.Take(ctx)
	if err != nil {
		return explain(err, s.path)
	}
	defer s.reads.Give(c)
	if c.Kept == nil {
		c.Kept = new(unchanged)
	}
	if err := c.Begin(ctx, "BEGIN"); err != nil {
		return explain(err, s.path)
	}
	defer c.Rollback()
	t := newTx(c, &s.kept, false)
	if err := t.hide(ctx, engram.Excluded(ctx)); err != nil {
		return explain(err, s.path)
	}
	return explain(fn(t), s.path)
}

// readers is the number of read connections.
const readers = 4

// Busy timeouts of SQLite itself: readers wait for recovery of the log, writers for the write lock,
// which retryBusy then retries.
const (
	readerNap = 2 * time.Second
	writerNap = 20 * time.Millisecond
)

// Update runs fn as the only writer.
func (s *Store) Update(ctx context.Context, fn func(engram.Tx) error) error {
	c, err := s.begin(ctx)
	if err != nil {
		return explain(err, s.path)
	}
	defer s.writes.Give(c)
	defer c.Rollback() // no-op after a commit
	t := newTx(c, &s.kept, true)
	defer t.index.Discard()
	defer t.Narrow()
	if err = fn(t); err == nil {
		err = t.index.Flush(ctx)
	}
	if err == nil {
		err = t.flushUnwritten(ctx)
	}
	if err == nil && t.unprompted {
		err = t.compactPrompts(ctx)
	}
	if err == nil {
		err = s.sign(ctx, t)
	}
	if err == nil {
		// Cancellation must not interrupt a commit: from here it happens or not.
		err = c.Commit(context.WithoutCancel(ctx))
	}
	if err != nil {
		return explain(err, s.path)
	}
	switch {
	case t.scrubbed:
		const patience = 2 * time.Second
		s.scrub(context.WithoutCancel(ctx), c, patience)
	case s.held.Load():
		s.scrub(context.WithoutCancel(ctx), c, 0)
	default:
		s.shorten(context.WithoutCancel(ctx), c)
	}
	return nil
}

// begin takes the write connection and the write lock, within writeWait or the caller's shorter lock
// timeout.
func (s *Store) begin(ctx context.Context) (*conn.Conn, error) {
	patience := s.writeWait
	if p, said := engram.LockTimeout(ctx); said {
		patience = min(p, patience)
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := s.takeRetrying(wait, s.writes)
	if err != nil {
		return nil, s.explainWait(ctx, patience, err)
	}
	if err := retryBusy(wait, func() error { return c.Begin(wait, "BEGIN IMMEDIATE") }); err != nil {
		s.writes.Give(c)
		return nil, s.explainWait(ctx, patience, err)
	}
	return c, nil
}

// retryBusy retries fn until it is not busy or ctx is done. SQLite's own back-off favours newcomers;
// with short random naps eight writers wait a fraction of the time.
func retryBusy(ctx context.Context, fn func() error) error {
	for {
		err := fn()
		if err == nil || !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Millisecond/2 + rand.N(2*time.Millisecond)):
		}
	}
}

// explainWait explains err if writeWait ran out, not the caller's own deadline.
func (s *Store) explainWait(ctx context.Context, wait time.Duration, err error) error {
	if ctx.Err() == nil && (isBusy(err) || errors.Is(err, context.DeadlineExceeded)) {
		return engram.Errorf(engram.CodeUnavailable, "the database has been locked by another program for %s", wait).
			WithHint("close the program that holds %s, or try again; nothing was changed", s.path).WithCause(err)
	}
	return err
}

// makeFile creates the folder and an empty database file that only the user can read. SQLite gives -wal
// and -shm the same mode.
func makeFile(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fileError(err, path)
	}
	// O_EXCL: never open an existing file, which SQLite may have open.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil // another process created it
	}
	if err != nil {
		return fileError(err, path)
	}
	return f.Close()
}

func fileError(err error, path string) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot create the database %s", path).
		WithHint("make the folder writable, or choose another with --data-dir").WithCause(err)
}

// mapped is how many bytes of the file are mapped; the rest is read.
const mapped = 256 << 20

// mapping returns the pragmas for a memory-mapped connection.
//
// A mapping is as consistent as reads: SQLite never shortens the file below a snapshot in use, and
// nothing here shortens it at all. But if the disk fails or another program truncates the file, a read
// crashes the process instead of returning an error. So it is for interactive commands, not for servers
// or health checks. SQLite maps the -shm in any case. Only Linux and macOS: on Windows a mapped file
// cannot be shortened, and elsewhere writes may not be visible in a mapping at once.
func mapping() []string {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return nil
	}
	return []string{fmt.Sprintf("mmap_size(%d)", mapped)}
}

// pragmas returns the statement that sets them.
func pragmas(all []string) string { return "PRAGMA " + strings.Join(all, "; PRAGMA ") }

// dsn returns the driver's address of the file, with the pragmas of its connections.
func dsn(path string, pragmas ...string) string {
	p := filepath.ToSlash(path)
	if p[0] != '/' {
		p = "/" + p // C:/… on Windows
	}
	q := url.Values{"mode": {"rw"}, "_pragma": append([]string{fmt.Sprintf("cache_size(-%d)", conn.UsualPages), "temp_store(2)"}, pragmas...)}
	return (&url.URL{Scheme: "file", Path: p, OmitHost: true, RawQuery: q.Encode()}).String()
}
