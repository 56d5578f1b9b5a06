package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// QueueKind says why something waits for a person.
type QueueKind string

// The kinds, in the order in which they are listed.
const (
	QueueSuspect  QueueKind = "suspect"  // it reads like an order to an agent, and is not told unasked
	QueueWaiting  QueueKind = "waiting"  // it came from others, and is no memory yet
	QueueProposal QueueKind = "proposal" // it was read out of transcripts or commits, and is no memory yet
	QueueChanged  QueueKind = "changed"  // the code that it speaks of is another one, or gone
	QueueDue      QueueKind = "due"      // the time to check it has come
)

// QueueKinds are all kinds, in their order.
func QueueKinds() []QueueKind {
	return []QueueKind{QueueSuspect, QueueWaiting, QueueProposal, QueueChanged, QueueDue}
}

// ParseQueueKinds reads kinds as people write them, each once; none is every one. What is no
// kind is CodeInvalid.
func ParseQueueKinds(names []string) ([]QueueKind, error) {
	var kinds []QueueKind
	for _, name := range names {
		k := QueueKind(strings.ToLower(strings.TrimSpace(name)))
		if !slices.Contains(QueueKinds(), k) {
			return nil, engram.Errorf(engram.CodeInvalid, "%q is no kind of review", name).WithHint("suspect, waiting, proposal, changed or due")
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

// QueueInput says what is listed.
type QueueInput struct {
	Project string      // "" is every one
	Kinds   []QueueKind // nil is every one
	Page    engram.Page // over all kinds; limit 0 is 20, at most 1000
}

// QueueItem is one thing that waits for a person.
type QueueItem struct {
	Kind    QueueKind
	Memory  engram.Memory    // the zero Memory of waiting and proposal
	State   engram.State     // of Memory
	Waiting *engram.Deferred // of waiting and proposal; else nil
	// Anchors is the code that a changed memory speaks of, with what became of it; nil of others.
	Anchors []engram.Anchored
	Reasons []string  // for a person
	Since   time.Time // since when it waits; zero where nobody noted that
}

// Name is what Approve and Refuse take: the number of a memory, or w and the number under
// which a record waits.
func (i QueueItem) Name() string {
	if i.Waiting != nil {
		return waitingName(i.Waiting.Num)
	}
	return key(i.Memory.Num)
}

// Queue is what waits for a person.
type Queue struct {
	Items  []QueueItem       // by kind, in the order of QueueKinds; of each the longest waiting first
	Counts map[QueueKind]int // how many there are of each kind that was asked for
	Page   engram.Page       // that was listed
}

// Queue lists what waits for a person: what is suspect, what came from others, what was
// proposed, whose code changed, and what is due. Code that is in the engine's folder is looked at
// first: what is as it was again does not wait.
func (e *Engine) Queue(ctx context.Context, in QueueInput) (Queue, error) {
	p, err := pageOf(in.Page, 20)
	if err != nil {
		return Queue{}, err
	}
	q := queueing{Queue: Queue{Counts: map[QueueKind]int{}, Page: p}, now: e.now(), skip: p.Offset, rest: p.Limit}
	asked := func(kind QueueKind) bool { return len(in.Kinds) == 0 || slices.Contains(in.Kinds, kind) }
	if asked(QueueChanged) {
		if q.states, err = e.lookAtStale(ctx, in.Project); err != nil {
			return Queue{}, err
		}
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		if q.project, err = deferredProject(ctx, r, in.Project); err != nil {
			return err
		}
		for _, kind := range QueueKinds() {
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
func (q *queueing) list(ctx context.Context, r engram.Reader, kind QueueKind) (err error) {
	if kind == QueueWaiting || kind == QueueProposal {
		return q.records(ctx, r, kind)
	}
	if kind == QueueChanged {
		return q.changed(ctx, r)
	}
	read := func(p engram.Page) ([]engram.Memory, error) { return r.Suspects(ctx, q.project, p) }
	count := func() (int, error) { return r.CountSuspects(ctx, q.project) }
	if kind == QueueDue {
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
func (q *queueing) add(ctx context.Context, r engram.Reader, kind QueueKind, ms []engram.Memory) error {
	marks, err := r.Trust(ctx, memoryNums(ms))
	if err != nil {
		return err
	}
	for _, m := range ms {
		item := QueueItem{Kind: kind, Memory: m, State: lifecycle.State(m, q.now)}
		switch kind {
		case QueueSuspect:
			item.Reasons, item.Since, _ = whySuspect(m, marks[m.Num], whyAndWhere)
		case QueueDue:
			item.Reasons, item.Since = []string{"it is time to check that it still holds"}, m.ReviewAfter
		}
		q.Items = append(q.Items, item)
	}
	return nil
}

// records adds what waits and is no memory yet.
func (q *queueing) records(ctx context.Context, r engram.Reader, kind QueueKind) error {
	why := engram.DeferredReview
	if kind == QueueProposal {
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
			q.Items = append(q.Items, QueueItem{Kind: kind, Waiting: &d, Reasons: whyItWaits(d), Since: d.FirstAt})
		}
		return nil
	})
}
