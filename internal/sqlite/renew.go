package sqlite

import (
	"context"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/lexicon"
)

// renew rebuilds the index if another lexicon.Version made it.
func (s *Store) renew(ctx context.Context) error {
	c, err := s.takeRetrying(ctx, s.reads)
	if err != nil {
		return err
	}
	current := false
	err = s.wait(ctx, func(ctx context.Context) (err error) {
		current, err = newTx(c, &s.kept, false).wordsAreCurrent(ctx)
		return err
	})
	s.reads.Give(c)
	if err != nil || current {
		return err
	}
	s.log.InfoContext(ctx, "reindexing all memories", "words", lexicon.Version)
	return s.Update(ctx, func(w engram.Tx) error {
		t := w.(*tx)
		current, err := t.wordsAreCurrent(ctx) // another process may have done it
		if err != nil || current {
			return err
		}
		return t.Reindex(ctx)
	})
}

// wordsAreCurrent reports whether the current lexicon.Version made the index.
func (t *tx) wordsAreCurrent(ctx context.Context) (bool, error) {
	v, err := t.Fact(ctx, "words")
	return v == strconv.Itoa(lexicon.Version), err
}

// rebuiltSQL reads live memories by number, in batches.
const rebuiltSQL = `SELECT ` + memoryColumns + ` FROM memories m WHERE m.num > ? AND m.deleted_at IS NULL ORDER BY m.num LIMIT 500`

// Reindex rebuilds the whole index from the texts, without reading the old one, which may be damaged.
func (t *tx) Reindex(ctx context.Context) error {
	if err := t.vectors.Clear(ctx); err != nil {
		return err
	}
	if err := t.index.Clear(ctx); err != nil {
		return err
	}
	err := t.eachLive(ctx, func(m engram.Memory) error {
		at, err := t.homeOf(ctx, m)
		if err != nil {
			return err
		}
		return t.index.Add(ctx, at, m, false)
	})
	if err != nil {
		return err
	}
	return t.PutFact(ctx, "words", strconv.Itoa(lexicon.Version))
}

// eachLive calls fn for each live memory by number, reading in batches.
func (t *tx) eachLive(ctx context.Context, fn func(engram.Memory) error) error {
	for after := int64(0); ; {
		ms, err := t.memories(ctx, rebuiltSQL, after)
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
