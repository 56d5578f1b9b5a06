package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// A save adds a row to the index and ends. What waits there is moved to segments beside the saves, by a process that
// sees that it is much, in a transaction of its own.

// sealing is what a process seals of the space; the zero sealing has begun nothing.
type sealing struct {
	mu    sync.Mutex
	over  bool
	doing chan struct{} // closed when it is done; nil if nothing is sealed
}

// begin reports whether the caller may seal, and must call end.
func (s *sealing) begin() (end func(), may bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.doing != nil {
		return nil, false
	}
	doing := make(chan struct{})
	s.doing = doing
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.doing = nil
		close(doing)
	}, true
}

// end lets nothing begin, and waits for what has begun.
func (s *sealing) end() {
	s.mu.Lock()
	s.over = true
	doing := s.doing
	s.mu.Unlock()
	if doing != nil {
		<-doing
	}
}

// indexes are those of a transaction.
func (t *tx) indexes() []*lexicon.Index { return []*lexicon.Index{&t.index, &t.asked} }

// sealBeside begins to seal if the transaction, which has committed, leaves much unsealed.
func (s *Store) sealBeside(ctx context.Context, t *tx) {
	for _, x := range t.indexes() {
		if due, err := x.Due(ctx); err != nil || !due {
			continue
		}
		if end, may := s.sealing.begin(); may {
			go func() {
				defer end()
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.wait)
				defer cancel()
				_ = s.seal(ctx) // what fails, such as for the end of the database, the next save tries again
			}()
		}
		return
	}
}

// seal moves memories and prompts that wait to segments, unless another transaction writes now: what that one leaves,
// it sees.
func (s *Store) seal(ctx context.Context) error {
	begin := s.beginWrite(ctx)
	begin[len(begin)-1] += " SKIP LOCKED"
	c, row, err := s.pool.Begin(ctx, s.space, begin...)
	if err != nil {
		return err
	}
	defer c.Rollback()
	if len(row) == 0 {
		return nil
	}
	return s.write(ctx, c, row, func(w engram.Tx) error {
		for _, x := range w.(*tx).indexes() {
			if err := x.Seal(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// renew indexes all memories anew, in batches, if another lexicon.Version made the index. Meanwhile the old words answer.
func (s *Store) renew(ctx context.Context) error {
	return lexicon.RenewAll(ctx, s.now, func(ctx context.Context, most int) (current bool, err error) {
		err = s.Update(ctx, func(w engram.Tx) (err error) {
			current, err = w.(*tx).renew(ctx, most)
			return err
		})
		return current, err
	})
}

// renew indexes up to most memories anew and reports whether none is left. Prompts, which are short, follow at once.
func (t *tx) renew(ctx context.Context, most int) (current bool, err error) {
	note, err := t.Fact(ctx, "words")
	switch {
	case err != nil:
		return false, err
	case note == lexicon.Current():
		return true, nil
	case note == "": // it has no index
		return true, t.Reindex(ctx)
	}
	note, err = t.index.Renew(ctx, note, most, t.Memories, t.addToIndex)
	if errors.Is(err, postings.ErrDamaged) {
		return true, t.Reindex(ctx)
	}
	if current = note == lexicon.Current(); err == nil && current {
		err = t.reindexPrompts(ctx)
	}
	if err != nil {
		return false, err
	}
	return current, t.PutFact(ctx, "words", note)
}

// Reindex rebuilds the whole index from the texts, without reading the old one, which may be damaged.
func (t *tx) Reindex(ctx context.Context) error {
	if err := t.vectors.Clear(ctx); err != nil {
		return err
	}
	if err := t.index.Clear(ctx); err != nil {
		return err
	}
	for after, more := int64(0), true; more; {
		ms, err := t.memories(ctx, liveFromSQL(), after, atOnce)
		for i := 0; i < len(ms) && err == nil; i++ {
			after = ms[i].Num
			err = t.addToIndex(ctx, ms[i])
		}
		if more = len(ms) > 0; err != nil {
			return err
		}
	}
	if err := t.reindexPrompts(ctx); err != nil {
		return err
	}
	return t.PutFact(ctx, "words", lexicon.Current())
}

func (t *tx) reindexPrompts(ctx context.Context) error {
	if err := t.asked.Clear(ctx); err != nil {
		return err
	}
	for after, more := int64(0), true; more; {
		ps, err := t.Prompts(ctx, engram.PromptFilter{ByNumber: true, After: after}, engram.Page{Limit: atOnce})
		for i := 0; i < len(ps) && err == nil; i++ {
			after = ps[i].Num
			var project int64
			if project, err = t.projectNum(ctx, ps[i].Project); err == nil {
				err = t.asked.Add(ctx, home{Project: project}, promptText(ps[i]), false)
			}
		}
		if more = len(ps) > 0; err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many memories or prompts Reindex reads at once.
const atOnce = 500

func (t *tx) addToIndex(ctx context.Context, m engram.Memory) error {
	at, err := t.homeOf(ctx, m)
	if err != nil {
		return err
	}
	return t.index.Add(ctx, at, m, false)
}
