package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// Sizes of the write-ahead log in bytes. SQLite usually restarts the log at a thousand pages; from
// longLog on, shorten does.
const (
	usualLog = 4 << 20
	longLog  = 6 << 20
	moreLog  = 16 << 20 // growth until the next attempt after a failed one
)

// shorten restarts the write-ahead log if it has grown long. SQLite restarts it only at a moment without
// readers, and overlapping readers leave no such moment: eight writers beside two constant searchers
// wrote a log of 200 MB in half a minute, and page lookups slow down with its length. shorten waits for
// the current readers; new ones do not need the log.
//
// After a failed attempt, the next is made when the log has grown by moreLog, so a long-lived reader
// does not delay every save.
func (f *File) shorten(ctx context.Context, c *conn.Conn) {
	info, err := os.Stat(f.Path + "-wal")
	if err != nil || info.Size() < f.tooLong {
		return
	}
	const patience = 100 * time.Millisecond // searches take a fraction of it
	f.tooLong = longLog
	if done, err := checkpoint(ctx, c, "RESTART", patience); !done {
		f.tooLong = info.Size() + moreLog
		f.log.DebugContext(ctx, "cannot shorten the write-ahead log", "bytes", info.Size(), "err", err)
	}
}

// LogHolds reports whether the log, or pages that it will replace, may still contain erased text because
// a reader has kept it from being emptied.
func (f *File) LogHolds() bool { return f.held.Load() }

// scrub empties the log after an erase, so that it contains no copy of the text. It waits briefly for
// readers in the way; otherwise each later write of this process tries again, and SQLite empties the log
// when the last connection closes.
func (f *File) scrub(ctx context.Context, c *conn.Conn, patience time.Duration) {
	done, err := checkpoint(ctx, c, "TRUNCATE", patience)
	if f.held.Store(!done); !done {
		f.log.WarnContext(ctx, "cannot empty the write-ahead log after an erase", "readers in the way", err == nil, "err", err)
	}
}

// checkpoint moves the log into the database, waiting up to patience for readers that still need it.
// done is false if a reader stayed, or on an error.
func checkpoint(ctx context.Context, c *conn.Conn, mode string, patience time.Duration) (done bool, err error) {
	var busy, pages, moved int // the pragma reports a reader in the way by a row, not by an error
	err = errors.Join(
		c.Exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())),
		c.Scan(ctx, "PRAGMA wal_checkpoint("+mode+")", &busy, &pages, &moved),
		c.Exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", writerNap.Milliseconds())),
	)
	return err == nil && busy == 0, err
}

// patience is how long an examination waits for locks.
const patience = 2 * time.Second

// Probe tries the write lock and runs a passive checkpoint, as SQLite does after a save, without
// blocking others. It changes no memory.
func (f *File) Probe(ctx context.Context) health.Log {
	l := health.Log{Part: health.Part{Known: true}, BusyTimeout: f.patient, Patience: patience}
	l.Err = f.Explain(f.probe(ctx, &l))
	return l
}

func (f *File) probe(ctx context.Context, l *health.Log) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	timedOut := func(err error) bool { return ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) }
	c, err := f.Writes.Take(wait)
	if timedOut(err) {
		l.Locked = true // by this process
		return f.size(l)
	}
	if err != nil {
		return err
	}
	defer f.Writes.Give(c)
	if err := c.Scan(ctx, "PRAGMA journal_mode", &l.Mode); err != nil {
		return err
	}
	err = retryBusy(wait, func() error { return c.Begin(wait, "BEGIN IMMEDIATE") })
	c.Rollback()
	// The wait may end inside the last attempt, before SQLite reports that it is busy.
	if l.Locked = conn.IsBusy(err) || timedOut(err); err != nil && !l.Locked {
		return err
	}
	if err := f.tryCheckpoint(wait, c, l); err != nil {
		return err
	}
	return f.size(l)
}

// tryCheckpoint repeats a passive checkpoint until it is not busy or ctx ends: other writers checkpoint
// too, each for a moment.
func (f *File) tryCheckpoint(ctx context.Context, c *conn.Conn, l *health.Log) error {
	const nap = 20 * time.Millisecond
	for {
		// Not cancelled half way: a passive checkpoint never waits.
		err := c.Scan(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(PASSIVE)", &l.Busy, &l.Frames, &l.Moved)
		if err != nil || !l.Busy {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(nap):
		}
	}
}

func (f *File) size(l *health.Log) error {
	info, err := os.Stat(f.Path + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		l.Bytes = info.Size()
	}
	return err
}

// Shorten empties the write-ahead log, waiting briefly for readers in the way; done reports whether they
// left.
func (f *File) Shorten(ctx context.Context) (done bool, err error) {
	c, err := f.take(ctx, f.Writes)
	if err != nil {
		return false, f.Explain(err)
	}
	defer f.Writes.Give(c)
	done, err = checkpoint(ctx, c, "TRUNCATE", patience)
	return done, f.Explain(err)
}
