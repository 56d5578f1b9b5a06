package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Reviews returns the memories that are due for review, the longest overdue first; ""
// is every project. Limit 0 is 20, at most 1000.
func (e *Engine) Reviews(ctx context.Context, project string, p engram.Page) ([]engram.Memory, error) {
	p, err := pageOf(p, 20)
	if err != nil {
		return nil, err
	}
	return view(ctx, e, func(r engram.Reader) ([]engram.Memory, error) {
		return r.Due(ctx, normalProject(project), e.now(), p)
	})
}

// ReviewResult says what a review did.
type ReviewResult struct {
	Memory engram.Memory
	Op     int64 // what Undo takes back; 0 when nothing was to be changed
	// Anchored are those of its anchors that are to other code than before, and Released what it was
	// anchored to and is not there any more; nil where nothing became of them.
	Anchored, Released []engram.Anchor
	// Degraded says what could not be done of it, and why: the code is not in the engine's folder.
	Degraded []string
}

// Reviewed notes that somebody has checked a live memory and that it holds: the time
// until its next review begins anew, as its type and importance have it. A memory whose
// type never falls due, and that was given a date by Snooze, has none afterwards. The text,
// its time and its strength stay as they are. It is anchored to what the code says now that it
// speaks of, as far as that is in the folder of the engine.
//
// A memory that waits only because its code changed is CodeConflict where that code is not to
// be seen: nothing would be done.
func (e *Engine) Reviewed(ctx context.Context, ref engram.Ref) (ReviewResult, error) {
	return e.review(ctx, "review_done", "reviewed", ref, e.anchorAnew(ctx, ref), func(m engram.Memory, now time.Time) (time.Time, error) {
		return lifecycle.ReviewAfter(m, now, e.policy), nil
	})
}

// MaxSnooze is how far off a review may be put.
const MaxSnooze = 100 * 365 * 24 * time.Hour

// Snooze puts the review of a live memory off until a time, which must be to come and at
// most MaxSnooze away. It also gives a date to a memory that had none. Until then the memory does
// not wait for its code, either, whatever becomes of that.
func (e *Engine) Snooze(ctx context.Context, ref engram.Ref, until time.Time) (ReviewResult, error) {
	return e.review(ctx, "review_snooze", "snoozed", ref, anchoredAhead{}, func(_ engram.Memory, now time.Time) (time.Time, error) {
		until = until.UTC().Truncate(time.Millisecond)
		if !until.After(now) {
			return until, engram.Errorf(engram.CodeInvalid, "%s is not to come", until.Format("2 January 2006 15:04 MST")).
				WithHint("give a time in the future; a review that was done is not put off but marked done")
		}
		if until.After(now.Add(MaxSnooze)) {
			return until, engram.Errorf(engram.CodeInvalid, "the year %d is too far off", until.Year()).WithHint("at most a hundred years")
		}
		return until, nil
	})
}

// review gives a memory another date of review, and other anchors if somebody looked at the code.
func (e *Engine) review(ctx context.Context, verb, reason string, ref engram.Ref, anew anchoredAhead, due func(engram.Memory, time.Time) (time.Time, error)) (ReviewResult, error) {
	var res ReviewResult
	err := e.write(ctx, verb, func(o *op) error {
		was, err := o.live(ctx, ref)
		if err != nil {
			return err
		}
		if err := o.reviewAs(ctx, was, anew, reason, due, &res); err != nil {
			return err
		}
		if verb != "review_snooze" {
			return nil
		}
		return o.snooze(ctx, res.Memory)
	})
	if err != nil {
		return ReviewResult{}, err
	}
	return res, nil
}

// reviewAs is review within a verb, which may have done more.
func (o *op) reviewAs(ctx context.Context, was engram.Memory, anew anchoredAhead, reason string, due func(engram.Memory, time.Time) (time.Time, error), res *ReviewResult) (err error) {
	m := was
	if m.ReviewAfter, err = due(was, o.at); err != nil {
		return err
	}
	unseen, err := anew.anchor(ctx, o, &m, res)
	if err != nil {
		return err
	}
	if !m.ReviewAfter.Equal(was.ReviewAfter) || !slices.Equal(m.Anchors, was.Anchors) {
		if err := o.replaceMemory(ctx, was, m, reason); err != nil {
			return err
		}
	}
	if res.Memory, res.Op = m, o.first; !unseen {
		return nil
	}
	return o.tellUnseen(ctx, res)
}

// tellUnseen says of a review that the code was not to be seen; nothing but that is an error.
func (o *op) tellUnseen(ctx context.Context, res *ReviewResult) error {
	m := res.Memory
	seen, err := o.tx.SeenAnchors(ctx, []int64{m.Num})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the code that memory #%d speaks of (%s) is not to be seen from here", m.Num, line(placesOfAnchors(m.Anchors)))
	switch {
	case !seen[m.Num].Stale():
		res.Degraded = append(res.Degraded, what+": it stays anchored as it was")
	case res.Op != 0:
		res.Degraded = append(res.Degraded, what+": it waits until it is reviewed in its repository")
	default:
		return engram.Errorf(engram.CodeConflict, "%s, and it waits for nothing else", what).
			WithHint("{review done %d} in its repository anchors it to what stands there now; {review snooze %d --for 90d} hides it, {review refuse %d} forgets it", m.Num, m.Num, m.Num)
	}
	return nil
}

// snooze notes that a memory waits for nobody until the time of its review.
func (o *op) snooze(ctx context.Context, m engram.Memory) error {
	if err := o.tx.DropTrust(ctx, m.Num, engram.TrustSnoozed); err != nil {
		return err
	}
	return o.tx.PutTrust(ctx, engram.Trust{Memory: m.Num, Mark: engram.TrustSnoozed, At: m.ReviewAfter})
}

// snoozed reports whether a memory was put off until a time to come, by its marks. Another date
// of review ends that, such as the one that an undo brings back.
func snoozed(m engram.Memory, marks []engram.Trust, now time.Time) bool {
	return m.ReviewAfter.After(now) && slices.ContainsFunc(marks, func(t engram.Trust) bool {
		return t.Mark == engram.TrustSnoozed && t.At.Equal(m.ReviewAfter)
	})
}
