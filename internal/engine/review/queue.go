package review

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
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
func (k *Desk) Queue(ctx context.Context, in QueueInput) (Queue, error) {
	p, err := screen.PageOf(in.Page, 20)
	if err != nil {
		return Queue{}, err
	}
	q := queueBuilder{Queue: Queue{Counts: map[engram.QueueKind]int{}, Page: p}, now: k.ledger.Now(), skip: p.Offset, rest: p.Limit}
	asked := func(kind engram.QueueKind) bool { return len(in.Kinds) == 0 || slices.Contains(in.Kinds, kind) }
	if asked(engram.QueueChanged) {
		if q.states, err = k.lookAtStale(ctx, in.Project); err != nil {
			return Queue{}, err
		}
	}
	err = k.ledger.View(ctx, func(r engram.Reader) error {
		if q.project, err = projects.CanonicalProject(ctx, r, in.Project); err != nil {
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
	marks, err := r.Trust(ctx, screen.MemoryNums(ms))
	if err != nil {
		return err
	}
	seen, err := r.SeenAnchors(ctx, screen.MemoryNums(ms))
	if err != nil {
		return err
	}
	for _, m := range ms {
		item := engram.QueueItem{Kind: kind, Memory: m, State: lifecycle.State(m, q.now)}
		switch kind {
		case engram.QueueChanged:
			item.Anchors, item.Reasons = q.changes(m, seen[m.Num])
		case engram.QueueFlagged:
			item.Reasons, item.Since, _ = screen.WhyFlagged(m, marks[m.Num], screen.WhyAndWhere)
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
	return sync.EachDeferred(ctx, r, q.project, func(d engram.Deferred) error {
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

// RefuseDeferred rejects a pending record: its batch no longer brings it in, and it is not proposed again. Undo
// of the returned operation makes it pending again, DropDeferred removes it for good. CodeNotFound if the
// number is not pending.
func (k *Desk) RefuseDeferred(ctx context.Context, num int64) (operation int64, err error) {
	return ledger.Perform(ctx, k.ledger, "refuse", func(o *ledger.Tx) (int64, error) {
		d, err := sync.PendingAt(ctx, o.Store, num)
		if err != nil {
			return 0, err
		}
		err = decided(ctx, o, d, 0, "rejected in a review")
		return o.First, err
	})
}

// decided records that a record became a memory or was refused.
func decided(ctx context.Context, o *ledger.Tx, d engram.Deferred, memory int64, reason string) error {
	was := ledger.DecidedWas{Pending: d.Why, LastAt: d.LastAt, Memory: memory}
	d.Why, d.LastAt = engram.DeferredDecided, o.At
	if memory != 0 {
		d = ledger.WithoutText(d)
	}
	return o.PutPending(ctx, d, was, reason)
}
