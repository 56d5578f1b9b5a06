// Package sync pushes and pulls batches of records between stores through a remote, and keeps records that are
// deferred until their other half or a person comes.
package sync

import (
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Replicator exchanges batches with remotes. It is safe for concurrent use.
type Replicator struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exchange *exchange.Porter
}

// New returns a Replicator.
func New(l *ledger.Ledger, e *exchange.Porter) *Replicator {
	return &Replicator{screen: l.Screen, ledger: l, exchange: e}
}
