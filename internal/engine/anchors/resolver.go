// Package anchors ties memories to places in source code: it resolves file names to anchors and checks, within a time
// limit, whether the code they point to has changed.
package anchors

import (
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
)

// Resolver resolves and checks anchors to code. It is safe for concurrent use.
type Resolver struct {
	ledger   *ledger.Ledger
	exposure *exposure.Recorder

	Code  Code   // nil: no anchors
	looks Checks // limits concurrent checks of code
}

// Checks limits concurrent checks of code, for all callers.
type Checks chan struct{}

// NewChecks returns Checks.
func NewChecks() Checks { return make(Checks, mostLooks) }

// New returns a Resolver; without code there are no anchors.
func New(l *ledger.Ledger, x *exposure.Recorder, code Code, checks Checks) *Resolver {
	return &Resolver{ledger: l, exposure: x, Code: code, looks: checks}
}
