package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/agentcli"
	"github.com/alanbuscaglia/engram/internal/chat"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
)

// background is a server's work besides answering. It begins when the store is first used, since
// there may be no store before, and ends with Close.
type background struct {
	work []func(context.Context) // each runs until its context ends

	once  sync.Once
	begun bool // work was begun; read only after close
	ctx   context.Context
	stop  context.CancelFunc
	done  sync.WaitGroup
}

func newBackground(work ...func(context.Context)) *background {
	b := &background{work: work}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

func (b *background) start() {
	b.once.Do(func() {
		b.begun = true
		for _, work := range b.work {
			b.done.Go(func() { work(b.ctx) })
		}
	})
}

func (b *background) close() {
	b.once.Do(func() {}) // it must not begin any more
	b.stop()
	b.done.Wait()
}

// embedEvery is the interval at which a server looks for memories without a vector.
const embedEvery = time.Minute

// embedMissing embeds memories without a vector of the current model, and retries failures.
func (a *App) embedMissing(ctx context.Context) {
	every(ctx, embedEvery, func() { a.embedOnce(ctx) })
}

// every calls do now and at each interval until ctx ends.
func every(ctx context.Context, interval time.Duration, do func()) {
	again := time.NewTicker(interval)
	defer again.Stop()
	for {
		do()
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

func (a *App) embedOnce(ctx context.Context) {
	res, err := a.Engine.Reembed(ctx, consolidate.ReembedInput{})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		a.opts.Log.Warn("cannot embed memories", "error", err)
	case res.Embedded > 0:
		a.opts.Log.Info("memories were embedded", "count", res.Embedded, "model", res.Model.Name)
	}
}

// nightEvery is the interval at which a server checks the time. A single timer would be late after
// the machine was suspended.
const nightEvery = time.Minute

// nights runs the nightly sleep of a server.
type nights struct {
	at    config.TimeOfDay
	zone  *time.Location
	now   func() time.Time
	sleep func(ctx context.Context, due time.Time) (consolidate.Slept, bool, error)
	log   *slog.Logger
}

// sleepNightly sleeps every night at the configured time, if there is one. Of several processes
// that serve one store, only one does.
func (a *App) sleepNightly(ctx context.Context) {
	at := a.opts.Config.SleepAt
	if at == nil {
		return
	}
	nights{at: *at, zone: a.opts.Config.Timezone, now: time.Now, sleep: a.Engine.As(a.Engine.Caller().By("nightly")).SleepNight, log: a.opts.Log}.run(ctx)
}

// run checks once a minute. It retries a night only if it failed, or if another process began it
// and may not have finished.
func (n nights) run(ctx context.Context) {
	var over time.Time // the last night that is done
	every(ctx, nightEvery, func() {
		now := n.now()
		if over.After(now) {
			over = time.Time{} // the clock was ahead, so an earlier night is due
		}
		if due := n.at.LastBefore(now.In(n.zone)); due.After(over) && n.night(ctx, due) {
			over = due
		}
	})
}

// night sleeps, and reports whether this night is done. It logs no text of memories.
func (n nights) night(ctx context.Context, due time.Time) (over bool) {
	begun := n.now()
	res, slept, err := n.sleep(ctx, due)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		n.log.Warn("cannot consolidate memories", "error", err)
		return false
	case slept:
		n.log.Info("memories were consolidated", "memories", res.Memories, "steps", len(res.Plan), "applied", res.Applied,
			"skipped", len(res.Skipped), "patterns", len(res.Made), "degraded", len(res.Degraded), "took", n.now().Sub(begun).Round(time.Millisecond))
		return true
	}
	// Another process sleeps or has slept; ask until its lease ends, in case it failed.
	return n.now().Sub(due) > 2*time.Hour
}

// extractorOf returns the configured extractor, or nil.
func extractorOf(c config.Config) engram.Extractor {
	if !c.LLM() {
		return nil
	}
	if err := c.MayAsk(); err != nil {
		return refused{c.LLMModel, err}
	}
	x, err := chat.New(chat.Options{BaseURL: c.LLMBaseURL, Model: c.LLMModel, Key: c.LLMKey})
	if err != nil {
		return refused{c.LLMModel, err}
	}
	return x
}

// judgeOf returns the configured judge, or nil.
func judgeOf(c config.Config) engram.Judge {
	j, known := agentcli.Named(c.AgentCLI)
	if !known {
		return nil
	}
	if err := c.MayRun(); err != nil {
		return refused{j.Name(), err}
	}
	return j
}

// refused replaces an extractor or judge that cannot or may not be used: the reason is reported when
// it is asked, and does not prevent searches.
type refused struct {
	name string
	err  error // an *engram.Error
}

// Model implements engram.Extractor.
func (r refused) Model() string { return r.name }

// Extract implements engram.Extractor.
func (r refused) Extract(context.Context, []engram.Memory) (engram.Pattern, bool, error) {
	return engram.Pattern{}, false, r.err
}

// Name implements engram.Judge.
func (r refused) Name() string { return r.name }

// Judge implements engram.Judge.
func (r refused) Judge(context.Context, engram.Memory, engram.Memory) (engram.Opinion, error) {
	return engram.Opinion{}, r.err
}
