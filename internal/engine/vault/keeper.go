// Package vault keeps a folder of notes in step with the store, both ways.
package vault

import (
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Keeper exports and imports notes. It is safe for concurrent use.
type Keeper struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	remember *remember.Writer
	exchange *exchange.Porter
}

// New returns a Keeper.
func New(l *ledger.Ledger, w *remember.Writer, e *exchange.Porter) *Keeper {
	return &Keeper{screen: l.Screen, ledger: l, remember: w, exchange: e}
}
