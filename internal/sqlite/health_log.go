package sqlite

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/alanbuscaglia/engram/internal/health"
)

// patience is how long an examination waits for others.
const patience = 2 * time.Second

// Probe tries the write lock, and moves what it can of the write-ahead log into the
// database without getting in anybody's way, as SQLite does after a save. No memory
// changes.
func (s *Store) Probe(ctx context.Context) health.Log {
	l := health.Log{Part: health.Part{Known: true}, BusyTimeout: s.writeWait, Patience: patience}
	l.Err = explain(s.probe(ctx, &l), s.path)
	return l
}

func (s *Store) probe(ctx context.Context, l *health.Log) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := s.writes.take(wait)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		l.Locked = true // by this very process
		return s.size(l)
	}
	if err != nil {
		return err
	}
	defer s.writes.give(c)
	if err := c.sql.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&l.Mode); err != nil {
		return err
	}
	err = patiently(wait, func() error { return c.begin(wait, "BEGIN IMMEDIATE") })
	c.rollback()
	if l.Locked = isBusy(err); err != nil && !l.Locked {
		return err
	}
	if err := s.tryCheckpoint(wait, c, l); err != nil {
		return err
	}
	return s.size(l)
}

// tryCheckpoint asks for a checkpoint until there is one, or until ctx ends: other writers
// make checkpoints too, each for a moment, and that is how it should be.
func (s *Store) tryCheckpoint(ctx context.Context, c *conn, l *health.Log) error {
	const nap = 20 * time.Millisecond
	for {
		// Without ctx, which may end in the middle of it: a passive checkpoint waits for nobody.
		err := c.sql.QueryRowContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&l.Busy, &l.Frames, &l.Moved)
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

func (s *Store) size(l *health.Log) error {
	info, err := os.Stat(s.path + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		l.Bytes = info.Size()
	}
	return err
}

// Shorten empties the write-ahead log, waiting a little for readers in the way; done
// says whether they left.
func (s *Store) Shorten(ctx context.Context) (done bool, err error) {
	c, err := s.taken(ctx, s.writes)
	if err != nil {
		return false, explain(err, s.path)
	}
	defer s.writes.give(c)
	done, err = checkpoint(ctx, c, "TRUNCATE", patience)
	return done, explain(err, s.path)
}
