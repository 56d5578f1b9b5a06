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

// ReembedInput asks for vectors of the model in force.
type ReembedInput struct {
	// All embeds every memory anew, also those that have a vector: for a model that
	// answers otherwise than it did under the same name. The old vectors go first, so
	// that searches answer by words alone until the new ones are there. The index of
	// words is made anew, too: it is the remedy where either is damaged.
	All bool
	// Progress, when it is not nil, is told how many memories have a vector, of how many.
	Progress func(done, total int)
}

// Reembedded says what was done.
type Reembedded struct {
	Model    engram.Model
	Embedded int      // memories that got a vector now
	Total    int      // live memories
	Dropped  []string // names of models whose vectors were removed
}

// How many memories are embedded between two writes: a batch is what an interruption
// costs, and what other writers wait behind. Those of a model that answers at once are
// two pages of codes, each of which is then written once.
const (
	reembedBatch  = 256
	reembedAtOnce = 1024
)

// Reembed gives every memory that lacks one a vector of the model in force, and then
// removes the vectors of other models. It may be interrupted at any time and goes on
// where it was; searches answer with the old vectors meanwhile. CodeUnavailable when
// there is no model, or when it cannot answer.
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
		for _, m := range models {
			if m.Model.Fingerprint == res.Model.Fingerprint {
				covered = m.Memories
			}
		}
		return err
	})
	return covered, err
}

// embedBatch embeds memories outside a transaction and writes the vectors of those
// that still say what was embedded.
func (e *Engine) embedBatch(ctx context.Context, batch []engram.Memory) (int, error) {
	texts := make([]string, len(batch))
	nums := make([]int64, len(batch))
	for i, m := range batch {
		texts[i], nums[i] = embeddedText(m), m.Num
	}
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

// dropFormer removes the vectors that nothing asks any more.
func (e *Engine) dropFormer(ctx context.Context, res *Reembedded) error {
	models, err := view(ctx, e, func(r engram.Reader) ([]engram.ModelUse, error) { return r.Models(ctx) })
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
	e.coverage.Store(nil)
	return nil
}

func (e *Engine) dropModel(ctx context.Context, fingerprint string) error {
	return e.store.Update(ctx, func(tx engram.Tx) error { return tx.DropModel(ctx, fingerprint) })
}
