package engine_test

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// floor returns a ledger of a store in the name of a caller, for what no operation does.
func floor(store engram.Store, c ledger.Caller) *ledger.Ledger {
	return ledger.New(ledger.Options{Store: store, Caller: c, Now: func() time.Time { return enginetest.Start() }, NewID: enginetest.IDs()})
}

// note writes an operation with one entry per reason about a memory, and returns its number.
func note(ctx context.Context, l *ledger.Ledger, m engram.Memory, reasons ...string) (number int64, err error) {
	err = l.Write(ctx, "test", func(o *ledger.Tx) error {
		for _, reason := range reasons {
			if err := o.Log(ctx, engram.EntityMemory, ledger.Key(m.Num), m.Project, reason, map[string]any{}); err != nil {
				return err
			}
		}
		number = o.First
		return nil
	})
	return number, err
}
