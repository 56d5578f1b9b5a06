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
	if kind == engram.QueuePending || kind == engram.QueueProposal {
		return q.records(ctx, r, kind)
	}
	if kind == engram.QueueChanged {
		return q.changed(ctx, r)
	}
	read := func(p engram.Page) ([]engram.Memory, error) { return r.FlaggedMemories(ctx, q.project, p) }
	count := func() (int, error) { return r.CountFlagged(ctx, q.project) }
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
		case engram.QueueFlagged:
			item.Reasons, item.Since, _ = whyFlagged(m, marks[m.Num], whyAndWhere)
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
			q.Items = append(q.Items, engram.QueueItem{Kind: kind, Pending: &d, Reasons: whyPending(d), Since: d.FirstAt})
		}
		return nil
	})
}

// pendingField is the name under which an entry notes for what something waited.
const pendingField = "waited"

// decidedWas is what an entry notes of something that waited. What it says is not in it: that
// stands in the memory that it became, and goes when that is erased, or where it waited.
type decidedWas struct {
	Pending engram.Deferral `json:"waited"`
	LastAt  time.Time       `json:"last_at"`
	Memory  int64           `json:"memory"` // that it became; 0: it was refused
}

func (w decidedWas) fields() map[string]any {
	return map[string]any{pendingField: w.Pending, "last_at": w.LastAt, "memory": w.Memory}
}

// RefuseDeferred throws a record away that waits; it does not come in with the batch that it
// came with any more, and is not proposed again. Undo of the operation that it returns lets it
// wait again, and DropDeferred removes it for good. CodeNotFound when nothing waits under the
// number.
func (e *Engine) RefuseDeferred(ctx context.Context, num int64) (number int64, err error) {
	err = e.write(ctx, "refuse", func(o *op) error {
		d, err := pendingAt(ctx, o.tx, num)
		if err != nil {
			return err
		}
		err = o.decided(ctx, d, 0, "refused by whoever reviewed it")
		number = o.first
		return err
	})
	return number, err
}

// decided notes that something waits no longer: it became a memory, or was refused.
func (o *op) decided(ctx context.Context, d engram.Deferred, memory int64, reason string) error {
	was := decidedWas{d.Why, d.LastAt, memory}
	d.Why, d.LastAt = engram.DeferredDecided, o.at
	if memory != 0 {
		d = withoutText(d)
	}
	return o.putPending(ctx, d, was, reason)
}

// putPending writes d over what was.
func (o *op) putPending(ctx context.Context, d engram.Deferred, was decidedWas, reason string) error {
	p, _, err := o.tx.Project(ctx, d.Project) // "" of one that is not here yet: the entry is of none
	if err != nil {
		return err
	}
	if err := o.tx.PutDeferred(ctx, &d); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityPending, engram.PendingName(d.Num), p.Name, reason, was.fields())
}

// withoutText is what waited without what it says: who erases the memory that it became means
// that, too.
func withoutText(d engram.Deferred) engram.Deferred {
	r := *d.Record.Memory
	r.Memory.Title, r.Memory.Content, r.Memory.NormalizedHash, r.Memory.Tags = "", "", "", nil
	d.Record.Memory = &r
	return d
}

// withText is what waited as the memory says it that it became.
func withText(d engram.Deferred, m engram.Memory) engram.Deferred {
	r := *d.Record.Memory
	r.Memory.Title, r.Memory.Content, r.Memory.NormalizedHash, r.Memory.Tags, r.Memory.Type = m.Title, m.Content, m.NormalizedHash, m.Tags, m.Type
	d.Record.Memory = &r
	return d
}

// takePending lets something wait again that was taken or refused; or takes or refuses it again,
// when that is what was undone.
func (u *undoing) takePending(ctx context.Context, entry engram.Mutation) error {
	name := entry.Key
	num, _ := engram.ParsePendingName(name)
	var was decidedWas
	if err := readWas(entry, &was); err != nil {
		return err
	}
	d, found, err := u.tx.DeferredAt(ctx, num)
	if err != nil {
		return err
	}
	if !found {
		u.leave("what waited as %s was thrown away for good", name)
		return nil
	}
	if err := u.decidedSince(ctx, entry, d); err != nil {
		return err
	}
	now, what := d, "waits again"
	now.Why, now.LastAt = was.Pending, was.LastAt
	switch {
	case was.Pending == engram.DeferredDecided && was.Memory != 0:
		now, what = withoutText(now), "taken in again"
	case was.Pending == engram.DeferredDecided:
		what = "refused again"
	case was.Memory != 0:
		m, err := u.tx.Memory(ctx, engram.ByNum(was.Memory))
		if engram.CodeOf(err) == engram.CodeNotFound {
			u.leave("what waited as %s became memory #%d, which was erased", name, was.Memory)
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

// decidedSince is an error when something is not any more as an entry left it: somebody decided
// of it anew.
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
	return u.changedSince("what waited as "+engram.PendingName(now.Num), []string{"it was decided anew"}, later[len(later)-1])
}

// dropDecided removes for good what was decided before a time: no undo reaches it any more.
func dropDecided(ctx context.Context, tx engram.Tx, before time.Time) error {
	waiting, err := allAfter(func(after int64) ([]engram.Deferred, error) { return tx.Deferred(ctx, "", after, deferredPage) },
		func(d engram.Deferred) int64 { return d.Num })
	if err != nil {
		return err
	}
	for _, d := range waiting {
		if d.Why != engram.DeferredDecided || !d.LastAt.Before(before) {
			continue
		}
		if _, err := tx.DropDeferred(ctx, d.Num); err != nil {
			return err
		}
	}
	return nil
}
