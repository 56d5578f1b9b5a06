package remember

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// warnPending warns about saved memories that will not be injected until a person approves them.
func warnPending(ctx context.Context, o *ledger.Tx, all []SaveResult) error {
	var ms []engram.Memory
	for _, r := range all {
		if r.Known() || o.Pending[r.Memory.Num] { // the flags of a new one are in Pending
			ms = append(ms, r.Memory)
		}
	}
	if len(ms) == 0 {
		return nil
	}
	why, err := screen.Flagged(ctx, o.Store, ms)
	for i, r := range all {
		if because := why[r.Memory.Num]; because != nil {
			all[i].Warnings = append(all[i].Warnings, screen.PendingWarning(r.Memory.Num, because))
		}
	}
	return err
}
