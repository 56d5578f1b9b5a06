package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// nightEvery is how often a server looks whether it is time to sleep. A timer for the
// hour itself would be late by as long as the machine stood by.
const nightEvery = time.Minute

// nights sleeps once a night, beside the answers of a server.
type nights struct {
	at    config.TimeOfDay
	zone  *time.Location
	now   func() time.Time
	sleep func(ctx context.Context, due time.Time) (engine.Slept, bool, error)
	log   *slog.Logger
}

// sleepNightly sleeps every night at the time of the settings; without one, never. Of
// several processes that serve one store, one does.
func (a *App) sleepNightly(ctx context.Context) {
	at := a.opts.Config.SleepAt
	if at == nil {
		return
	}
	nights{at: *at, zone: a.opts.Config.Timezone, now: time.Now, sleep: a.Engine.As("nightly").SleepNight, log: a.opts.Log}.run(ctx)
}

// run looks once a minute. A night is asked for again only when it failed, or when
// another process had begun it and may not have ended.
func (n nights) run(ctx context.Context) {
	again := time.NewTicker(nightEvery)
	defer again.Stop()
	var over time.Time // the last night that needs nothing more
	for {
		now := n.now()
		if over.After(now) {
			over = time.Time{} // the clock was ahead: there is a night before that one
		}
		if due := n.at.LastBefore(now.In(n.zone)); due.After(over) && n.night(ctx, due) {
			over = due
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// night sleeps, and reports whether that needs no second look. No word of a memory
// reaches the log.
func (n nights) night(ctx context.Context, due time.Time) (over bool) {
	begun := n.now()
	res, slept, err := n.sleep(ctx, due)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		n.log.Warn("memories could not be consolidated", "error", err)
		return false
	case slept:
		n.log.Info("memories were consolidated", "memories", res.Memories, "steps", len(res.Plan), "applied", res.Applied,
			"skipped", len(res.Skipped), "patterns", len(res.Made), "degraded", len(res.Degraded), "took", n.now().Sub(begun).Round(time.Millisecond))
		return true
	}
	// Somebody else sleeps or did; whether it ended is seen by asking until its lease is over.
	return n.now().Sub(due) > 2*time.Hour
}
