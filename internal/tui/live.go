package tui

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram/internal/engine/read"
)

const (
	lookEvery  = 400 * time.Millisecond // how often the journal is looked at: what others save appears within a second
	retryEvery = time.Second            // how often a store that cannot be read is tried again
)

// changed says that some program wrote to the store.
type changed struct{}

// unreadable says why the store cannot be followed; nil: it can again.
type unreadable struct{ err error }

// watch reports what any program writes, until ctx ends. Of several writes between two updates it reports one: pending is
// set while one is on its way.
func watch(ctx context.Context, o Options, send func(tea.Msg), pending *atomic.Bool) {
	in := read.WatchInput{Wait: func(ctx context.Context) error {
		if err := pause(ctx, lookEvery); err != nil || o.Alive == nil {
			return err
		}
		return o.Alive()
	}}
	failed := false
	for ctx.Err() == nil {
		err := o.Engine.Watch(ctx, in, func(w read.Watched) error {
			op := w.Entry.Op
			in.After = &op
			if failed {
				failed = false
				send(unreadable{})
			}
			if !w.Begun && !pending.Swap(true) {
				send(changed{})
			}
			return nil
		})
		if ctx.Err() != nil {
			return
		}
		failed = true
		send(unreadable{err})
		if pause(ctx, retryEvery) != nil {
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
