// Package read shows what the store has: a memory with its history, lists, a timeline, the graph around a memory, the
// log, statistics and metrics, and why a session was shown what.
package read

import (
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// Reader shows what the store has. It is safe for concurrent use.
type Reader struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	search   *search.Finder
}

// New returns a Reader.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, f *search.Finder) *Reader {
	return &Reader{screen: l.Screen, ledger: l, exposure: x, anchors: a, search: f}
}
