// Package review is the queue of a person: flagged, pending, proposed, changed and due items, and what the person
// decides on them.
package review

import (
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
)

// Desk holds the review queue. It is safe for concurrent use.
type Desk struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	search   *search.Finder
	remember *remember.Writer
	sync     *sync.Replicator
}

// New returns a Desk.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, f *search.Finder, w *remember.Writer, y *sync.Replicator) *Desk {
	return &Desk{screen: l.Screen, ledger: l, exposure: x, anchors: a, search: f, remember: w, sync: y}
}
