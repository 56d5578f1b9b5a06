package consolidate

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
)

// Several servers may use one store, and not the same model. Each notes which models it uses, so that no other removes
// their vectors; of those that lack vectors of the same model, one makes them.

// usesName is the name of the fact.
const usesName = "embedding"

const (
	// keptFor is how long vectors stay that a server used: one that sleeps over a weekend, or a change of mind, costs
	// no embedding.
	keptFor = 7 * 24 * time.Hour
	// notedFor is the interval at which a server notes that it runs.
	notedFor = time.Hour
	// leaseFor is how long a process that embeds may take for a batch before another joins in.
	leaseFor = 2 * time.Minute
)

// uses are the models that servers use, by fingerprint.
type uses map[string]use

type use struct {
	At    int64     `json:"at"`              // when a server last noted it, in milliseconds since 1970
	Until int64     `json:"until,omitempty"` // end of the lease of a process that embeds with it
	By    engram.ID `json:"by,omitempty"`    // that process
	Since int64     `json:"since,omitempty"` // when it began, in milliseconds since 1970
	First int       `json:"first,omitempty"` // memories that had a vector then
}

func usesIn(ctx context.Context, r engram.Reader) (uses, error) {
	text, err := r.Fact(ctx, usesName)
	if err != nil {
		return nil, err
	}
	u := uses{}
	if text != "" && json.Unmarshal([]byte(text), &u) != nil {
		u = uses{} // nothing is lost but an embedding
	}
	return u, nil
}

// lately reports whether a server used a model within keptFor.
func (u uses) lately(fingerprint string, now time.Time) bool {
	at := time.UnixMilli(u[fingerprint].At)
	return u[fingerprint].At > 0 && now.Sub(at) < keptFor
}

// put writes the uses, without those of long ago.
func (u uses) put(ctx context.Context, tx engram.Tx, now time.Time) error {
	maps.DeleteFunc(u, func(fingerprint string, of use) bool {
		return !u.lately(fingerprint, now) && of.Until < now.UnixMilli()
	})
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return tx.PutFact(ctx, usesName, string(text))
}

// noteUse notes that a server uses models, if there are others or one that is not instant: a store with the built-in
// model alone has nothing to keep.
func (c *Consolidator) noteUse(ctx context.Context, mine []engram.Model) error {
	now, due := c.ledger.Now(), false
	err := c.ledger.View(ctx, func(r engram.Reader) error {
		used, err := usesIn(ctx, r)
		if err != nil {
			return err
		}
		models, err := r.Models(ctx)
		alone := c.ledger.Asked == nil && !slices.ContainsFunc(models, func(m engram.ModelCoverage) bool {
			return m.Model.Fingerprint != c.ledger.Embedder.Model().Fingerprint
		})
		due = !alone && slices.ContainsFunc(mine, func(m engram.Model) bool { return used.due(m, now) })
		return err
	})
	if err != nil || !due {
		return err
	}
	return c.ledger.Update(ctx, func(tx engram.Tx) error {
		used, err := usesIn(ctx, tx)
		if err != nil {
			return err
		}
		for _, m := range mine {
			of := used[m.Fingerprint]
			of.At = now.UnixMilli()
			used[m.Fingerprint] = of
		}
		return used.put(ctx, tx, now)
	})
}

// due reports whether the note about a model is old; or of a clock that was set back.
func (u uses) due(m engram.Model, now time.Time) bool {
	age := now.Sub(time.UnixMilli(u[m.Fingerprint].At))
	return age >= notedFor || age < 0
}

// lease is this process's right to embed with a model.
type lease struct {
	ledger *ledger.Ledger
	model  engram.Model
	first  int       // memories that had a vector of it before
	by     engram.ID // "" if it has none
	since  time.Time
}

// begin takes the lease; elsewhere reports that another process has it. With yield false it is taken from that one.
func (l *lease) begin(ctx context.Context, yield bool) (elsewhere bool, err error) {
	err = l.ledger.Update(ctx, func(tx engram.Tx) error {
		used, err := usesIn(ctx, tx)
		if err != nil {
			return err
		}
		left := time.UnixMilli(used[l.model.Fingerprint].Until).Sub(l.ledger.Now())
		if elsewhere = yield && left > 0 && left <= leaseFor; elsewhere {
			return nil
		}
		l.by, l.since = l.ledger.NewID(), l.ledger.Now()
		return l.put(ctx, tx, used, l.ledger.Now().Add(leaseFor))
	})
	return elsewhere, err
}

func (l *lease) put(ctx context.Context, tx engram.Tx, used uses, until time.Time) error {
	of := used[l.model.Fingerprint]
	of.By, of.Until, of.Since, of.First = l.by, until.UnixMilli(), l.since.UnixMilli(), l.first
	used[l.model.Fingerprint] = of
	return used.put(ctx, tx, l.ledger.Now())
}

// renew prolongs the lease with a batch.
func (l *lease) renew(ctx context.Context, tx engram.Tx) error {
	if l.by == "" {
		return nil
	}
	used, err := usesIn(ctx, tx)
	if err != nil {
		return err
	}
	return l.put(ctx, tx, used, l.ledger.Now().Add(leaseFor))
}

// end gives the lease back, also when ctx has ended, unless another process has taken it.
func (l *lease) end(ctx context.Context) error {
	if l.by == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return l.ledger.Update(ctx, func(tx engram.Tx) error {
		used, err := usesIn(ctx, tx)
		if err != nil || used[l.model.Fingerprint].By != l.by {
			return err
		}
		by := l.by
		defer func() { l.by = by }()
		l.by = ""
		return l.put(ctx, tx, used, time.UnixMilli(0))
	})
}
