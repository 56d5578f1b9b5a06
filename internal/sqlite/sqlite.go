// Package sqlite implements engram.Store on one SQLite file. There is a file per noun; the schema is in
// migration/.
//
// What the store is made of stands in packages of their own: file holds the database file, conn the
// statements of a transaction, segments the index of words; what stands in the index is said by internal/index.
package sqlite

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"errors"
	"log/slog"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/secret"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
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
	// Mapped memory-maps the file for reading, which halves the cost of cold reads (package file). For
	// short-lived processes that read much. It has no effect with Single.
	Mapped bool
	// Single lets the reading connection also write while it is idle: opening a second one is a
	// twentieth of the cost of an agent's event. It keeps few pages in memory. For processes that do one thing.
	Single bool
	// Ran is called with each statement before it runs, for tests that count them; nil: none.
	Ran func(query string)
}

// Store is an engram.Store on one SQLite file.
type Store struct {
	*file.File
	kept    kept
	version string
	now     func() time.Time
	signed  time.Time // last check of the version entry; owned by the holder of the write connection
}

var _ engram.Store = (*Store)(nil)

//go:embed migration/*.sql
var migrations embed.FS

// schema is the schema of this program.
func schema() file.Schema {
	return file.Schema{Steps: migrations, Begun: func(ctx context.Context, c *conn.Conn) error {
		var id [8]byte
		_, _ = rand.Read(id[:]) // never fails
		return c.Exec(ctx, "INSERT INTO meta (key, value) VALUES ('device', ?), ('words', ?), ('secret_rules', ?)",
			hex.EncodeToString(id[:]), lexicon.Current(), secret.Version)
	}}
}

// Open opens the store, creating it if needed, and migrates its schema after a backup (file.Open). It
// renews the index of words if another lexicon.Version made it, a part of it where ctx has a deadline.
func Open(ctx context.Context, o Options) (*Store, error) {
	f, err := file.Open(ctx, file.Options{Path: o.Path, Now: o.Now, Log: o.Log, WriteWait: o.WriteWait, Mapped: o.Mapped, Single: o.Single, Ran: o.Ran}, schema())
	if err != nil {
		return nil, err
	}
	s := &Store{File: f, version: o.Version, now: o.Now}
	if err := s.renew(ctx, o.Log); err != nil {
		return nil, errors.Join(f.Explain(err), f.Close())
	}
	return s, nil
}

// View runs fn on a snapshot.
func (s *Store) View(ctx context.Context, fn func(engram.Reader) error) error {
	return s.Read(ctx, func(c *conn.Conn) error {
		if c.Kept == nil {
			c.Kept = new(unchanged)
		}
		t := newTx(c, &s.kept, false)
		if err := t.hide(ctx, engram.Excluded(ctx)); err != nil {
			return err
		}
		return fn(t)
	})
}

// Update runs fn as the only writer.
func (s *Store) Update(ctx context.Context, fn func(engram.Tx) error) error {
	return s.Write(ctx, nil, func(c *conn.Conn) (erased bool, err error) {
		return s.write(ctx, newTx(c, &s.kept, true), fn)
	})
}

// UpdateAfter is Update that runs look first. Unless another process writes between them, both are one
// transaction of SQLite, and what look has read is not read again.
func (s *Store) UpdateAfter(ctx context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	var t *tx // that of look, as long as fn may go on with it
	return s.Write(ctx, func(c *conn.Conn) (busy bool, err error) {
		if c.Kept == nil {
			c.Kept = new(unchanged)
		}
		t = newTx(c, &s.kept, true)
		if err := t.hide(ctx, engram.Excluded(ctx)); err != nil {
			return false, err
		}
		if err := look(t); err != nil {
			return false, err
		}
		if t.hidden != nil { // fn sees everything
			t = newTx(c, &s.kept, true)
		}
		if err = t.Run(ctx, lockSQL); conn.IsBusy(err) {
			t = nil
			return true, nil
		}
		return false, err
	}, func(c *conn.Conn) (erased bool, err error) {
		if t == nil {
			t = newTx(c, &s.kept, true)
		}
		return s.write(ctx, t, fn)
	})
}

// lockSQL takes the write lock and writes nothing.
const lockSQL = `UPDATE meta SET value = value WHERE 0`

// write runs fn in the transaction of the only writer, and writes what it has left to be written.
func (s *Store) write(ctx context.Context, t *tx, fn func(engram.Tx) error) (erased bool, err error) {
	defer t.index.Discard()
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
		err = t.countAltered(ctx)
	}
	if err == nil {
		err = s.sign(ctx, t)
	}
	return t.scrubbed, err
}

// renew indexes all memories anew, in batches, if another lexicon.Version made the index. Meanwhile the old words answer.
func (s *Store) renew(ctx context.Context, log *slog.Logger) error {
	current := false
	err := s.Patiently(ctx, func(ctx context.Context, c *conn.Conn) error {
		words, err := newTx(c, &s.kept, false).Fact(ctx, "words")
		current = words == lexicon.Current()
		return err
	})
	if err != nil || current {
		return err
	}
	if log != nil {
		log.InfoContext(ctx, "reindexing all memories", "words", lexicon.Version)
	}
	return lexicon.RenewAll(ctx, s.now, func(ctx context.Context, most int) (current bool, err error) {
		err = s.Update(ctx, func(w engram.Tx) (err error) {
			current, err = w.(*tx).renew(ctx, most)
			return err
		})
		return current, err
	})
}

// renew indexes up to most memories anew and reports whether none is left.
func (t *tx) renew(ctx context.Context, most int) (current bool, err error) {
	words, err := t.Fact(ctx, "words")
	if err == nil {
		words, err = t.index.Renew(ctx, words, most, t.Memories, t.addToIndex)
	}
	if errors.Is(err, postings.ErrDamaged) {
		return true, t.Reindex(ctx)
	}
	return words == lexicon.Current(), errors.Join(err, t.PutFact(ctx, "words", words))
}

// Reindex rebuilds the whole index from the texts, without reading the old one, which may be damaged.
func (t *tx) Reindex(ctx context.Context) error {
	if err := errors.Join(t.vectors.Clear(ctx), t.index.Clear(ctx)); err != nil {
		return err
	}
	if err := t.eachLive(ctx, func(m engram.Memory) error { return t.addToIndex(ctx, m) }); err != nil {
		return err
	}
	return t.PutFact(ctx, "words", lexicon.Current())
}

func (t *tx) addToIndex(ctx context.Context, m engram.Memory) error {
	at, err := t.homeOf(ctx, m)
	if err != nil {
		return err
	}
	return t.index.Add(ctx, at, m, false)
}

// eachLive calls fn for each live memory by number, reading in batches.
func (t *tx) eachLive(ctx context.Context, fn func(engram.Memory) error) error {
	for after := int64(0); ; {
		ms, err := t.memories(ctx, memoriesFrom(liveFrom), after, 500)
		if err != nil || len(ms) == 0 {
			return err
		}
		for _, m := range ms {
			if err := fn(m); err != nil {
				return err
			}
			after = m.Num
		}
	}
}
