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
	"github.com/alanbuscaglia/engram/internal/engine"
)

// background is the work that a server does beside its answers. It begins when the
// store is first used, because before that there may be none, and ends with Close.
type background struct {
	work []func(context.Context) // each until its context ends

	once  sync.Once
	begun bool // work was begun; to be read after close
	ctx   context.Context
	stop  context.CancelFunc
	done  sync.WaitGroup
}

func newBackground(work ...func(context.Context)) *background {
	b := &background{work: work}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// start begins the work, the first time it is called.
func (b *background) start() {
	b.once.Do(func() {
		b.begun = true
		for _, work := range b.work {
			b.done.Go(func() { work(b.ctx) })
		}
	})
}

// close ends the work and waits for it.
func (b *background) close() {
	b.once.Do(func() {}) // it must not begin any more
	b.stop()
	b.done.Wait()
}

// embedEvery is how often a server looks for memories without a vector. Looking costs
// next to nothing where there are none.
const embedEvery = time.Minute

// embedMissing embeds memories that have no vector of the model in force; what fails is tried again.
func (a *App) embedMissing(ctx context.Context) {
	again := time.NewTicker(embedEvery)
	defer again.Stop()
	for {
		a.embedOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

func (a *App) embedOnce(ctx context.Context) {
	res, err := a.Engine.Reembed(ctx, engine.ReembedInput{})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		a.opts.Log.Warn("memories could not be embedded", "error", err)
	case res.Embedded > 0:
		a.opts.Log.Info("memories were embedded", "count", res.Embedded, "model", res.Model.Name)
	}
}

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

// extractorOf returns the extractor that c names; nil where it names none.
func extractorOf(c config.Config) engram.Extractor {
	if !c.LLM() {
		return nil
	}
	if err := c.MayAsk(); err != nil {
		return misnamed{model: c.LLMModel, err: err}
	}
	x, err := chat.New(chat.Options{BaseURL: c.LLMBaseURL, Model: c.LLMModel, Key: c.LLMKey})
	if err != nil {
		return misnamed{model: c.LLMModel, err: err}
	}
	return x
}

// misnamed stands for an extractor that cannot be, or may not. What is wrong with a setting that
// only sleep needs is said when sleep needs it, and keeps nobody from searching.
type misnamed struct {
	model string
	err   error // an *engram.Error
}

// Model implements engram.Extractor.
func (m misnamed) Model() string { return m.model }

// Extract implements engram.Extractor.
func (m misnamed) Extract(context.Context, []engram.Memory) (engram.Pattern, bool, error) {
	return engram.Pattern{}, false, m.err
}

// judgeOf returns the judge that c names; nil where it names none.
func judgeOf(c config.Config) engram.Judge {
	j, known := agentcli.Named(c.AgentCLI)
	if !known {
		return nil
	}
	if err := c.MayRun(); err != nil {
		return barred{name: j.Name(), err: err}
	}
	return j
}

// barred stands for a judge that may not be asked: what is wrong with it is said when it
// is asked, and keeps nobody from searching.
type barred struct {
	name string
	err  error // an *engram.Error
}

// Name implements engram.Judge.
func (b barred) Name() string { return b.name }

// Judge implements engram.Judge.
func (b barred) Judge(context.Context, engram.Memory, engram.Memory) (engram.Opinion, error) {
	return engram.Opinion{}, b.err
}
