// Package exposure records what was shown to whom: which memories a session saw and by which operation (exposures,
// from which use and reinforcement come), and how often memory was asked and knew (Tally).
package exposure

import (
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Recorder records what callers were shown. It is safe for concurrent use.
type Recorder struct {
	ledger *ledger.Ledger
	screen *screen.Screen

	Tally   *Tally // counts reads; nil: only saves are counted
	collect func() // adds the counters that other processes left behind to Tally; nil: none
}

// New returns a Recorder; tally counts reads, nil for only saves, and collect, if not nil, adds the counters that other
// processes left behind to it.
func New(l *ledger.Ledger, tally *Tally, collect func()) *Recorder {
	return &Recorder{screen: l.Screen, ledger: l, Tally: tally, collect: collect}
}
