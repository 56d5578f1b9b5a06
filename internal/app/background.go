package app

import (
	"context"
	"sync"
	"time"

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

// embedMissing gives memories their vectors that have none: those saved by a version
// without a model, under another model, or meanwhile by a program that was told to use
// none. What fails is tried again.
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
