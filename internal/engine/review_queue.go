package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// QueueInput says what is listed.
type QueueInput struct {
	Project string             // "" is every one
	Kinds   []engram.QueueKind // nil is every one
	Page    engram.Page        // over all kinds; limit 0 is 20, at most 1000
}

// Queue is what waits for a person.
type Queue struct {
	Items  []engram.QueueItem       // by kind, in the order of engram.QueueKinds; of each the longest waiting first
	Counts map[engram.QueueKind]int // how many there are of each kind that was asked for
	Page   engram.Page              // that was listed
}

// Queue lists what waits for a person: what is suspect, what came from others, what was
// proposed, whose code changed, and what is due. Code that is in the engine's folder is looked at
// first: what is as it was again does not wait.
func (e *Engine) Queue(ctx context.Context, in QueueInput) (Queue, error) {
	p, err := pageOf(in.Page, 20)
	if err != nil {
		return Queue{}, err
	}
	q := queueing{Queue: Queue{Counts: map[engram.QueueKind]int{}, Page: p}, now: e.now(), skip: p.Offset, rest: p.Limit}
	asked := func(kind engram.QueueKind) bool { return len(in.Kinds) == 0 || slices.Contains(in.Kinds, kind) }
	if asked(engram.QueueChanged) {
		if q.states, err = e.lookAtStale(ctx, in.Project); err != nil {
			return Queue{}, err
		}
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		if q.project, err = deferredProject(ctx, r, in.Project); err != nil {
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

// queueing is a Queue in the making.
type queueing struct {
	Queue
	project string
	now     time.Time
	skip    int                         // of what is listed next
	rest    int                         // room
	states  map[int64][]engram.Anchored // of memories whose code was looked at, by number
}

// list adds what waits of a kind.
func (q *queueing) list(ctx context.Context, r engram.Reader, kind engram.QueueKind) (err error) {
	if kind == engram.QueueWaiting || kind == engram.QueueProposal {
		return q.records(ctx, r, kind)
	}
	if kind == engram.QueueChanged {
		return q.changed(ctx, r)
	}
	read := func(p engram.Page) ([]engram.Memory, error) { return r.Suspects(ctx, q.project, p) }
	count := func() (int, error) { return r.CountSuspects(ctx, q.project) }
	if kind == engram.QueueDue {
		read = func(p engram.Page) ([]engram.Memory, error) { return r.Due(ctx, q.project, q.now, p) }
		count = func() (int, error) {
			u, err := r.Upkeep(ctx, q.project, q.now)
			return u.Due, err
		}
	}
	n, err := count()
	if err != nil {
		return err
	}
	q.Counts[kind] = n
	p := q.take(n)
	if p.Limit == 0 {
		return nil
	}
	ms, err := read(p)
	if err != nil {
		return err
	}
	return q.add(ctx, r, kind, ms)
}

// take is the part of n things that is listed.
func (q *queueing) take(n int) engram.Page {
	skipped := min(q.skip, n)
	p := engram.Page{Offset: skipped, Limit: min(q.rest, n-skipped)}
	q.skip -= skipped
	q.rest -= p.Limit
	return p
}

// add lists memories with the reasons for which they wait.
func (q *queueing) add(ctx context.Context, r engram.Reader, kind engram.QueueKind, ms []engram.Memory) error {
	marks, err := r.Trust(ctx, memoryNums(ms))
	if err != nil {
		return err
	}
	for _, m := range ms {
		item := engram.QueueItem{Kind: kind, Memory: m, State: lifecycle.State(m, q.now)}
		switch kind {
		case engram.QueueSuspect:
			item.Reasons, item.Since, _ = whySuspect(m, marks[m.Num], whyAndWhere)
		case engram.QueueDue:
			item.Reasons, item.Since = []string{"it is time to check that it still holds"}, m.ReviewAfter
		}
		q.Items = append(q.Items, item)
	}
	return nil
}

// records adds what waits and is no memory yet.
func (q *queueing) records(ctx context.Context, r engram.Reader, kind engram.QueueKind) error {
	why := engram.DeferredReview
	if kind == engram.QueueProposal {
		why = engram.DeferredProposal
	}
	n, err := r.CountDeferred(ctx, q.project, why)
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
			q.Items = append(q.Items, engram.QueueItem{Kind: kind, Waiting: &d, Reasons: whyItWaits(d), Since: d.FirstAt})
		}
		return nil
	})
}
