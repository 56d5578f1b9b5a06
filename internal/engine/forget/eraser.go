// Package forget takes things away: it forgets memories, which undo brings back, and deletes for good, with every
// copy that it finds; prompts, sessions and projects too.
package forget

import (
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
)

// Eraser forgets and erases. It is safe for concurrent use.
type Eraser struct {
	ledger   *ledger.Ledger
	exposure *exposure.Recorder

	traces Traces // finds other copies of erased memories; nil: no search for them
}

// New returns an Eraser; traces finds other copies of erased memories, nil for no search.
func New(l *ledger.Ledger, x *exposure.Recorder, traces Traces) *Eraser {
	return &Eraser{ledger: l, exposure: x, traces: traces}
}
