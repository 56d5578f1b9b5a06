package consolidate

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
)

// Embedded reports how far the vectors of the configured model are. It asks no model.
func (c *Consolidator) Embedded(ctx context.Context) (e engram.Embedded, err error) {
	configured := c.ledger.Configured()
	if configured == nil {
		return e, nil
	}
	model := configured.Model()
	e.Model = model.Name
	err = c.ledger.View(ctx, func(r engram.Reader) error {
		models, err := r.Models(ctx)
		if err != nil {
			return err
		}
		e.Memories = (&ledger.Coverage{Models: models}).Of(configured)
		for _, m := range models {
			if model.Fingerprint == "" && m.Model.Name == model.Name { // a server that has not answered yet
				model.Fingerprint = m.Model.Fingerprint
			}
		}
		if e.Memories > 0 {
			lacking, err := r.List(ctx, engram.Filter{Unembedded: model.Fingerprint}, engram.Page{Order: engram.OrderNumber, Limit: 1})
			if e.Total = e.Memories; err != nil || len(lacking) == 0 {
				return err
			}
		}
		stats, err := r.Stats(ctx, "")
		if err != nil {
			return err
		}
		e.Total = stats.Memories
		used, err := usesIn(ctx, r)
		if err == nil {
			e.Running, e.Left = used[model.Fingerprint].pace(e, c.ledger.Now())
		}
		return err
	})
	return e, err
}

// pace reports whether a process embeds, and how long the rest takes it.
func (u use) pace(e engram.Embedded, now time.Time) (running bool, left time.Duration) {
	if until := time.UnixMilli(u.Until).Sub(now); until <= 0 || until > leaseFor {
		return false, 0
	}
	made, since := e.Memories-u.First, now.Sub(time.UnixMilli(u.Since))
	if made <= 0 || since <= 0 {
		return true, 0
	}
	return true, time.Duration(float64(since) / float64(made) * float64(e.Total-e.Memories))
}
