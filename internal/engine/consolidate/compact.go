package consolidate

import (
	"context"
	"errors"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// CompactInput limits the journal.
type CompactInput struct {
	Keep   time.Duration // minimal age of removed entries; 0 is the policy's
	DryRun bool
}

// Compacted is the result of CompactJournal.
type Compacted struct {
	Entries int
	Before  time.Time // end of the removed part; the journal is complete from here on
}

// CompactJournal removes old entries from the journal: they can no longer be undone, and as-of answers for
// earlier times use the oldest known state. Revisions stay, so no text is lost. A time below a day is
// CodeInvalid; a policy that keeps everything removes nothing.
func (c *Consolidator) CompactJournal(ctx context.Context, in CompactInput) (Compacted, error) {
	if in.Keep == 0 {
		in.Keep = c.ledger.Policy.KeepJournal
	}
	switch {
	case in.Keep == 0:
		return Compacted{}, nil
	case in.Keep < 24*time.Hour:
		return Compacted{}, engram.Errorf(engram.CodeInvalid, "a journal of %v is too short", in.Keep).WithHint("keep at least a day")
	}
	out := Compacted{Before: c.ledger.Now().Add(-in.Keep)}
	// Not an operation: the journal does not record changes of itself.
	err := c.ledger.Update(ctx, func(tx engram.Tx) (err error) {
		if out.Entries, err = tx.CompactJournal(ctx, out.Before); err == nil && in.DryRun {
			return ledger.ErrDryRun
		}
		if err != nil {
			return err
		}
		return dropDecided(ctx, tx, out.Before)
	})
	if err != nil && !errors.Is(err, ledger.ErrDryRun) {
		return Compacted{}, err
	}
	return out, nil
}

// dropDecided removes records decided before a time: the journal no longer reaches them.
func dropDecided(ctx context.Context, tx engram.Tx, before time.Time) error {
	return walk.EachAfter(func(after int64) ([]engram.Deferred, error) {
		return tx.Replica().Deferred(ctx, "", after, walk.DeferredPage)
	},
		func(d engram.Deferred) (num int64, err error) {
			if d.Why == engram.DeferredDecided && d.LastAt.Before(before) {
				_, err = tx.ReplicaTx().DropDeferred(ctx, d.Num)
			}
			return d.Num, err
		})
}
