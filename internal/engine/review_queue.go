package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// QueueInput selects items of the review queue.
type QueueInput struct {
	Project string             // "" is every project
	Kinds   []engram.QueueKind // nil is every kind
	Page    engram.Page        // over all kinds; limit 0 is 20, at most 1000
}

// Queue is a page of the review queue.
type Queue struct {
	Items  []engram.QueueItem       // by kind, in the order of engram.QueueKinds, longest pending first
	Counts map[engram.QueueKind]int // total of each requested kind
	Page   engram.Page              // the page returned
}

// Queue lists what is pending for a person: flagged memories, records from others, proposals, memories with
// changed code, and due ones. It first checks code in the engine's folder again: memories whose code was
// restored are not pending.
func (e *Engine) Queue(ctx context.Context, in QueueInput) (Queue, error) {
	p, err := pageOf(in.Page, 20)
	if err != nil {
		return Queue{}, err
	}
	q := queueBuilder{Queue: Queue{Counts: map[engram.QueueKind]int{}, Page: p}, now: e.now(), skip: p.Offset, rest: p.Limit}
	asked := func(kind engram.QueueKind) bool { return len(in.Kinds) == 0 || slices.Contains(in.Kinds, kind) }
	if asked(engram.QueueChanged) {
		if q.states, err = e.lookAtStale(ctx, in.Project); err != nil {
			return Queue{}, err
		}
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		if q.project, err = canonicalProject(ctx, r, in.Project); err != nil {
			return err
		}
		for _, kind := range engram.QueueKinds() {
			if asked(kind) {
				if err := q.list(ctx, r, kind); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return q.Queue, err
}

type queueBuilder struct {
	Queue
	project string
	now     time.Time
	skip    int                         // items to skip
	rest    int                         // items left on the page
	states  map[int64][]engram.Anchored // by memory number, for memories whose code was checked
}

func (q *queueBuilder) list(ctx context.Context, r engram.Reader, kind engram.QueueKind) (err error) {
	if kind == engram.QueuePending || kind == engram.QueueProposal {
		return q.records(ctx, r, kind)
	}
	if kind == engram.QueueChanged {
		return q.changed(ctx, r)
	}
	f, order := engram.Filter{Project: q.project, Mark: engram.TrustFlagged}, engram.OrderFlagged
	if kind == engram.QueueDue {
		f, order = engram.Filter{Project: q.project, DueBefore: q.now}, engram.OrderDue
	}
	n, err := r.Count(ctx, f)
	if err != nil {
		return err
	}
	q.Counts[kind] = n
	p := q.take(n)
	if p.Limit == 0 {
		return nil
	}
	p.Order = order
	ms, err := r.List(ctx, f, p)
	if err != nil {
		return err
	}
	return q.add(ctx, r, kind, ms)
}

// take returns the part of n items on the page.
func (q *queueBuilder) take(n int) engram.Page {
	skipped := min(q.skip, n)
	p := engram.Page{Offset: skipped, Limit: min(q.rest, n-skipped)}
	q.skip -= skipped
	q.rest -= p.Limit
	return p
}

func (q *queueBuilder) add(ctx context.Context, r engram.Reader, kind engram.QueueKind, ms []engram.Memory) error {
	marks, err := r.Trust(ctx, memoryNums(ms))
	if err != nil {
		return err
	}
	seen, err := r.SeenAnchors(ctx, memoryNums(ms))
	if err != nil {
		return err
	}
	for _, m := range ms {
		item := engram.QueueItem{Kind: kind, Memory: m, State: lifecycle.State(m, q.now)}
		switch kind {
		case engram.QueueChanged:
			item.Anchors, item.Reasons = q.changes(m, seen[m.Num])
		case engram.QueueFlagged:
			item.Reasons, item.Since, _ = whyFlagged(m, marks[m.Num], whyAndWhere)
		case engram.QueueDue:
			item.Reasons, item.Since = []string{"it is time to check that it still holds"}, m.ReviewAfter
		}
		q.Items = append(q.Items, item)
	}
	return nil
}

func (q *queueBuilder) records(ctx context.Context, r engram.Reader, kind engram.QueueKind) error {
	why := engram.DeferredReview
	if kind == engram.QueueProposal {
		why = engram.DeferredProposal
	}
	n, err := r.Replica().CountDeferred(ctx, q.project, why)
	if err != nil {
		return err
	}
	q.Counts[kind] = n
	p := q.take(n)
	if p.Limit == 0 {
		return nil
	}
	return eachDeferred(ctx, r, q.project, func(d engram.Deferred) error {
		switch {
		case d.Why != why || p.Limit == 0:
		case p.Offset > 0:
			p.Offset--
		default:
			p.Limit--
			q.Items = append(q.Items, engram.QueueItem{Kind: kind, Pending: &d, Reasons: whyPending(d), Since: d.FirstAt})
		}
		return nil
	})
}

// pendingField is the journal field that holds why a record was pending.
const pendingField = "waited"

// decidedWas is the journal entry of a decision on a record. It has no text: that stands in the memory and is
// erased with it, or in the record.
type decidedWas struct {
	Pending engram.Deferral `json:"waited"`
	LastAt  time.Time       `json:"last_at"`
	Memory  int64           `json:"memory"` // that it became; 0: refused
}

func (w decidedWas) fields() map[string]any {
	return map[string]any{pendingField: w.Pending, "last_at": w.LastAt, "memory": w.Memory}
}

// RefuseDeferred rejects a pending record: its batch no longer brings it in, and it is not proposed again. Undo
// of the returned operation makes it pending again, DropDeferred removes it for good. CodeNotFound if the
// number is not pending.
func (e *Engine) RefuseDeferred(ctx context.Context, num int64) (operation int64, err error) {
	return perform(ctx, e, "refuse", func(o *op) (int64, error) {
		d, err := pendingAt(ctx, o.tx, num)
		if err != nil {
			return 0, err
		}
		err = o.decided(ctx, d, 0, "rejected in a review")
		return o.first, err
	})
}

// decided records that a record became a memory or was refused.
func (o *op) decided(ctx context.Context, d engram.Deferred, memory int64, reason string) error {
	was := decidedWas{d.Why, d.LastAt, memory}
	d.Why, d.LastAt = engram.DeferredDecided, o.at
	if memory != 0 {
		d = withoutText(d)
	}
	return o.putPending(ctx, d, was, reason)
}

// putPending writes d over was.
func (o *op) putPending(ctx context.Context, d engram.Deferred, was decidedWas, reason string) error {
	p, _, err := o.tx.Project(ctx, d.Project) // "" if the project does not exist here yet
	if err != nil {
		return err
	}
	if err := o.tx.ReplicaTx().PutDeferred(ctx, &d); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityPending, engram.PendingName(d.Num), p.Name, reason, was.fields())
}

// withoutText removes the text of an accepted record, so that erasing its memory erases all of it.
func withoutText(d engram.Deferred) engram.Deferred {
	r := *d.Record.Memory
	r.Memory.Title, r.Memory.Content, r.Memory.NormalizedHash, r.Memory.Tags = "", "", "", nil
	d.Record.Memory = &r
	return d
}

// withText restores a record's text from its memory.
func withText(d engram.Deferred, m engram.Memory) engram.Deferred {
	r := *d.Record.Memory
	r.Memory.Title, r.Memory.Content, r.Memory.NormalizedHash, r.Memory.Tags, r.Memory.Type = m.Title, m.Content, m.NormalizedHash, m.Tags, m.Type
	d.Record.Memory = &r
	return d
}

// takePending makes a decided record pending again, or repeats the decision if that is what was undone.
func (u *undoing) takePending(ctx context.Context, entry engram.Mutation) error {
	name := entry.Key
	num, _ := engram.ParsePendingName(name)
	var was decidedWas
	if err := readWas(entry, &was); err != nil {
		return err
	}
	d, found, err := u.tx.Replica().DeferredAt(ctx, num)
	if err != nil {
		return err
	}
	if !found {
		u.leave("record %s was removed for good", name)
		return nil
	}
	if err := u.decidedSince(ctx, entry, d); err != nil {
		return err
	}
	now, what := d, "waits again"
	now.Why, now.LastAt = was.Pending, was.LastAt
	switch {
	case was.Pending == engram.DeferredDecided && was.Memory != 0:
		now, what = withoutText(now), "accepted again"
	case was.Pending == engram.DeferredDecided:
		what = "refused again"
	case was.Memory != 0:
		m, err := u.tx.Memory(ctx, engram.ByNum(was.Memory))
		if engram.CodeOf(err) == engram.CodeNotFound {
			u.leave("record %s became memory #%d, which was erased", name, was.Memory)
			return nil
		}
		if err != nil {
			return err
		}
		now = withText(now, m)
	}
	u.changed(entry, "%s", what)
	return u.putPending(ctx, now, decidedWas{d.Why, d.LastAt, was.Memory}, u.reason())
}

// decidedSince returns an error if the record was decided on again after an entry.
func (u *undoing) decidedSince(ctx context.Context, entry engram.Mutation, now engram.Deferred) error {
	later, err := u.since(ctx, entry)
	if err != nil || len(later) == 0 {
		return err
	}
	var left decidedWas
	if err := readWas(later[0], &left); err != nil {
		return err
	}
	if left.Pending == now.Why {
		return nil
	}
	return u.changedSince("record "+engram.PendingName(now.Num), []string{"it was decided again"}, later[len(later)-1])
}

// dropDecided removes records decided before a time: the journal no longer reaches them.
func dropDecided(ctx context.Context, tx engram.Tx, before time.Time) error {
	return eachAfter(func(after int64) ([]engram.Deferred, error) {
		return tx.Replica().Deferred(ctx, "", after, deferredPage)
	},
		func(d engram.Deferred) (num int64, err error) {
			if d.Why == engram.DeferredDecided && d.LastAt.Before(before) {
				_, err = tx.ReplicaTx().DropDeferred(ctx, d.Num)
			}
			return d.Num, err
		})
}
