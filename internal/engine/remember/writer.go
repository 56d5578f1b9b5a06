// Package remember writes memories: saves one or many, with the look around for near-duplicates and contradictions,
// updates, captures learnings from a text, and keeps sessions and prompts.
package remember

import (
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// Writer writes memories. It is safe for concurrent use.
type Writer struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	projects *projects.Registry
	search   *search.Finder
	relate   *relate.Linker
}

// New returns a Writer.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, p *projects.Registry, f *search.Finder, k *relate.Linker) *Writer {
	return &Writer{screen: l.Screen, ledger: l, exposure: x, anchors: a, projects: p, search: f, relate: k}
}
