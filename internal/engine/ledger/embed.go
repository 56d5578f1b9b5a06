package ledger

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// EmbeddedText returns the text of a memory that is embedded.
func EmbeddedText(m engram.Memory) string {
	if m.Title == "" {
		return m.Content
	}
	return m.Title + ": " + m.Content
}

// Embed gives a memory its vector, if the model answers instantly. If the model fails, the memory stays without
// one until the next Reembed.
func (o *Tx) Embed(ctx context.Context, m engram.Memory) error {
	if o.Ledger.Embedder == nil || !o.Ledger.Embedder.Model().Instant || m.Forgotten() {
		return nil
	}
	text := EmbeddedText(m)
	v, known := o.Embedded[text]
	if !known {
		vectors, err := VectorsOf(ctx, o.Ledger.Embedder, []string{text}, engram.RoleMemory)
		if err != nil {
			return ctx.Err()
		}
		v = vectors[0]
	}
	return o.Store.PutVectors(ctx, o.Ledger.Embedder.Model(), []engram.Vector{{Num: m.Num, Values: v}})
}

// VectorsOf embeds texts and checks the result: a model behind a process or network may return anything, and an
// invalid vector spoils searches near it.
func VectorsOf(ctx context.Context, e engram.Embedder, texts []string, role engram.Role) ([][]float32, error) {
	vectors, err := e.Embed(ctx, texts, role)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, engram.Errorf(engram.CodeUnavailable, "%s returned %d vectors for %d texts", e.Model().Name, len(vectors), len(texts))
	}
	for _, v := range vectors {
		if err := CheckVector(e, v); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// CheckVector rejects a vector of another length than the model's, or one that is not finite: CodeUnavailable.
func CheckVector(e engram.Embedder, v []float32) error {
	m := e.Model()
	if len(v) != m.Dimensions {
		return engram.Errorf(engram.CodeUnavailable, "%s returned a vector of %d numbers instead of %d", m.Name, len(v), m.Dimensions)
	}
	if slices.ContainsFunc(v, NotFinite) {
		return engram.Errorf(engram.CodeUnavailable, "%s returned a vector that is not finite", m.Name)
	}
	return nil
}

// NotFinite reports whether x is NaN or infinite.
func NotFinite[T float32 | float64](x T) bool {
	return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)
}

// Coverage is how many memories each model's vectors cover.
type Coverage struct {
	at     time.Time
	Models []engram.ModelCoverage
}

// coverageAge is how long coverage is cached: it only changes during a re-embedding, which takes longer.
const coverageAge = 5 * time.Second

// QueryEmbedder returns the embedder for queries: the first whose vectors cover nearly as many memories as the best,
// so that searches use old vectors until the new ones are complete; nil without any.
func (l *Ledger) QueryEmbedder(ctx context.Context, r engram.Reader) (engram.Embedder, error) {
	if l.Embedder == nil || len(l.former) == 0 {
		return l.Embedder, nil
	}
	c := l.coverage.Load()
	if now := l.Now(); c == nil || now.Sub(c.at) > coverageAge || now.Before(c.at) {
		models, err := r.Models(ctx)
		if err != nil {
			return nil, err
		}
		c = &Coverage{at: now, Models: models}
		l.coverage.Store(c)
	}
	best, most := l.Embedder, c.Of(l.Embedder)
	for _, f := range l.former {
		if n := c.Of(f); n > most+most/10 {
			best, most = f, n
		}
	}
	return best, nil
}

// Of returns the number of memories that an embedder's vectors cover.
func (c *Coverage) Of(e engram.Embedder) int {
	for _, m := range c.Models {
		if m.Model.Fingerprint == e.Model().Fingerprint {
			return m.Memories
		}
	}
	return 0
}

// ForgetCoverage makes the next query count anew which vectors there are.
func (l *Ledger) ForgetCoverage() { l.coverage.Store(nil) }
