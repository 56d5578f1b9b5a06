// Package brief builds what an agent is shown without asking: the context of a session, a brief at its start, and
// reminders for a prompt, a file or an error, each within a token budget.
package brief

import (
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// Briefer builds contexts, briefs and reminders. It is safe for concurrent use.
type Briefer struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	search   *search.Finder
	remember *remember.Writer
}

// New returns a Briefer.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, f *search.Finder, w *remember.Writer) *Briefer {
	return &Briefer{screen: l.Screen, ledger: l, exposure: x, anchors: a, search: f, remember: w}
}
