package consolidate

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

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
func (c *Consolidator) Reembed(ctx context.Context, in ReembedInput) (Reembedded, error) {
	if in.All {
		if err := c.ledger.Update(ctx, func(tx engram.Tx) error { return tx.Reindex(ctx) }); err != nil {
			return Reembedded{}, err
		}
	}
	if c.ledger.Embedder == nil {
		return Reembedded{}, engram.Errorf(engram.CodeUnavailable, "no embedding model is configured").
			WithHint("set embedding_model, or leave it out for the built-in one")
	}
	res := Reembedded{Model: c.ledger.Embedder.Model()}
	if in.All {
		if err := c.dropModel(ctx, res.Model.Fingerprint); err != nil {
			return res, err
		}
	}
	covered, err := c.countEmbedded(ctx, &res)
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
		batch, err := ledger.Read(ctx, c.ledger, func(r engram.Reader) ([]engram.Memory, error) {
			return r.List(ctx, engram.Filter{Unembedded: res.Model.Fingerprint}, engram.Page{Order: engram.OrderNumber, Limit: size, After: engram.Position{Num: after}})
		})
		if err != nil {
			return res, err
		}
		if len(batch) == 0 {
			break
		}
		n, err := c.embedBatch(ctx, batch)
		res.Embedded += n
		if err != nil {
			return res, err
		}
		after = batch[len(batch)-1].Num
		report()
	}
	return res, c.dropFormer(ctx, &res)
}

func (c *Consolidator) countEmbedded(ctx context.Context, res *Reembedded) (covered int, err error) {
	err = c.ledger.View(ctx, func(r engram.Reader) error {
		stats, err := r.Stats(ctx, "")
		if err != nil {
			return err
		}
		res.Total = stats.Memories
		models, err := r.Models(ctx)
		covered = (&ledger.Coverage{Models: models}).Of(c.ledger.Embedder)
		return err
	})
	return covered, err
}

// embedBatch embeds memories outside a transaction and writes the vectors of those whose text is unchanged.
func (c *Consolidator) embedBatch(ctx context.Context, batch []engram.Memory) (int, error) {
	texts, nums := walk.Mapped(batch, ledger.EmbeddedText), screen.MemoryNums(batch)
	values, err := ledger.VectorsOf(ctx, c.ledger.Embedder, texts, engram.RoleMemory)
	if err != nil {
		return 0, err
	}
	written := 0
	err = c.ledger.Update(ctx, func(tx engram.Tx) error {
		now, err := tx.Memories(ctx, nums)
		if err != nil {
			return err
		}
		said := make(map[int64]string, len(now))
		for _, m := range now {
			if !m.Forgotten() {
				said[m.Num] = ledger.EmbeddedText(m)
			}
		}
		var vs []engram.Vector
		for i, num := range nums {
			if text, live := said[num]; live && text == texts[i] {
				vs = append(vs, engram.Vector{Num: num, Values: values[i]})
			}
		}
		written = len(vs)
		return tx.PutVectors(ctx, c.ledger.Embedder.Model(), vs)
	})
	return written, err
}

func (c *Consolidator) dropFormer(ctx context.Context, res *Reembedded) error {
	models, err := ledger.Read(ctx, c.ledger, func(r engram.Reader) ([]engram.ModelCoverage, error) { return r.Models(ctx) })
	if err != nil {
		return err
	}
	for _, m := range models {
		if m.Model.Fingerprint == res.Model.Fingerprint {
			continue
		}
		if err := c.dropModel(ctx, m.Model.Fingerprint); err != nil {
			return err
		}
		res.Dropped = append(res.Dropped, m.Model.Name)
	}
	c.ledger.ForgetCoverage()
	return nil
}

func (c *Consolidator) dropModel(ctx context.Context, fingerprint string) error {
	return c.ledger.Update(ctx, func(tx engram.Tx) error { return tx.DropModel(ctx, fingerprint) })
}
