package replicatest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// Place is a meeting place of remotes in memory: all that Open returns share its batches. It is
// safe for concurrent use.
type Place struct {
	name string

	mu      sync.Mutex
	batches map[string]kept
}

// kept is a batch with its records as JSON, which nothing shares.
type kept struct {
	head engram.Batch
	text []byte
}

// NewPlace returns a place without batches.
func NewPlace(name string) *Place { return &Place{name: name, batches: map[string]kept{}} }

// Open returns a remote at this place.
func (p *Place) Open() engram.Remote { return memory{p} }

// Drop removes a batch, as rewriting history does.
func (p *Place) Drop(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.batches, id)
}

// Copy adds all batches of from, as a merge of branches does.
func (p *Place) Copy(from *Place) {
	from.mu.Lock()
	defer from.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(p.batches, from.batches)
}

type memory struct{ place *Place }

// Name implements engram.Remote.
func (m memory) Name() string { return m.place.name }

// Batches implements engram.Remote.
func (m memory) Batches(ctx context.Context) ([]engram.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.place.mu.Lock()
	defer m.place.mu.Unlock()
	all := make([]engram.Batch, 0, len(m.place.batches))
	for _, b := range m.place.batches {
		all = append(all, b.head)
	}
	slices.SortFunc(all, byAge)
	return all, nil
}

// byAge sorts batches in the order of Batches.
func byAge(a, b engram.Batch) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
}

// Read implements engram.Remote.
func (m memory) Read(ctx context.Context, id string) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		m.place.mu.Lock()
		b, found := m.place.batches[id]
		m.place.mu.Unlock()
		var records []engram.Record
		err := ctx.Err()
		switch {
		case err != nil:
		case !found:
			err = engram.Errorf(engram.CodeNotFound, "batch %q does not exist", id)
		default:
			err = json.Unmarshal(b.text, &records)
		}
		if err != nil {
			yield(engram.Record{}, err)
			return
		}
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Write implements engram.Remote.
func (m memory) Write(ctx context.Context, head engram.Batch, records []engram.Record) (engram.Batch, error) {
	if err := ctx.Err(); err != nil {
		return engram.Batch{}, err
	}
	portable := make([]engram.Record, len(records))
	for i, r := range records {
		portable[i] = portableOf(r)
	}
	text, err := json.Marshal(portable)
	if err != nil {
		return engram.Batch{}, engram.Errorf(engram.CodeInvalid, "a record cannot be written").WithCause(err)
	}
	head = wire.Counted(head, records)
	head.ID = idOf(text)
	m.place.mu.Lock()
	defer m.place.mu.Unlock()
	if was, known := m.place.batches[head.ID]; known {
		return was.head, nil
	}
	m.place.batches[head.ID] = kept{head, text}
	return head, nil
}

// Settle implements engram.Remote: nothing is derived from the batches.
func (m memory) Settle(ctx context.Context) error { return ctx.Err() }

func idOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// portableOf returns a record without values local to a store or a file.
func portableOf(r engram.Record) engram.Record {
	r = wire.Portable(r)
	r.Item, r.Flaw = "", nil
	switch {
	case r.Memory != nil: // a copy of Portable's
		r.Memory.Revisions = slices.Clone(r.Memory.Revisions)
		for i := range r.Memory.Revisions {
			r.Memory.Revisions[i].Memory = 0
		}
	case r.Relation != nil:
		rel := *r.Relation
		rel.Relation.Num, rel.Relation.Source, rel.Relation.Target = 0, 0, 0
		r.Relation = &rel
	}
	return r
}
