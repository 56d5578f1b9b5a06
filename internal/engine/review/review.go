// Package review is the queue of a person: flagged, pending, proposed, changed and due items, and what the person
// decides on them.
package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// Desk holds the review queue. It is safe for concurrent use.
type Desk struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	search   *search.Finder
	remember *remember.Writer
	sync     *sync.Replicator
}

// New returns a Desk.
func New(l *ledger.Ledger, x *exposure.Recorder, a *anchors.Resolver, f *search.Finder, w *remember.Writer, y *sync.Replicator) *Desk {
	return &Desk{screen: l.Screen, ledger: l, exposure: x, anchors: a, search: f, remember: w, sync: y}
}

// Reviews returns the memories due for review, longest overdue first; "" is every project. Limit 0 is 20, at
// most 1000.
func (k *Desk) Reviews(ctx context.Context, project string, p engram.Page) ([]engram.Memory, error) {
	p, err := screen.PageOf(p, 20)
	if err != nil {
		return nil, err
	}
	return ledger.Read(ctx, k.ledger, func(r engram.Reader) ([]engram.Memory, error) {
		p.Order = engram.OrderDue
		return r.List(ctx, engram.Filter{Project: screen.NormalProject(project), DueBefore: k.ledger.Now()}, p)
	})
}

// ReviewResult is the result of a review.
type ReviewResult struct {
	Memory engram.Memory
	Op     int64 // operation for Undo; 0 if nothing changed
	// Anchored are anchors to other code than before, and Released those whose code no longer exists; nil if
	// unchanged.
	Anchored, Released []engram.Anchor
	// Degraded says what was not done and why: the code is not in the engine's folder.
	Degraded []string
}

// Reviewed records that somebody checked a live memory and it holds: its review interval restarts, by type and
// importance. It removes the date of a memory whose type is never due but that Snooze gave one. Text, time and
// strength stay. Its anchors are renewed if their code is in the engine's folder.
//
// If only changed code made the memory pending and that code cannot be seen, it is CodeConflict: nothing would
// change.
func (k *Desk) Reviewed(ctx context.Context, ref engram.Ref) (ReviewResult, error) {
	return k.review(ctx, "review_done", "reviewed", ref, k.remember.AnchorAnew(ctx, ref), func(m engram.Memory, now time.Time) (time.Time, error) {
		return lifecycle.ReviewAfter(m, now, k.ledger.Policy), nil
	})
}

// MaxSnooze limits how far a review can be postponed.
const MaxSnooze = 100 * 365 * 24 * time.Hour

// Snooze postpones the review of a live memory until a future time, at most MaxSnooze away, even if it had no
// date. Until then, changed code does not make it pending either.
func (k *Desk) Snooze(ctx context.Context, ref engram.Ref, until time.Time) (ReviewResult, error) {
	return k.review(ctx, "review_snooze", "snoozed", ref, remember.PrecomputedAnchors{}, func(_ engram.Memory, now time.Time) (time.Time, error) {
		until = until.UTC().Truncate(time.Millisecond)
		if !until.After(now) {
			return until, engram.Errorf(engram.CodeInvalid, "%s is not in the future", until.Format("2 January 2006 15:04 MST")).
				WithHint("give a future time, or mark the review as done")
		}
		if until.After(now.Add(MaxSnooze)) {
			return until, engram.Errorf(engram.CodeInvalid, "the year %d is too far off", until.Year()).WithHint("at most a hundred years")
		}
		return until, nil
	})
}

// review sets a memory's review date, and renews its anchors if they were looked up.
func (k *Desk) review(ctx context.Context, operation, reason string, ref engram.Ref, anew remember.PrecomputedAnchors, due func(engram.Memory, time.Time) (time.Time, error)) (ReviewResult, error) {
	return ledger.Perform(ctx, k.ledger, operation, func(o *ledger.Tx) (res ReviewResult, err error) {
		was, err := o.Live(ctx, ref)
		if err != nil {
			return res, err
		}
		if err = reviewAs(ctx, o, was, anew, reason, due, &res); err == nil && operation == "review_snooze" {
			err = snooze(ctx, o, res.Memory)
		}
		return res, err
	})
}

// reviewAs is review within an operation that may do more.
func reviewAs(ctx context.Context, o *ledger.Tx, was engram.Memory, anew remember.PrecomputedAnchors, reason string, due func(engram.Memory, time.Time) (time.Time, error), res *ReviewResult) (err error) {
	m := was
	if m.ReviewAfter, err = due(was, o.At); err != nil {
		return err
	}
	unseen, err := renewAnchors(ctx, o, anew, &m, res)
	if err != nil {
		return err
	}
	if !m.ReviewAfter.Equal(was.ReviewAfter) || !slices.Equal(m.Anchors, was.Anchors) {
		if err := o.ReplaceMemory(ctx, was, m, reason); err != nil {
			return err
		}
	}
	if res.Memory, res.Op = m, o.First; !unseen {
		return nil
	}
	return reportUnseen(ctx, o, res)
}

// reportUnseen reports that the code could not be seen; an error if nothing else was done.
func reportUnseen(ctx context.Context, o *ledger.Tx, res *ReviewResult) error {
	m := res.Memory
	seen, err := o.Store.SeenAnchors(ctx, []int64{m.Num})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("cannot see the code of memory #%d (%s) from here", m.Num, screen.Line(anchors.PlacesOfAnchors(m.Anchors)))
	switch {
	case !seen[m.Num].Stale():
		res.Degraded = append(res.Degraded, what+": its anchors stay")
	case res.Op != 0:
		res.Degraded = append(res.Degraded, what+": it stays pending until it is reviewed in its repository")
	default:
		return engram.Errorf(engram.CodeConflict, "%s, and nothing else is pending for it", what).
			WithHint("run {review done %d} in its repository to renew its anchors, {review snooze %d --for 90d} to postpone it, or {review refuse %d} to forget it", m.Num, m.Num, m.Num)
	}
	return nil
}

// snooze records that a memory is not pending until its review date.
func snooze(ctx context.Context, o *ledger.Tx, m engram.Memory) error {
	if err := o.Store.DropTrust(ctx, m.Num, engram.TrustSnoozed); err != nil {
		return err
	}
	return o.Store.PutTrust(ctx, engram.Trust{Memory: m.Num, Mark: engram.TrustSnoozed, At: m.ReviewAfter})
}

// snoozed reports whether a memory is postponed. A changed review date, for example by an undo, ends that.
func snoozed(m engram.Memory, marks []engram.Trust, now time.Time) bool {
	return m.ReviewAfter.After(now) && slices.ContainsFunc(marks, func(t engram.Trust) bool {
		return t.Mark == engram.TrustSnoozed && t.At.Equal(m.ReviewAfter)
	})
}

// QueuedNamed returns one item of the review queue by name (engram.QueueItem.Name), complete with reasons.
// Anchor states are those last seen. CodeNotFound for what is not pending.
func (k *Desk) QueuedNamed(ctx context.Context, name string) (engram.QueueItem, error) {
	return ledger.Read(ctx, k.ledger, func(r engram.Reader) (item engram.QueueItem, err error) {
		if num, is := engram.ParsePendingName(name); is {
			return queuedRecord(ctx, r, num)
		}
		ref, err := engram.ParseRef(name)
		if err != nil {
			return item, err
		}
		m, err := ledger.Live(ctx, r, ref)
		if err != nil {
			return item, err
		}
		q := &queueBuilder{now: k.ledger.Now()}
		kind, err := q.kindOf(ctx, r, m)
		if err != nil {
			return item, err
		}
		if err := q.add(ctx, r, kind, []engram.Memory{m}); err != nil {
			return item, err
		}
		return q.Items[0], nil
	})
}

// queuedRecord returns a pending record by number.
func queuedRecord(ctx context.Context, r engram.Reader, num int64) (engram.QueueItem, error) {
	d, err := sync.PendingAt(ctx, r, num)
	if err != nil {
		return engram.QueueItem{}, err
	}
	kind := engram.QueuePending
	if d.Why == engram.DeferredProposal {
		kind = engram.QueueProposal
	}
	return engram.QueueItem{Kind: kind, Pending: &d, Reasons: whyPending(d), Since: d.FirstAt}, nil
}

// kindOf returns the first reason why a memory is pending, in the order of engram.QueueKinds.
func (q *queueBuilder) kindOf(ctx context.Context, r engram.Reader, m engram.Memory) (engram.QueueKind, error) {
	marks, err := r.Trust(ctx, []int64{m.Num})
	if err != nil {
		return "", err
	}
	seen, err := r.SeenAnchors(ctx, []int64{m.Num})
	if err != nil {
		return "", err
	}
	switch {
	case slices.ContainsFunc(marks[m.Num], func(t engram.Trust) bool { return t.Mark == engram.TrustFlagged }):
		return engram.QueueFlagged, nil
	case seen[m.Num].Stale() && !snoozed(m, marks[m.Num], q.now):
		return engram.QueueChanged, nil
	case !m.ReviewAfter.IsZero() && !m.ReviewAfter.After(q.now):
		return engram.QueueDue, nil
	}
	return "", engram.Errorf(engram.CodeNotFound, "memory #%d is not pending for review", m.Num).WithHint("{get %d} shows it", m.Num)
}

// flaggedPrefix precedes the reasons why a text was flagged, if other reasons follow.
const flaggedPrefix = "instruction-like: "

// mostSuspicions limits the reasons shown for a pending record.
const mostSuspicions = 12

// SuspicionsOf returns where and why the texts of a pending record are instruction-like, for the person who
// decides on it; nil if none is.
func SuspicionsOf(d engram.Deferred) []string {
	why := screen.ReportReasons(screen.SuspicionsIn(sync.TextsOf(d.Record)), screen.WhyAndWhere)
	return why[:min(len(why), mostSuspicions)]
}

// whyPending returns for a person why a record is flagged and why it is pending.
func whyPending(d engram.Deferred) []string {
	why := SuspicionsOf(d)
	if len(why) > 0 {
		why[0] = flaggedPrefix + why[0]
	}
	if len(why) == 0 || d.Why == engram.DeferredProposal {
		why = append(why, d.Reason)
	}
	return why
}

// mostStale limits the listed and counted memories with changed code, mostLooked those whose code is checked
// again first.
const (
	mostStale  = 1000
	mostLooked = 100
)

// lookAtStale checks and records the current anchor states of memories pending for changed code, by number.
func (k *Desk) lookAtStale(ctx context.Context, project string) (map[int64][]engram.Anchored, error) {
	if k.anchors.Code == nil || k.ledger.Caller.Dir == "" {
		return nil, nil
	}
	var stale []engram.Memory
	err := k.ledger.View(ctx, func(r engram.Reader) error {
		name, err := projects.CanonicalProject(ctx, r, project)
		if err != nil {
			return err
		}
		stale, err = r.List(ctx, engram.Filter{Project: name, Stale: true}, engram.Page{Limit: mostLooked})
		return err
	})
	if err != nil {
		return nil, err
	}
	states := k.anchors.States(ctx, "", stale)
	k.anchors.NoteAnchors(ctx, states)
	return states, nil
}

// changed lists memories with changed code that are not snoozed.
func (q *queueBuilder) changed(ctx context.Context, r engram.Reader) error {
	ms, err := r.List(ctx, engram.Filter{Project: q.project, Stale: true}, engram.Page{Limit: mostStale})
	if err != nil {
		return err
	}
	marks, err := r.Trust(ctx, screen.MemoryNums(ms))
	if err != nil {
		return err
	}
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool {
		now := retrieval.Standing(q.states[m.Num]) // another process may have kept it from being recorded
		return snoozed(m, marks[m.Num], q.now) || now != engram.AnchorUnknown && !now.Stale()
	})
	q.Counts[engram.QueueChanged] = len(ms)
	p := q.take(len(ms))
	ms = ms[p.Offset : p.Offset+p.Limit]
	return q.add(ctx, r, engram.QueueChanged, ms)
}

// changes returns the anchors of a memory and describes the changed files for a person. If the code cannot be
// seen, it is what was seen last.
func (q *queueBuilder) changes(m engram.Memory, seen engram.AnchorState) (all []engram.Anchored, why []string) {
	all = q.states[m.Num]
	if retrieval.Standing(all) == engram.AnchorUnknown {
		all = walk.Mapped(m.Anchors, func(a engram.Anchor) engram.Anchored { return engram.Anchored{Anchor: a} })
		return all, []string{screen.Line(anchors.PlacesOfAnchors(m.Anchors)) + ": " + string(seen) + " when it was last looked at"}
	}
	for _, a := range all {
		if retrieval.Standing([]engram.Anchored{a}).Stale() {
			why = append(why, screen.Line(a.Place().String())+": "+string(a.State))
		}
	}
	return all, why
}

// AcceptDeferred takes in a pending record, whatever it waits for, as an operation of its own that Undo takes back.
// Proposals are saved as AcceptProposal does.
//
// CodeNotFound for a number without a pending record, CodeConflict for a record that cannot come in, or not yet; it
// stays pending.
func (k *Desk) AcceptDeferred(ctx context.Context, num int64) (sync.Accepted, error) {
	if proposed, err := k.isProposal(ctx, num); err != nil || proposed {
		return k.acceptedProposal(ctx, num, err)
	}
	return k.sync.AcceptReceived(ctx, num)
}

// renewAnchors re-anchors a reviewed memory, unless its anchors changed meanwhile. If its code cannot be seen
// (unseen), it changes nothing, and the memory stays in the queue.
func renewAnchors(ctx context.Context, o *ledger.Tx, a remember.PrecomputedAnchors, m *engram.Memory, res *ReviewResult) (unseen bool, err error) {
	if a.Was.Num != m.Num || len(m.Anchors) == 0 || !slices.Equal(a.Was.Anchors, m.Anchors) {
		return false, nil
	}
	if a.Unseen {
		return true, nil
	}
	m.Anchors, res.Released = a.Now, a.Gone
	res.Anchored = slices.DeleteFunc(slices.Clone(a.Now), func(now engram.Anchor) bool { return slices.Contains(a.Was.Anchors, now) })
	return false, o.Store.NoteAnchors(ctx, map[int64]engram.AnchorState{m.Num: engram.AnchorVerified})
}
