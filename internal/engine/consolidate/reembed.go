package consolidate

import (
	"context"
	"errors"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// ReembedInput selects memories to embed with the current models.
type ReembedInput struct {
	// All embeds every memory again, for a model that changed under the same name. It drops the old vectors
	// first, so searches use words alone until the new ones exist, and rebuilds the word index too: it is the
	// remedy for damage to either. Vectors of other models are dropped even if a server uses them.
	All bool
	// Background is for servers, which call again and again: the models in force are noted as in use, and what another
	// process is embedding is left to it.
	Background bool
	// Progress, if not nil, receives the number of memories with a vector, and of all.
	Progress func(done, total int)
}

// Reembedded is the result of Reembed.
type Reembedded struct {
	Model    engram.Model // the configured one
	Embedded int          // memories embedded now with it
	Total    int          // live memories
	Dropped  []string     // models whose vectors were removed
	Kept     []string     // models whose vectors were not, since a server used them lately
}

// Batch sizes: the work lost by an interruption, and how long other writers wait. An instant model's batch
// fills two pages of codes, so that each is written once.
const (
	reembedBatch  = 64
	reembedAtOnce = 1024
)

// Reembed embeds every memory that lacks a vector of the current models, then removes the vectors of models that nothing
// uses. It can be interrupted and resumed at any time, and searches use the old vectors meanwhile.
// CodeUnavailable without a model, or if it fails.
func (c *Consolidator) Reembed(ctx context.Context, in ReembedInput) (res Reembedded, err error) {
	if c.ledger.Embedder == nil {
		if in.All {
			if err := c.reindex(ctx); err != nil {
				return res, err
			}
		}
		return res, engram.Errorf(engram.CodeUnavailable, "no embedding model is configured").
			WithHint("set embedding_model, or leave it out for the built-in one")
	}
	// A model that cannot answer fails before anything is dropped, but not before memories have the vectors of the other.
	var usable []engram.Embedder
	var models []engram.Model
	var silent error
	for _, e := range c.ledger.Embedders() {
		m, err := ledger.Known(ctx, e)
		if res.Model = m; err != nil {
			silent = err
			continue
		}
		usable, models = append(usable, e), append(models, m)
	}
	if in.All && silent == nil {
		if err := c.reindex(ctx); err != nil {
			return res, err
		}
		for _, m := range models {
			if err := c.dropModel(ctx, m.Fingerprint); err != nil {
				return res, err
			}
		}
	}
	if in.Background {
		if err := c.noteUse(ctx, models); err != nil {
			return res, err
		}
	}
	elsewhere := false
	for _, e := range usable {
		r := reembedding{c: c, in: in, embedder: e, res: &res}
		if err := r.run(ctx); err != nil {
			return res, err
		}
		elsewhere = elsewhere || r.elsewhere
	}
	if silent != nil || elsewhere {
		return res, silent
	}
	return res, c.dropFormer(ctx, in, models, &res)
}

func (c *Consolidator) reindex(ctx context.Context) error {
	return c.ledger.Update(ctx, func(tx engram.Tx) error { return tx.Reindex(ctx) })
}

// reembedding embeds what lacks a vector of one model.
type reembedding struct {
	c         *Consolidator
	in        ReembedInput
	embedder  engram.Embedder
	res       *Reembedded
	lease     lease
	elsewhere bool // another process does it
}

func (r *reembedding) run(ctx context.Context) (err error) {
	configured := r.embedder == r.c.ledger.Configured()
	model, size := r.embedder.Model(), reembedBatch
	if model.Instant {
		size = reembedAtOnce
	}
	covered, err := r.count(ctx)
	if err != nil {
		return err
	}
	r.res.Embedded = 0
	report := func() {
		if r.in.Progress != nil && (configured || covered < r.res.Total) {
			r.in.Progress(min(covered+r.res.Embedded, r.res.Total), r.res.Total)
		}
	}
	report()
	r.lease = lease{ledger: r.c.ledger, model: model, first: covered}
	defer func() { err = errors.Join(err, r.lease.end(ctx)) }()
	for after := int64(0); ; {
		batch, err := ledger.Read(ctx, r.c.ledger, func(reader engram.Reader) ([]engram.Memory, error) {
			return reader.List(ctx, engram.Filter{Unembedded: model.Fingerprint}, engram.Page{Order: engram.OrderNumber, Limit: size, After: engram.Position{Num: after}})
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		if after == 0 && !model.Instant {
			if r.elsewhere, err = r.lease.begin(ctx, r.in.Background); err != nil || r.elsewhere {
				return err
			}
		}
		n, err := r.embedBatch(ctx, batch)
		r.res.Embedded += n
		if err != nil {
			return err
		}
		after = batch[len(batch)-1].Num
		report()
	}
}

func (r *reembedding) count(ctx context.Context) (covered int, err error) {
	err = r.c.ledger.View(ctx, func(reader engram.Reader) error {
		stats, err := reader.Stats(ctx, "")
		if err != nil {
			return err
		}
		r.res.Total = stats.Memories
		models, err := reader.Models(ctx)
		covered = (&ledger.Coverage{Models: models}).Of(r.embedder)
		return err
	})
	return covered, err
}

// embedBatch embeds memories outside a transaction and writes the vectors of those whose text is unchanged.
func (r *reembedding) embedBatch(ctx context.Context, batch []engram.Memory) (int, error) {
	texts, nums := walk.Mapped(batch, ledger.EmbeddedText), screen.MemoryNums(batch)
	values, err := ledger.VectorsOf(ctx, r.embedder, texts, engram.RoleMemory)
	if err != nil {
		return 0, err
	}
	written := 0
	err = r.c.ledger.Update(ctx, func(tx engram.Tx) error {
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
		if err := r.lease.renew(ctx, tx); err != nil {
			return err
		}
		return tx.PutVectors(ctx, r.embedder.Model(), vs)
	})
	return written, err
}

// dropFormer removes the vectors of models that are not in force, here or in a server.
func (c *Consolidator) dropFormer(ctx context.Context, in ReembedInput, mine []engram.Model, res *Reembedded) error {
	var models []engram.ModelCoverage
	var used uses
	err := c.ledger.View(ctx, func(r engram.Reader) (err error) {
		if models, err = r.Models(ctx); err == nil {
			used, err = usesIn(ctx, r)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, m := range models {
		switch {
		case slices.ContainsFunc(mine, func(own engram.Model) bool { return own.Fingerprint == m.Model.Fingerprint }):
			continue
		case !in.All && used.lately(m.Model.Fingerprint, c.ledger.Now()):
			res.Kept = append(res.Kept, m.Model.Name)
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
