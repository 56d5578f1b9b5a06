// Package search answers a question: steps from words and meaning to ranked hits (question), the relevance threshold,
// reranking, and recall within a token budget.
package search

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/alias"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// Finder finds memories. It is safe for concurrent use.
type Finder struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver

	textCache *textCache
	leanings  *leanings
	rooms     *sync.Pool // of *room
	aliases   alias.Table
	reranker  engram.Reranker // nil: none
	warm      Warm            // nil: no server
}

// Warm asks a server of the same store and settings, which has it in memory, to search the current state. ok is false
// if it did not answer.
type Warm func(ctx context.Context, in SearchInput) (found engram.Found, ok bool)

// Cache has what searches parse and measure once, for all callers.
type Cache struct {
	texts    *textCache
	leanings *leanings
	rooms    *sync.Pool
	aliases  alias.Table
}

// NewCache returns a Cache of about so many bytes; 0 is 5 MiB.
func NewCache(bytes int, aliases alias.Table) *Cache {
	return &Cache{texts: &textCache{most: cmp.Or(bytes, textCacheBytes)}, leanings: new(leanings), rooms: new(sync.Pool), aliases: aliases}
}

// New returns a Finder. reranker reorders the best hits on request; nil: none. warm is nil without a server.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, c *Cache, reranker engram.Reranker, warm Warm) *Finder {
	return &Finder{screen: l.Screen, ledger: l, exposure: x, anchors: a, textCache: c.texts, leanings: c.leanings, rooms: c.rooms, aliases: c.aliases, reranker: reranker, warm: warm}
}

// lookAtCode sets the anchor states of hits, moves stale hits behind about equally good ones, and records the
// states for the review queue.
func (f *Finder) lookAtCode(ctx context.Context, dir string, found *engram.Found, in SearchInput) {
	anchored := func(h engram.Hit) bool { return len(h.Memory.Anchors) > 0 }
	if !slices.ContainsFunc(found.Hits, anchored) && !slices.ContainsFunc(found.BelowThreshold, anchored) {
		return
	}
	by := f.anchors.States(ctx, dir, walk.MemoriesOf(found.Hits, found.BelowThreshold))
	for _, hits := range [][]engram.Hit{found.Hits, found.BelowThreshold} {
		for i := range hits {
			hits[i].Anchors = by[hits[i].Memory.Num]
		}
		if !in.ByStrength && !in.Rerank { // the caller asked for another order
			anchors.LowerStale(hits)
		}
	}
	f.anchors.NoteAnchors(ctx, by)
}
