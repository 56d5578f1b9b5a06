package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

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
	tell := func() {
		if in.Progress != nil {
			in.Progress(min(covered+res.Embedded, res.Total), res.Total)
		}
	}
	tell()
	size := reembedBatch
	if res.Model.Instant {
		size = reembedAtOnce
	}
	for after := int64(0); ; {
		batch, err := view(ctx, e, func(r engram.Reader) ([]engram.Memory, error) { return r.Unembedded(ctx, res.Model.Fingerprint, after, size) })
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
		tell()
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
