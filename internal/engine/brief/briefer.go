// Package brief builds what an agent is shown without asking: the context of a session, a brief at its start, and
// reminders for a prompt, a file or an error, each within a token budget.
package brief

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// Briefer builds contexts, briefs and reminders. It is safe for concurrent use.
type Briefer struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	search   *search.Finder
	remember *remember.Writer
	lines    *Lines
}

// New returns a Briefer; all of a process should have the same Lines.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, f *search.Finder, w *remember.Writer, s *Lines) *Briefer {
	return &Briefer{screen: l.Screen, ledger: l, exposure: x, anchors: a, search: f, remember: w, lines: s}
}

// reportAnchors sets the anchor states of hits that did not come from a search.
func (t *reminderBuilder) reportAnchors(ctx context.Context) {
	if slices.ContainsFunc(t.hits, func(h engram.Hit) bool { return h.Anchors != nil }) {
		return
	}
	by := t.briefer.anchors.States(ctx, t.in.Directory, walk.MemoriesOf(t.hits))
	for i := range t.hits {
		t.hits[i].Anchors = by[t.hits[i].Memory.Num]
	}
}

// reportAnchors adds anchor states to the notes of a brief.
func (b *briefBuilder) reportAnchors(ctx context.Context) {
	anchors.SetAnchors(b.notes, b.briefer.anchors.States(ctx, b.in.Directory, b.worth))
}

// reportAnchors adds anchor states to the notes of a context.
func (b *Briefer) reportAnchors(ctx context.Context, t *contextBuilder) {
	by := b.anchors.States(ctx, t.session.Directory, t.worth[:min(len(t.worth), 3*t.most)])
	anchors.SetAnchors(t.notes, by)
	b.anchors.NoteAnchors(ctx, by)
}
