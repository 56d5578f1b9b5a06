// Package file is the database file: its connections for reading and writing, its schema and the backup
// before each change of it, its write-ahead log, and what is wrong with it when SQLite reports an error.
//
// Many processes may use the file at once. Reads run on snapshots and never wait for a writer; one writer
// at a time holds the file, others queue for up to Options.WriteWait. The journal mode is WAL with
// synchronous=FULL, so an acknowledged commit survives a power failure. Only SQLite may open the file,
// its -wal or its -shm: closing them by other means would drop the locks of all connections of the
// process. No file is ever replaced.
package file

import (
	"cmp"
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

// Options configure a file. Path is required.
type Options struct {
	Path      string           // of the database file; its folder is created with mode 0700
	Now       func() time.Time // for the names of backups; required if migrations are needed
	Log       *slog.Logger     // nil discards
	WriteWait time.Duration    // how long a write waits for other writers; default 20 s
	Mapped    bool             // memory-map the file for reading (see mapping); not with Single
	Single    bool             // the reading connection also writes while it is idle, with few pages in memory
	Ran       func(string)     // called with each statement before it runs, for tests that count them; nil: none
}

// File is an open database file. It is safe for concurrent use; transactions on one connection are not.
type File struct {
	Path   string     // absolute
	Reads  *conn.Pool // connections that cannot write, unless Options.Single
	Writes *conn.Pool // the one connection that can

	log     *slog.Logger
	patient time.Duration
	tooLong int64       // size in bytes at which the log is shortened; owned by the holder of the write connection
	held    atomic.Bool // see LogHolds
	queue   queue
}

// Open opens the file, creating it if needed, and migrates its schema after a backup. A file that is not
// a database, or not Engram's, is CodeInvalid; one of a newer Engram is CodeConflict.
func Open(ctx context.Context, o Options, schema Schema) (*File, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("database path: %w", err)
	}
	f := &File{Path: path, log: o.Log, patient: cmp.Or(o.WriteWait, 20*time.Second), tooLong: longLog}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	if err := makeFile(path); err != nil {
		return nil, err
	}
	pages, reads := readPages, append(napping(readerNap), "query_only(1)")
	switch {
	case o.Single: // opened to write: turning it would cost its statements and the pages that it has read
		pages, reads = fewPages, append(napping(readerNap), writing()...)
	case o.Mapped:
		reads = append(reads, mapping()...)
	}
	f.Reads = conn.NewPool(dsn(path, "rw", pages, reads...), Readers)
	f.Writes = conn.NewPool(dsn(path, "rw", conn.UsualPages, append(napping(writerNap), writing()...)...), 1)
	f.Reads.Ran, f.Writes.Ran = o.Ran, o.Ran
	f.Reads.Unwatched, f.Writes.Wide = o.Single || o.Mapped, o.Mapped
	if o.Single {
		f.Writes.BorrowFrom(f.Reads, pragmas(napping(writerNap)), pragmas(napping(readerNap)))
	}
	if err := f.prepare(ctx, schema, o.Now); err != nil {
		return nil, errors.Join(f.Explain(err), f.Close())
	}
	return f, nil
}

// Inspect opens an existing file on one connection that writes no page, not even when it closes; an empty
// log may be left beside it. Only Reads, Read and Patiently may be used.
func Inspect(path string) (*File, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database path: %w", err)
	}
	// mode=ro on top of query_only: a read-only connection does not checkpoint when it closes.
	reads := conn.NewPool(dsn(abs, "ro", conn.UsualPages, "busy_timeout(2000)", "query_only(1)"), 1)
	return &File{Path: abs, Reads: reads, patient: patience}, nil
}

// Close waits for running transactions and closes the file.
func (f *File) Close() error {
	if f.Writes == nil {
		return f.Reads.Close()
	}
	return errors.Join(f.Writes.Close(), f.Reads.Close()) // borrowed connections go back first
}

// Read runs fn on a snapshot.
func (f *File) Read(ctx context.Context, fn func(*conn.Conn) error) error {
	c, err := f.Reads.Take(ctx)
	if err != nil {
		return f.Explain(err)
	}
	defer f.Reads.Give(c)
	if err := c.Begin(ctx, "BEGIN"); err != nil {
		return f.Explain(err)
	}
	defer c.Rollback()
	return f.Explain(fn(c))
}

// Write runs fn as the only writer and commits unless it fails. erased tells that texts were removed, of
// which the log must keep no copy.
//
// With engram.WithSharedCommit, several writes are committed together: each sees those before it, and a failed
// one takes back its own changes alone.
//
// look, unless nil, runs first, on the same connection but not yet as the only writer, so that fn finds
// in memory what look has read. Its last statement must write, which makes it the writer; busy tells
// that this failed because another process is writing, or has written since: then fn sees a newer
// snapshot than look.
func (f *File) Write(ctx context.Context, look func(*conn.Conn) (busy bool, err error), fn func(*conn.Conn) (erased bool, err error)) error {
	t, err := f.begin(ctx, look)
	if err != nil {
		return f.Explain(err)
	}
	err = errPanicked
	defer func() {
		if errors.Is(err, errPanicked) {
			_ = f.end(ctx, t, err) // the panic says what is wrong
		}
	}()
	var erased bool
	if erased, err = fn(t.c); err != nil {
		_ = f.end(ctx, t, err)
		return f.Explain(err)
	}
	t.erased = t.erased || erased
	return f.Explain(f.end(ctx, t, nil))
}

var errPanicked = errors.New("a write panicked")

// Patiently runs fn on a connection for reading, again while the file is busy, for at most the time that
// a write waits: opening a connection reads the file, which another process may be creating or
// recovering.
func (f *File) Patiently(ctx context.Context, fn func(context.Context, *conn.Conn) error) error {
	c, err := f.take(ctx, f.Reads)
	if err != nil {
		return err
	}
	defer f.Reads.Give(c)
	return f.retry(ctx, func(ctx context.Context) error { return fn(ctx, c) })
}

// Readers is the number of read connections.
const Readers = 4

// Busy timeouts of SQLite itself: readers wait for recovery of the log, writers for the write lock,
// which retryBusy then retries.
const (
	readerNap = 2 * time.Second
	writerNap = 20 * time.Millisecond
)

// napping returns the pragma of a connection that waits for locks itself.
func napping(d time.Duration) []string {
	return []string{fmt.Sprintf("busy_timeout(%d)", d.Milliseconds())}
}

// writing returns the pragmas of a connection that writes.
func writing() []string {
	return []string{"foreign_keys(1)", "synchronous(FULL)", fmt.Sprintf("journal_size_limit(%d)", usualLog),
		// Always on: an erase cannot know which freed pages contain older copies.
		"secure_delete(1)"}
}

// begin takes the write connection and the write lock, after look unless that is nil, within the usual
// wait or the caller's shorter lock timeout. The time of look does not count.
func (f *File) begin(ctx context.Context, look func(*conn.Conn) (busy bool, err error)) (*transaction, error) {
	patience := f.patient
	if p, said := engram.LockTimeout(ctx); said {
		patience = min(p, patience)
	}
	var t *transaction
	patiently := func(fn func(ctx context.Context) error) error {
		wait, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return f.explainWait(ctx, patience, fn(wait))
	}
	err := patiently(func(ctx context.Context) (err error) {
		t, err = f.turn(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if t.joined() {
		return t, f.join(ctx, t, look)
	}
	busy := true
	if look != nil {
		if busy, err = looking(ctx, t.c, look); busy {
			t.c.Rollback()
		}
	}
	if err == nil && busy {
		err = patiently(func(ctx context.Context) error {
			return retryBusy(ctx, func() error { return t.c.Begin(ctx, "BEGIN IMMEDIATE") })
		})
	}
	if err != nil {
		t.c.Rollback()
		f.Writes.Give(t.c)
		return nil, err
	}
	return t, nil
}

// looking runs look in a transaction that is a reader's until look writes.
func looking(ctx context.Context, c *conn.Conn, look func(*conn.Conn) (busy bool, err error)) (busy bool, err error) {
	if err := c.Begin(ctx, "BEGIN"); err != nil {
		return false, err
	}
	return look(c)
}

// retryBusy retries fn until it is not busy or ctx is done. SQLite's own back-off favours newcomers;
// with short random naps eight writers wait a fraction of the time.
func retryBusy(ctx context.Context, fn func() error) error {
	for {
		err := fn()
		if err == nil || !conn.IsBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Millisecond/2 + rand.N(2*time.Millisecond)):
		}
	}
}

// explainWait explains err if the wait ran out, not the caller's own deadline.
func (f *File) explainWait(ctx context.Context, wait time.Duration, err error) error {
	if ctx.Err() == nil && (conn.IsBusy(err) || errors.Is(err, context.DeadlineExceeded)) {
		return engram.Errorf(engram.CodeUnavailable, "the database has been locked by another program for %s", wait).
			WithHint("close the program that holds %s, or try again; nothing was changed", f.Path).WithCause(err)
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

// readPages is the size in KiB of the page cache of a connection that reads. The pages that it needs again and again are
// fewer, and of the others, one for each vector, it finds hardly any again.
const readPages = 1536

// fewPages is the size in KiB of the page cache of a process with one task. It reads most pages once, and to read one into
// memory that has had another costs less than memory that is new to the process, or than a mapped page.
const fewPages = 128

// dsn returns the driver's address of the file, opened in mode rw or ro, with the size in KiB of the page cache and the
// pragmas of its connections.
func dsn(path, mode string, pages int, pragmas ...string) string {
	p := filepath.ToSlash(path)
	if p[0] != '/' {
		p = "/" + p // C:/… on Windows
	}
	q := url.Values{"mode": {mode}, "_pragma": append([]string{fmt.Sprintf("cache_size(-%d)", pages), "temp_store(2)"}, pragmas...)}
	return (&url.URL{Scheme: "file", Path: p, OmitHost: true, RawQuery: q.Encode()}).String()
}

// take takes a connection, retrying while the file is busy.
func (f *File) take(ctx context.Context, p *conn.Pool) (c *conn.Conn, err error) {
	err = f.retry(ctx, func(ctx context.Context) (err error) {
		c, err = p.Take(ctx)
		return err
	})
	return c, err
}

// retry calls fn until it is no longer busy, for at most the time that a write waits.
func (f *File) retry(ctx context.Context, fn func(context.Context) error) error {
	wait, cancel := context.WithTimeout(ctx, f.patient)
	defer cancel()
	return f.explainWait(ctx, f.patient, retryBusy(wait, func() error { return fn(wait) }))
}
