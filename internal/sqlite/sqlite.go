// Package sqlite keeps everything in one SQLite file: it is the engram.Store of one
// person's machine. A file per noun; the schema is in migration/.
//
// Many processes may use the file at once. Reads run on snapshots and never wait for
// a writer; one writer at a time holds the file, the others queue for up to
// Options.WriteWait. The journal mode is WAL with synchronous=FULL, so a commit that
// was acknowledged survives a power cut. Nothing but SQLite opens the file, its -wal
// or its -shm: closing any of them by other means would drop the locks that every
// connection of the process holds.
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

	_ "modernc.org/sqlite" // registers the driver

	"github.com/alanbuscaglia/engram"
)

// Options say where the store is. Path is required.
type Options struct {
	Path string           // of the database file; folders are made, mode 0700
	Now  func() time.Time // for the names of backups; required only where there are migrations to run
	Log  *slog.Logger     // nil discards
	// Version is noted in the store when something is written, for Examine; "" leaves no note.
	Version string
	// WriteWait is how long a write waits for other writers. Default 20 s.
	WriteWait time.Duration
	// Mapped maps the file for reading instead of copying its pages, which is half of what a
	// cold read costs: see mapping. For processes that end soon.
	Mapped bool
	// Single lets the connection that has read write, too, while nobody reads: to open a second
	// one is a twentieth of what an event of an agent costs. For processes that do one thing.
	Single bool
}

// Store is an engram.Store on one SQLite file.
type Store struct {
	path      string
	log       *slog.Logger
	writeWait time.Duration
	reads     *pool
	writes    *pool
	kept      kept
	version   string
	now       func() time.Time
	signed    time.Time   // when the version was looked after last; belongs to who has the write connection
	tooLong   int64       // bytes from which on the write-ahead log is shortened; belongs to who has the write connection
	held      atomic.Bool // an erased text may still be in the log: LogHolds
}

var _ engram.Store = (*Store)(nil)

// Open opens the store, makes it if there is none, and brings its schema up to date
// after a backup. A file that is not a database, or not Engram's, is invalid; one
// that a newer Engram wrote is a conflict; in no case is a file replaced.
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
	if s.reads, err = newPool(dsn(path, reads...), readers); err != nil {
		return nil, err
	}
	if s.writes, err = newPool(dsn(path, writing()...), 1); err != nil {
		return nil, err
	}
	if o.Single {
		s.writes.lender, s.writes.borrow, s.writes.repay = s.reads, pragmas(writing()), pragmas(reads)
	}
	if err := s.prepare(ctx, o.Now); err != nil {
		return nil, errors.Join(explain(err, path), s.Close())
	}
	return s, nil
}

// writing are the pragmas of a connection that writes, be it for a while.
func writing() []string {
	return []string{fmt.Sprintf("busy_timeout(%d)", writerNap.Milliseconds()), "query_only(0)", "mmap_size(0)",
		"foreign_keys(1)", "synchronous(FULL)", fmt.Sprintf("journal_size_limit(%d)", usualLog),
		// What is deleted is overwritten, always: an erase cannot know which freed page holds an older copy.
		"secure_delete(1)"}
}

// Close waits for what is under way and closes the file.
func (s *Store) Close() error {
	return errors.Join(s.writes.close(), s.reads.close()) // what was borrowed goes back first
}

// View runs fn on a snapshot.
func (s *Store) View(ctx context.Context, fn func(engram.Reader) error) error {
	c, err := s.reads.take(ctx)
	if err != nil {
		return explain(err, s.path)
	}
	defer s.reads.give(c)
	if c.unchanged == nil {
		c.unchanged = new(unchanged)
	}
	if err := c.begin(ctx, "BEGIN"); err != nil {
		return explain(err, s.path)
	}
	defer c.rollback()
	t := &tx{conn: c, kept: &s.kept}
	if err := t.hide(ctx, engram.Excluded(ctx)); err != nil {
		return explain(err, s.path)
	}
	return explain(fn(t), s.path)
}

// readers is the number of read connections.
const readers = 4

// How long SQLite itself waits: a reader for who makes or recovers the log, a writer for the
// write lock, where patiently does the rest.
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
	defer s.writes.give(c)
	defer c.rollback() // does nothing after a commit
	t := &tx{conn: c, kept: &s.kept, writes: true}
	defer t.forgo()
	defer t.narrow()
	if err = fn(t); err == nil {
		err = t.flush(ctx)
	}
	if err == nil {
		err = t.pay(ctx)
	}
	if err == nil && t.unprompted {
		err = t.compactPrompts(ctx)
	}
	if err == nil {
		err = s.sign(ctx, t)
	}
	if err == nil {
		// A caller who gave up must not stop the commit half way: from here it is done or not.
		err = c.commit(context.WithoutCancel(ctx))
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

// begin takes the write connection and the write lock, both within writeWait, or sooner where
// the caller is impatient.
func (s *Store) begin(ctx context.Context) (*conn, error) {
	patience := s.writeWait
	if p, said := engram.LockTimeout(ctx); said {
		patience = min(p, patience)
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := s.taken(wait, s.writes)
	if err != nil {
		return nil, s.waited(ctx, patience, err)
	}
	if err := patiently(wait, func() error { return c.begin(wait, "BEGIN IMMEDIATE") }); err != nil {
		s.writes.give(c)
		return nil, s.waited(ctx, patience, err)
	}
	return c, nil
}

// patiently calls fn until it is no longer busy or ctx is done. SQLite's own waiting
// sleeps longer and longer, so that whoever has waited longest is served last; with
// short naps of random length eight writers wait a fraction of the time.
func patiently(ctx context.Context, fn func() error) error {
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

// waited names the cause when it was the time to wait for others that ran out, not the caller's own.
func (s *Store) waited(ctx context.Context, wait time.Duration, err error) error {
	if ctx.Err() == nil && (isBusy(err) || errors.Is(err, context.DeadlineExceeded)) {
		return engram.Errorf(engram.CodeUnavailable, "the database has been locked by another program for %s", wait).
			WithHint("find what holds %s, or try again; nothing was changed", s.path).WithCause(err)
	}
	return err
}

// makeFile makes the folder and an empty database file that only the user may read.
// SQLite gives the -wal and -shm the same mode.
func makeFile(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fileError(err, path)
	}
	// O_EXCL: a file that is there, and perhaps open in SQLite, is never opened here.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil // another process was quicker
	}
	if err != nil {
		return fileError(err, path)
	}
	return f.Close()
}

func fileError(err error, path string) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot make the database %s", path).
		WithHint("check that the folder can be written, or choose another with --data-dir").WithCause(err)
}

// mapped is how much of the file is mapped at most, in bytes; what is behind it is read.
const mapped = 256 << 20

// mapping are the pragmas of a connection that reads the file where the system has it.
//
// What may be read of a mapping is what could be read of the file: nobody shortens it
// below a snapshot that is being read, and nothing here ever does at all. What differs is
// a disk that fails, or a stranger who cuts the file: a read that would be an error ends
// the process. So it is for commands that have a person before them, not for servers, nor
// for whoever looks whether the file is well. The index of the log (-shm) is mapped in
// any case. Windows lets nobody shorten a file that is mapped, and elsewhere a mapping
// need not show at once what was written.
func mapping() []string {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return nil
	}
	return []string{fmt.Sprintf("mmap_size(%d)", mapped)}
}

// pragmas is the statement that sets them.
func pragmas(all []string) string { return "PRAGMA " + strings.Join(all, "; PRAGMA ") }

// dsn is the address of the file for the driver, with the pragmas of its connections.
func dsn(path string, pragmas ...string) string {
	p := filepath.ToSlash(path)
	if p[0] != '/' {
		p = "/" + p // C:/… on Windows
	}
	q := url.Values{"mode": {"rw"}, "_pragma": append([]string{fmt.Sprintf("cache_size(-%d)", usualPages), "temp_store(2)"}, pragmas...)}
	return (&url.URL{Scheme: "file", Path: p, OmitHost: true, RawQuery: q.Encode()}).String()
}
