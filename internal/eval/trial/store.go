package trial

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
)

// within is a Store inside a transaction that is open already: what is done through
// it is done together with everything else in the transaction, or not at all. Saving
// ten thousand memories one commit at a time would be waiting for the disk.
type within struct{ tx engram.Tx }

// View implements engram.Store.
func (w within) View(_ context.Context, fn func(engram.Reader) error) error { return fn(w.tx) }

// Update implements engram.Store. Its error must reach the transaction around it:
// what fn had written stays there until that is undone.
func (w within) Update(_ context.Context, fn func(engram.Tx) error) error { return fn(w.tx) }

// Close implements engram.Store. The transaction is its owner's to end.
func (w within) Close() error { return nil }

// traceless is a Store that forgets what is written to it. Every configuration must
// meet the same memories: a search may remember what it has shown, and learn from it.
type traceless struct{ engram.Store }

// Update runs fn and undoes it.
func (t traceless) Update(ctx context.Context, fn func(engram.Tx) error) error {
	err := t.Store.Update(ctx, func(tx engram.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return undone{}
	})
	if _, ok := errors.AsType[undone](err); ok {
		return nil
	}
	return err
}

// undone is the error that undoes a transaction in which nothing went wrong.
type undone struct{}

// Error implements error.
func (undone) Error() string { return "undone" }

// clock is a wall clock that stands where it was put.
type clock struct{ at atomic.Pointer[time.Time] }

func (c *clock) set(t time.Time) { c.at.Store(&t) }

func (c *clock) now() time.Time { return *c.at.Load() }
