package lexicon

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/recent"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// catalogue is the index as one snapshot sees it. It is immutable.
type catalogue struct {
	state    index.State
	segments []*segment
	kinds    map[index.Kind]uint32
	fresh    *segment // the unsealed memories; nil if there are no such memories
}

// all returns the segments, the unsealed memories last.
func (c *catalogue) all() []*segment {
	if c.fresh == nil {
		return c.segments
	}
	return append(slices.Clip(c.segments), c.fresh)
}

// Cache keeps the newest state of the index that a connection of this process has read. A new one costs
// a row per segment; documents, 32 bytes per memory, are read on first use. Of the segments, which never
// change in a version, it keeps what was asked of them lately. It is safe for concurrent use; the zero Cache
// is empty.
type Cache struct {
	mu  sync.Mutex
	cat *catalogue

	lists    recent.Cache[listOf, postings.List]
	initials recent.Cache[initialOf, *initial]
	missing  recent.Cache[missingOf, []likely]
	rooms    recent.Spare[room] // for searches
}

// lasting reports whether what is read of a segment may be kept by its version: the unsealed memories have
// none, and uncommitted changes must stay invisible to other transactions.
func (x *Index) lasting(g *segment) bool {
	return g.num != 0 && !x.changes && !x.Uncommitted && !g.private
}

// catalogue returns the index as this transaction sees it, including pending changes.
func (x *Index) catalogue(ctx context.Context) (*catalogue, error) {
	if err := x.Flush(ctx); err != nil {
		return nil, err
	}
	return x.written(ctx)
}

// written is catalogue without the pending changes.
func (x *Index) written(ctx context.Context) (*catalogue, error) {
	if x.cat != nil {
		return x.cat, nil
	}
	now, err := x.Store.State(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	x.Cache.mu.Lock()
	last := x.Cache.cat
	x.Cache.mu.Unlock()
	if last != nil && last.state == now && !x.changes {
		x.cat = last
		return last, nil
	}
	cat, err := x.readCatalogue(ctx, now, last)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	x.cat = cat
	if !x.changes && !x.Uncommitted { // uncommitted changes must stay invisible to other transactions
		x.Cache.mu.Lock()
		x.Cache.cat = cat
		x.Cache.mu.Unlock()
	}
	return cat, nil
}

// readCatalogue reads the catalogue, reusing what is unchanged in last, which may be nil.
func (x *Index) readCatalogue(ctx context.Context, now index.State, last *catalogue) (*catalogue, error) {
	cat := &catalogue{state: now}
	var err error
	if cat.fresh, err = x.readUnsealed(ctx, now, last); err != nil {
		return nil, err
	}
	if last != nil && last.state.Changes == now.Changes && !x.changes {
		cat.segments, cat.kinds = last.segments, last.kinds
		return cat, nil
	}
	if cat.segments, err = x.segments(ctx); err != nil {
		return nil, err
	}
	if last != nil && !x.changes {
		known := make(map[int64]*segment, len(last.segments))
		for _, g := range last.segments {
			known[g.num] = g
		}
		for i, g := range cat.segments {
			if k := known[g.num]; k != nil && k.version == g.version {
				cat.segments[i] = k
			}
		}
	}
	cat.kinds, err = x.Store.Kinds(ctx)
	return cat, err
}

// readUnsealed makes a segment of the unsealed memories. Their words are read on first use: vector
// searches do not need them, and every save changes them. Only those are read that last does not have.
func (x *Index) readUnsealed(ctx context.Context, now index.State, last *catalogue) (*segment, error) {
	var known index.State // whose memories g begins with
	g := &segment{}
	if last != nil && last.state.Changes == now.Changes && last.state.Last <= now.Last {
		known, g = last.state, waitingAfter(last.fresh)
	}
	err := x.Store.Unsealed(ctx, known.Last, x.Served, func(u index.Unsealed) error {
		if len(u.Document) != postings.DocSize {
			return postings.ErrDamaged
		}
		if x.Served {
			g.waiting = append(g.waiting, source{docs: u.Document, blocks: [][]byte{u.Words}})
		}
		g.docs = append(g.docs, u.Document...)
		return nil
	})
	if err == nil && known.Last != 0 && int64(g.docs.Len()) != now.Unsealed { // some of last are gone
		return x.readUnsealed(ctx, now, nil)
	}
	if err != nil || g.docs.Len() == 0 {
		return nil, err
	}
	return g.counted(), nil
}

// waitingAfter returns the memories of g, which may be nil, for others to be added.
func waitingAfter(g *segment) *segment {
	if g == nil {
		return &segment{}
	}
	return &segment{waiting: slices.Clip(g.waiting), docs: slices.Clip(g.docs)}
}

// counted completes the segment of the unsealed memories from their documents.
func (g *segment) counted() *segment {
	g.level, g.project, g.loaded, g.wordless = levelSmall, Several, true, true
	g.slots, g.live = g.docs.Len(), g.docs.Len()
	for slot := range g.docs.Len() {
		g.tokens += int64(g.docs.Length(slot))
	}
	g.count()
	return g
}

// Committed tells that the transaction has committed and left the index in a state. If it only added memories to what
// the cache has, the next one of the process need not read them.
func (x *Index) Committed(now index.State) {
	if x.before == nil || !x.Served {
		return
	}
	g := waitingAfter(x.before.fresh)
	for _, s := range x.added {
		g.waiting, g.docs = append(g.waiting, s), append(g.docs, s.docs...)
	}
	cat := &catalogue{state: now, segments: x.before.segments, kinds: x.before.kinds, fresh: g.counted()}
	x.Cache.mu.Lock()
	defer x.Cache.mu.Unlock()
	if x.Cache.cat == x.before {
		x.Cache.cat = cat
	}
}

// readWords makes the words of a segment available: those of the unsealed memories are read on first
// use. The snapshot must have the same index state as the one in which g was read.
func (x *Index) readWords(ctx context.Context, g *segment) error {
	if g.num != 0 {
		return nil
	}
	g.loading.Lock()
	defer g.loading.Unlock()
	if !g.wordless {
		return nil
	}
	from, err := g.waiting, error(nil)
	if from == nil {
		from, err = x.unsealed(ctx)
	}
	if err != nil {
		return err
	}
	into := &target{segment: &segment{}}
	all, err := gather(from, func(postings.Doc) *target { return into })
	if err != nil {
		return err
	}
	blocks, err := postings.Merge(nil, all.additions(into), blockSize)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		g.firsts = append(g.firsts, b.First)
		g.blocks = append(g.blocks, b.Data)
	}
	g.wordless = false
	return nil
}

// changed marks the index as changed by this transaction and returns the new version.
func (x *Index) changed(ctx context.Context) (version int64, err error) {
	x.touched()
	x.own = nil
	return x.Store.Changed(ctx)
}

// touched drops the transaction's cached catalogue.
func (x *Index) touched() { x.cat, x.before, x.added, x.changes = nil, nil, nil, true }

// kindNum returns the number of a type and scope, adding it if needed.
func (x *Index) kindNum(ctx context.Context, k index.Kind) (uint32, error) {
	if num, known := x.kinds[k]; known {
		return num, nil
	}
	if x.kinds == nil {
		x.kinds = map[index.Kind]uint32{}
	}
	if x.cat != nil && x.cat.kinds[k] != 0 {
		x.kinds[k] = x.cat.kinds[k]
		return x.kinds[k], nil
	}
	num, err := x.Store.Kind(ctx, k)
	if num != 0 {
		x.kinds[k] = num
	}
	if num != 0 || err != nil {
		return num, err
	}
	if _, err := x.changed(ctx); err != nil {
		return 0, err
	}
	return x.Store.AddKind(ctx, k)
}
