// Package relate links memories: relations that a caller names, verdicts on contradictions, and scans for pairs to
// judge.
package relate

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Linker links and compares memories. It is safe for concurrent use.
type Linker struct {
	screen *screen.Screen
	ledger *ledger.Ledger

	judge engram.Judge // judges pairs for a semantic scan; nil: none, and no memory leaves the process
}

// New returns a Linker; judge judges pairs for a semantic scan, nil for none.
func New(l *ledger.Ledger, judge engram.Judge) *Linker {
	return &Linker{screen: l.Screen, ledger: l, judge: judge}
}
