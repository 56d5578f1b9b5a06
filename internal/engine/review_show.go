package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// QueuedNamed returns one thing that waits, by its name in the queue (engram.QueueItem.Name), whole and with
// the reasons. Code is not looked at anew: what is told of that is what was seen the last time.
// CodeNotFound for what does not wait.
func (e *Engine) QueuedNamed(ctx context.Context, name string) (item engram.QueueItem, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		if num, is := engram.ParseWaitingName(name); is {
			item, err = queuedRecord(ctx, r, num)
			return err
		}
		ref, err := engram.ParseRef(name)
		if err != nil {
			return err
		}
		m, err := live(ctx, r, ref)
		if err != nil {
			return err
		}
		q := &queueing{now: e.now()}
		kind, err := q.kindOf(ctx, r, m)
		if err != nil {
			return err
		}
		if kind == engram.QueueChanged {
			seen, err := r.SeenAnchors(ctx, []int64{m.Num})
			item = engram.QueueItem{Kind: kind, Memory: m, State: lifecycle.State(m, q.now)}
			item.Anchors, item.Reasons = q.changes(m, seen[m.Num])
			return err
		}
		err = q.add(ctx, r, kind, []engram.Memory{m})
		item = q.Items[0]
		return err
	})
	return item, err
}

// queuedRecord is what waits under a number.
func queuedRecord(ctx context.Context, r engram.Reader, num int64) (engram.QueueItem, error) {
	d, err := waitsAt(ctx, r, num)
	if err != nil {
		return engram.QueueItem{}, err
	}
	kind := engram.QueueWaiting
	if d.Why == engram.DeferredProposal {
		kind = engram.QueueProposal
	}
	return engram.QueueItem{Kind: kind, Waiting: &d, Reasons: whyItWaits(d), Since: d.FirstAt}, nil
}

// kindOf is the first reason for which a memory waits, in the order of engram.QueueKinds.
func (q *queueing) kindOf(ctx context.Context, r engram.Reader, m engram.Memory) (engram.QueueKind, error) {
	marks, err := r.Trust(ctx, []int64{m.Num})
	if err != nil {
		return "", err
	}
	seen, err := r.SeenAnchors(ctx, []int64{m.Num})
	if err != nil {
		return "", err
	}
	for _, mark := range marks[m.Num] {
		if mark.Mark == engram.TrustSuspect {
			return engram.QueueSuspect, nil
		}
	}
	switch {
	case seen[m.Num].Stale() && !snoozed(m, marks[m.Num], q.now):
		return engram.QueueChanged, nil
	case !m.ReviewAfter.IsZero() && !m.ReviewAfter.After(q.now):
		return engram.QueueDue, nil
	}
	return "", engram.Errorf(engram.CodeNotFound, "memory #%d does not wait for review", m.Num).WithHint("{get %d} shows it", m.Num)
}
