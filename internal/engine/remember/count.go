package remember

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// CountSaves counts saves in their transaction, so that counters agree with the journal.
func CountSaves(ctx context.Context, o *ledger.Tx, saves []SaveResult) error {
	return o.Store.RecordUse(ctx, engram.Use{Counters: walk.Mapped(saves, func(s SaveResult) engram.Counter {
		return engram.Counter{Day: o.At, Project: s.Memory.Project, Operation: engram.OperationSave, Outcome: string(s.Action), Tally: engram.Tally{Events: 1}}
	})})

}

// ActionsOf returns what each save did.
func ActionsOf(saves []SaveResult) []ledger.Action {
	return walk.Mapped(saves, func(s SaveResult) ledger.Action { return s.Action })
}
