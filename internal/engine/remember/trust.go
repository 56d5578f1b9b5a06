package remember

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// warnPending warns about saved memories that will not be injected until a person approves them.
func warnPending(ctx context.Context, o *ledger.Tx, all []SaveResult) error {
	why, err := screen.Flagged(ctx, o.Store, walk.Mapped(all, func(r SaveResult) engram.Memory { return r.Memory }))
	for i, r := range all {
		if because := why[r.Memory.Num]; because != nil {
			all[i].Warnings = append(all[i].Warnings, screen.PendingWarning(r.Memory.Num, because))
		}
	}
	return err
}
