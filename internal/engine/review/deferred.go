package review

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/engine/sync"
)

// AcceptDeferred takes in a pending record, whatever it waits for, as an operation of its own that Undo takes back.
// Proposals are saved as AcceptProposal does.
//
// CodeNotFound for a number without a pending record, CodeConflict for a record that cannot come in, or not yet; it
// stays pending.
func (k *Desk) AcceptDeferred(ctx context.Context, num int64) (sync.Accepted, error) {
	if proposed, err := k.isProposal(ctx, num); err != nil || proposed {
		return k.acceptedProposal(ctx, num, err)
	}
	return k.sync.AcceptReceived(ctx, num)
}
