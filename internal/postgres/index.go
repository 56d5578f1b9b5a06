package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/index/vectors"
	"github.com/alanbuscaglia/engram/internal/postgres/embeddings"
	"github.com/alanbuscaglia/engram/internal/postgres/segments"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// kept is what the transactions of a process keep of the index.
type kept struct {
	memories, prompts lexicon.Cache
	vectors           vectors.Cache
	kinds             [2]segments.Kinds // by collection
}

// indexOf returns the index of a collection.
func (t *tx) indexOf(collection int, k *kept, cache *lexicon.Cache, slots lexicon.Slots) lexicon.Index {
	w := t.words(collection)
	w.Begun, w.Kept = t.begun.indexes[collection].Changes, &k.kinds[collection]
	return lexicon.Index{Store: w, Cache: cache, Slots: slots, Served: true}
}

// words returns what the transaction keeps of the index of a collection.
func (t *tx) words(collection int) segments.Words {
	return segments.Words{Tx: t.Tx, Collection: collection, Head: &t.head.indexes[collection], Other: &t.head.other}
}

// vectorsOf returns the vectors, whose codes stand in the slots of t.index.
func (t *tx) vectorsOf(k *kept) vectors.Index {
	e := t.embeddings()
	return vectors.Index{Rows: e, Codes: e, Words: &t.index, Cache: &k.vectors, Seen: func(context.Context) (*vectors.Seen, error) { return nil, nil }}
}

// embeddings returns what the transaction keeps of vectors and their codes.
func (t *tx) embeddings() embeddings.Store {
	return embeddings.Store{Tx: t.Tx, Other: &t.head.other, Known: func() *embeddings.Models { return &t.names.models }}
}

// noSlots keeps nothing in the slots of the index: prompts have no vectors.
type noSlots struct{}

// Placed does nothing.
func (noSlots) Placed(context.Context, int64, int, []int64, func(int64) bool) error { return nil }

// Emptied does nothing.
func (noSlots) Emptied(context.Context, int64, []int) error { return nil }

// Dropped does nothing.
func (noSlots) Dropped(context.Context, int64) error { return nil }

// Written does nothing.
func (noSlots) Written() {}

// indexFilter resolves a filter for the index of words; nil if no memory can pass.
func (t *tx) indexFilter(ctx context.Context, f engram.Filter) (*lexicon.Filter, error) {
	in, err := lexicon.Resolve(ctx, f, t.knownProject, t.sessionNum)
	if err != nil || in == nil {
		return nil, err
	}
	var c sqlrow.Query
	c.AddTopic("m", f.Topic)
	addMetadata(&c, "m", f.Metadata)
	if len(c.Where) > 0 {
		in.Check = func(ctx context.Context, nums []int64) (map[int64]bool, error) { return t.check(ctx, c, nums) }
	}
	return in, nil
}

// check returns which of the memories pass conditions on metadata and topic.
func (t *tx) check(ctx context.Context, c sqlrow.Query, nums []int64) (map[int64]bool, error) {
	query := `SELECT m.num, true FROM memories m WHERE ` + strings.Join(c.Where, " AND ") + ` AND m.space = $space AND m.num = ANY(?)`
	pass, err := sqlrow.Pairs[int64, bool](ctx, t, query, append(c.Args, nums)...)
	return pass, sqlrow.Doing(err, "check metadata")
}

// Lexical ranks memories by words.
func (t *tx) Lexical(ctx context.Context, q engram.LexicalQuery) (engram.Lexical, error) {
	in, err := t.indexFilter(ctx, q.Filter)
	if err != nil || in == nil {
		return engram.Lexical{}, err
	}
	return t.index.Search(ctx, q, *in)
}

// A save adds a row to the index and ends. Such rows are moved to segments beside the saves, by a process that sees that
// they are many, in a transaction of its own.

// indexes are those of a transaction.
func (t *tx) indexes() []*lexicon.Index { return []*lexicon.Index{&t.index, &t.asked} }

// sealBeside begins to seal if the transaction, which has committed, leaves much unsealed.
func (s *Store) sealBeside(ctx context.Context, t *tx) {
	for _, x := range t.indexes() {
		if due, err := x.Due(ctx); err != nil || !due {
			continue
		}
		if end, may := s.sealing.Begin(); may {
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

// seal moves memories and prompts that wait to segments. It waits for its turn as a save does: among many that write, one
// that only tried would never have it.
func (s *Store) seal(ctx context.Context) error {
	t, err := s.begin(ctx, s.beginWrite(ctx), forUpdate)
	if err != nil {
		return err
	}
	defer t.Rollback()
	return s.finish(ctx, t, func(w engram.Tx) error {
		for _, x := range w.(*tx).indexes() {
			if err := x.Seal(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Tidy frees the room of what a large write has replaced in the index, for the next one: the server would do so minutes
// later, and the tables would be several times as large by then. Where another role owns them, it does nothing.
func (s *Store) Tidy(ctx context.Context) error {
	t, err := s.pool.Begin(ctx, s.space)
	if err != nil {
		return explain(ctx, err)
	}
	defer t.Rollback()
	_, err = t.Simple(ctx, "VACUUM (SKIP_LOCKED) segments, documents, lengths, postings, codes")
	return explain(ctx, err)
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
	err := errors.Join(t.vectors.Clear(ctx), t.index.Clear(ctx))
	if err == nil {
		err = t.eachLive(ctx, func(m engram.Memory) error { return t.addToIndex(ctx, m) })
	}
	if err == nil {
		err = t.reindexPrompts(ctx)
	}
	if err != nil {
		return err
	}
	return t.PutFact(ctx, "words", lexicon.Current())
}

func (t *tx) reindexPrompts(ctx context.Context) error {
	if err := t.asked.Clear(ctx); err != nil {
		return err
	}
	for after := int64(0); ; {
		ps, err := t.Prompts(ctx, engram.PromptFilter{ByNumber: true, After: after}, engram.Page{Limit: atOnce})
		if err != nil || len(ps) == 0 {
			return err
		}
		for _, p := range ps {
			after = p.Num
			project, err := t.projectNum(ctx, p.Project)
			if err == nil {
				err = t.asked.Add(ctx, home{Project: project}, promptText(p), false)
			}
			if err != nil {
				return err
			}
		}
	}
}

// eachLive calls fn with the live memories, some at a time.
func (t *tx) eachLive(ctx context.Context, fn func(engram.Memory) error) error {
	for after := int64(0); ; {
		ms, err := t.memories(ctx, memoriesWhere(liveFrom), after, atOnce)
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

// atOnce is how many memories or prompts are read at once of all.
const atOnce = 500

func (t *tx) addToIndex(ctx context.Context, m engram.Memory) error {
	at, err := t.homeOf(ctx, m)
	if err != nil {
		return err
	}
	return t.index.Add(ctx, at, m, false)
}
