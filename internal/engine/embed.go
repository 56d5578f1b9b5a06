package engine

import (
	"context"
	"math"
	"slices"
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
	text := embeddedText(m)
	v, known := o.embedded[text]
	if !known {
		vectors, err := vectorsOf(ctx, o.embedder, []string{text}, engram.RoleMemory)
		if err != nil {
			return ctx.Err()
		}
		v = vectors[0]
	}
	return o.tx.PutVectors(ctx, o.embedder.Model(), []engram.Vector{{Num: m.Num, Values: v}})
}

// vectorsOf asks an embedder and checks what it answers: a model behind a process or a
// network may answer anything, and a vector that is none spoils what is near to it.
func vectorsOf(ctx context.Context, e engram.Embedder, texts []string, role engram.Role) ([][]float32, error) {
	vectors, err := e.Embed(ctx, texts, role)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, engram.Errorf(engram.CodeUnavailable, "%s gave %d vectors for %d texts", e.Model().Name, len(vectors), len(texts))
	}
	for _, v := range vectors {
		if err := checkVector(e, v); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

func checkVector(e engram.Embedder, v []float32) error {
	m := e.Model()
	if len(v) != m.Dimensions {
		return engram.Errorf(engram.CodeUnavailable, "%s gave a vector of %d numbers instead of %d", m.Name, len(v), m.Dimensions)
	}
	if slices.ContainsFunc(v, notFinite) {
		return engram.Errorf(engram.CodeUnavailable, "%s gave a vector that is not of numbers", m.Name)
	}
	return nil
}

func notFinite(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }

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
