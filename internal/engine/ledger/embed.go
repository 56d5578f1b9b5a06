package ledger

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
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
		if role == engram.RoleMemory && vector.CheckPassages(v, e.Model().Dimensions) == nil {
			continue
		}
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

// Known returns the description of an embedder. One behind a server is asked for a vector first, if it has not answered
// yet.
func Known(ctx context.Context, e engram.Embedder) (engram.Model, error) {
	if e.Model().Fingerprint == "" {
		if _, err := VectorsOf(ctx, e, []string{"engram"}, engram.RoleMemory); err != nil {
			return e.Model(), err
		}
	}
	return e.Model(), nil
}

// Embedders returns the embedders that memories get vectors of, the instant one first; nil without any.
func (l *Ledger) Embedders() (all []engram.Embedder) {
	for _, e := range []engram.Embedder{l.Embedder, l.Asked} {
		if e != nil {
			all = append(all, e)
		}
	}
	return all
}

// Configured is the embedder that a person chose; nil without any.
func (l *Ledger) Configured() engram.Embedder {
	if l.Asked != nil {
		return l.Asked
	}
	return l.Embedder
}

// Coverage is how many memories each model's vectors cover.
type Coverage struct {
	at     time.Time
	Models []engram.ModelCoverage
}

// coverageAge is how long coverage is cached: it only changes during a re-embedding, which takes longer.
const coverageAge = 5 * time.Second

// QueryEmbedders returns the embedders for queries, to be tried in order. The first is the configured one, or another
// whose vectors cover more memories by a tenth, so that searches use old vectors until the new ones are complete; the last
// is Embedder. none reports that the configured model has no vectors at all.
func (l *Ledger) QueryEmbedders(ctx context.Context, r engram.Reader) (all []engram.Embedder, none bool, err error) {
	if l.Embedder == nil || l.Asked == nil && l.former == nil {
		return l.Embedders(), false, nil
	}
	c := l.coverage.Load()
	if now := l.Now(); c == nil || now.Sub(c.at) > coverageAge || now.Before(c.at) {
		models, err := r.Models(ctx)
		if err != nil {
			return nil, false, err
		}
		c = &Coverage{at: now, Models: models}
		l.coverage.Store(c)
	}
	best := l.Configured()
	most := c.Of(best)
	if none = most == 0 && l.Asked != nil; none {
		best = l.Embedder
	}
	for _, m := range c.Models { // the one that covers most first
		if n := m.Memories; n > most+most/10 && m.Model.Fingerprint != l.Embedder.Model().Fingerprint {
			if f := l.embedderOf(m.Model); f != nil {
				best, most = f, n
				break
			}
		}
	}
	if n := c.Of(l.Embedder); n > most+most/10 {
		best = l.Embedder
	}
	if best == l.Embedder {
		return []engram.Embedder{best}, none, nil
	}
	return []engram.Embedder{best, l.Embedder}, none, nil
}

// Covers reports whether there were vectors of an embedder when QueryEmbedders last looked.
func (l *Ledger) Covers(e engram.Embedder) bool {
	c := l.coverage.Load()
	return c == nil || c.Of(e) > 0
}

// embedderOf returns the embedder of stored vectors; nil for none.
func (l *Ledger) embedderOf(m engram.Model) engram.Embedder {
	for _, e := range l.Embedders() {
		if e.Model().Fingerprint == m.Fingerprint {
			return e
		}
	}
	if l.former == nil {
		return nil
	}
	return l.former(m)
}

// Of returns the number of memories that an embedder's vectors cover. Of one that has not answered yet, those of its name
// count.
func (c *Coverage) Of(e engram.Embedder) int {
	model := e.Model()
	for _, m := range c.Models {
		if m.Model.Fingerprint == model.Fingerprint || model.Fingerprint == "" && m.Model.Name == model.Name {
			return m.Memories
		}
	}
	return 0
}

// ForgetCoverage makes the next query count anew which vectors there are.
func (l *Ledger) ForgetCoverage() { l.coverage.Store(nil) }
