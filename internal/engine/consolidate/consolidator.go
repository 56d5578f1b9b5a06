// Package consolidate keeps a store in order: sleep merges near-duplicates and lets memories fade, decay is set per
// project, the doctor diagnoses and repairs, the journal is compacted, and vectors and secrets are brought up to
// date.
package consolidate

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// Consolidator keeps a store in order. It is safe for concurrent use.
type Consolidator struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	projects *projects.Registry
	search   *search.Finder
	relate   *relate.Linker
	remember *remember.Writer

	extractor engram.Extractor // finds patterns among memories during sleep; nil: none, and no memory leaves the process
	clinic    Clinic           // examines and repairs the store's files; nil: no doctor
}

// New returns a Consolidator. extractor finds patterns among memories during sleep, clinic examines and repairs the
// store's files; either may be nil.
func New(l *ledger.Ledger, p *projects.Registry, f *search.Finder, k *relate.Linker, w *remember.Writer, extractor engram.Extractor, clinic Clinic) *Consolidator {
	return &Consolidator{screen: l.Screen, ledger: l, projects: p, search: f, relate: k, remember: w, extractor: extractor, clinic: clinic}
}

// everywhere returns the Consolidator without excluded projects: skipped ones would count as checked.
func (c *Consolidator) everywhere() *Consolidator {
	other := *c
	other.ledger = c.ledger.Everywhere()
	return &other
}
