package app

import (
	"context"
	"time"
)

const (
	// flushEvery is how often a server writes down what it has counted: what is lost when
	// it is killed.
	flushEvery = 10 * time.Second
	// flushWait is how long writing it down may wait for other writers at the end of a
	// process: counters are worth no second of a person's.
	flushWait = 100 * time.Millisecond
)

// flushTally writes down what was counted, every now and then. What fails is tried again.
func (a *App) flushTally(ctx context.Context) {
	again := time.NewTicker(flushEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return // Close writes the rest
		case <-again.C:
		}
		a.flush(ctx, flushEvery)
	}
}

// flushLast writes down what was counted since, before the store is closed.
func (a *App) flushLast() { a.flush(context.Background(), flushWait) }

func (a *App) flush(ctx context.Context, wait time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := a.Engine.FlushTally(ctx); err != nil {
		// A store that cannot be written is told by whoever has to write; counters can wait.
		a.opts.Log.Debug("what was asked could not be counted", "error", err)
	}
}
