package postgres

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/index/vectors"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/postgres/embeddings"
	"github.com/alanbuscaglia/engram/internal/postgres/segments"
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
	var c conditions
	c.addTopic("m", f.Topic)
	c.addMetadata("m", f.Metadata)
	if len(c.where) > 0 {
		in.Check = func(ctx context.Context, nums []int64) (map[int64]bool, error) { return t.check(ctx, c, nums) }
	}
	return in, nil
}

// check returns which of the memories pass conditions on metadata and topic.
func (t *tx) check(ctx context.Context, c conditions, nums []int64) (map[int64]bool, error) {
	query := `SELECT m.num, true FROM memories m WHERE ` + strings.Join(c.where, " AND ") + ` AND m.space = $space AND m.num = ANY(?)`
	pass, err := conn.Pairs[int64, bool](ctx, t, query, append(c.args, nums)...)
	return pass, conn.Doing(err, "check metadata")
}

// Lexical ranks memories by words.
func (t *tx) Lexical(ctx context.Context, q engram.LexicalQuery) (engram.Lexical, error) {
	in, err := t.indexFilter(ctx, q.Filter)
	if err != nil || in == nil {
		return engram.Lexical{}, err
	}
	return t.index.Search(ctx, q, *in)
}
