package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
)

// embeddedText is what of a memory is put into a vector.
func embeddedText(m engram.Memory) string {
	if m.Title == "" {
		return m.Content
	}
	return m.Title + ": " + m.Content
}

// embed gives a memory that was just written its vector, where that costs nothing
// worth waiting for. A model that cannot answer costs the memory its vector until the
// next Reembed, never the save.
func (o *op) embed(ctx context.Context, m engram.Memory) error {
	if o.embedder == nil || !o.embedder.Model().Instant || m.Forgotten() {
		return nil
	}
	vectors, err := o.embedder.Embed(ctx, []string{embeddedText(m)}, engram.RoleMemory)
	if err != nil {
		return ctx.Err()
	}
	return o.tx.PutVectors(ctx, o.embedder.Model(), []engram.Vector{{Num: m.Num, Values: vectors[0]}})
}

// coverage is how far each model's vectors cover the store, as last seen.
type coverage struct {
	at     time.Time
	models []engram.ModelUse
}

// coverageAge is how long an answer about the models is believed: it changes while a
// store is embedded anew, which takes longer.
const coverageAge = 5 * time.Second

// asking returns the embedder to ask with: the first whose vectors cover nearly all
// that any model's cover, so that a search keeps its old vectors until the new ones
// are there. It is nil when there is none.
func (e *Engine) asking(ctx context.Context, r engram.Reader) (engram.Embedder, error) {
	if e.embedder == nil || len(e.former) == 0 {
		return e.embedder, nil
	}
	c := e.coverage.Load()
	if now := e.now(); c == nil || now.Sub(c.at) > coverageAge || now.Before(c.at) {
		models, err := r.Models(ctx)
		if err != nil {
			return nil, err
		}
		c = &coverage{at: now, models: models}
		e.coverage.Store(c)
	}
	best, most := e.embedder, c.of(e.embedder)
	for _, f := range e.former {
		if n := c.of(f); n > most+most/10 {
			best, most = f, n
		}
	}
	return best, nil
}

func (c *coverage) of(e engram.Embedder) int {
	for _, m := range c.models {
		if m.Model.Fingerprint == e.Model().Fingerprint {
			return m.Memories
		}
	}
	return 0
}
