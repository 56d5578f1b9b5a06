package engine

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

func embeddedText(m engram.Memory) string {
	if m.Title == "" {
		return m.Content
	}
	return m.Title + ": " + m.Content
}

// embed gives a memory its vector, if the model answers instantly. If the model fails, the memory stays without
// one until the next Reembed.
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

// vectorsOf embeds texts and checks the result: a model behind a process or network may return anything, and an
// invalid vector spoils searches near it.
func vectorsOf(ctx context.Context, e engram.Embedder, texts []string, role engram.Role) ([][]float32, error) {
	vectors, err := e.Embed(ctx, texts, role)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, engram.Errorf(engram.CodeUnavailable, "%s returned %d vectors for %d texts", e.Model().Name, len(vectors), len(texts))
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
		return engram.Errorf(engram.CodeUnavailable, "%s returned a vector of %d numbers instead of %d", m.Name, len(v), m.Dimensions)
	}
	if slices.ContainsFunc(v, notFinite) {
		return engram.Errorf(engram.CodeUnavailable, "%s returned a vector that is not finite", m.Name)
	}
	return nil
}

func notFinite[T float32 | float64](x T) bool {
	return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)
}

// coverage is how many memories each model's vectors cover.
type coverage struct {
	at     time.Time
	models []engram.ModelCoverage
}

// coverageAge is how long coverage is cached: it only changes during a re-embedding, which takes longer.
const coverageAge = 5 * time.Second

// asking returns the embedder for queries: the first whose vectors cover nearly as many memories as the best,
// so that searches use old vectors until the new ones are complete; nil without any.
func (e *Engine) asking(ctx context.Context, r engram.Reader) (engram.Embedder, error) {
	if e.embedder == nil || len(e.options.Former) == 0 {
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
	for _, f := range e.options.Former {
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

// ReembedInput selects memories to embed with the current model.
type ReembedInput struct {
	// All embeds every memory again, for a model that changed under the same name. It drops the old vectors
	// first, so searches use words alone until the new ones exist, and rebuilds the word index too: it is the
	// remedy for damage to either.
	All bool
	// Progress, if not nil, receives the number of memories with a vector, and of all.
	Progress func(done, total int)
}

// Reembedded is the result of Reembed.
type Reembedded struct {
	Model    engram.Model
	Embedded int      // memories embedded now
	Total    int      // live memories
	Dropped  []string // models whose vectors were removed
}

// Batch sizes: the work lost by an interruption, and how long other writers wait. An instant model's batch
// fills two pages of codes, so that each is written once.
const (
	reembedBatch  = 256
	reembedAtOnce = 1024
)

// Reembed embeds every memory that lacks a vector of the current model, then removes the vectors of other
// models. It can be interrupted and resumed at any time, and searches use the old vectors meanwhile.
// CodeUnavailable without a model, or if it fails.
func (e *Engine) Reembed(ctx context.Context, in ReembedInput) (Reembedded, error) {
	if in.All {
		if err := e.store.Update(ctx, func(tx engram.Tx) error { return tx.Reindex(ctx) }); err != nil {
			return Reembedded{}, err
		}
	}
	if e.embedder == nil {
		return Reembedded{}, engram.Errorf(engram.CodeUnavailable, "no embedding model is configured").
			WithHint("set embedding_model, or leave it out for the built-in one")
	}
	res := Reembedded{Model: e.embedder.Model()}
	if in.All {
		if err := e.dropModel(ctx, res.Model.Fingerprint); err != nil {
			return res, err
		}
	}
	covered, err := e.countEmbedded(ctx, &res)
	if err != nil {
		return res, err
	}
	report := func() {
		if in.Progress != nil {
			in.Progress(min(covered+res.Embedded, res.Total), res.Total)
		}
	}
	report()
	size := reembedBatch
	if res.Model.Instant {
		size = reembedAtOnce
	}
	for after := int64(0); ; {
		batch, err := view(ctx, e, func(r engram.Reader) ([]engram.Memory, error) {
			return r.Unembedded(ctx, res.Model.Fingerprint, after, size)
		})
		if err != nil {
			return res, err
		}
		if len(batch) == 0 {
			break
		}
		n, err := e.embedBatch(ctx, batch)
		res.Embedded += n
		if err != nil {
			return res, err
		}
		after = batch[len(batch)-1].Num
		report()
	}
	return res, e.dropFormer(ctx, &res)
}

func (e *Engine) countEmbedded(ctx context.Context, res *Reembedded) (covered int, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		stats, err := r.Stats(ctx, "")
		if err != nil {
			return err
		}
		res.Total = stats.Memories
		models, err := r.Models(ctx)
		covered = (&coverage{models: models}).of(e.embedder)
		return err
	})
	return covered, err
}

// embedBatch embeds memories outside a transaction and writes the vectors of those whose text is unchanged.
func (e *Engine) embedBatch(ctx context.Context, batch []engram.Memory) (int, error) {
	texts, nums := mapped(batch, embeddedText), memoryNums(batch)
	values, err := vectorsOf(ctx, e.embedder, texts, engram.RoleMemory)
	if err != nil {
		return 0, err
	}
	written := 0
	err = e.store.Update(ctx, func(tx engram.Tx) error {
		now, err := tx.Memories(ctx, nums)
		if err != nil {
			return err
		}
		said := make(map[int64]string, len(now))
		for _, m := range now {
			if !m.Forgotten() {
				said[m.Num] = embeddedText(m)
			}
		}
		var vs []engram.Vector
		for i, num := range nums {
			if text, live := said[num]; live && text == texts[i] {
				vs = append(vs, engram.Vector{Num: num, Values: values[i]})
			}
		}
		written = len(vs)
		return tx.PutVectors(ctx, e.embedder.Model(), vs)
	})
	return written, err
}

func (e *Engine) dropFormer(ctx context.Context, res *Reembedded) error {
	models, err := view(ctx, e, func(r engram.Reader) ([]engram.ModelCoverage, error) { return r.Models(ctx) })
	if err != nil {
		return err
	}
	for _, m := range models {
		if m.Model.Fingerprint == res.Model.Fingerprint {
			continue
		}
		if err := e.dropModel(ctx, m.Model.Fingerprint); err != nil {
			return err
		}
		res.Dropped = append(res.Dropped, m.Model.Name)
	}
	e.forgetCoverage()
	return nil
}

// forgetCoverage makes the next query count anew which vectors there are.
func (e *Engine) forgetCoverage() { e.coverage.Store(nil) }

func (e *Engine) dropModel(ctx context.Context, fingerprint string) error {
	return e.store.Update(ctx, func(tx engram.Tx) error { return tx.DropModel(ctx, fingerprint) })
}
