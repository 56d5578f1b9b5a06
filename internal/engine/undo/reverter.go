// Package undo takes operations back: it restores from the journal what an operation changed, or a range of them, and
// says what it left alone because it was changed since.
package undo

import (
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
)

// Reverter takes operations back. It is safe for concurrent use.
type Reverter struct {
	ledger *ledger.Ledger
}

// New returns a Reverter.
func New(l *ledger.Ledger) *Reverter {
	return &Reverter{ledger: l}
}
