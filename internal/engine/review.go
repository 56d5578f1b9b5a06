package engine

import (
	"context"
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
	var due []engram.Memory
	err = e.store.View(ctx, func(r engram.Reader) error {
		due, err = r.Due(ctx, normalProject(project), e.now(), p)
		return err
	})
	return due, err
}

// Reviewed notes that somebody has checked a live memory and that it holds: the time
// until its next review begins anew, as its type and importance have it. A memory whose
// type never falls due, and that was given a date by Snooze, has none afterwards. The text,
// its time and its strength stay as they are. It is anchored to what the code says now that it
// speaks of, as far as that is in the folder of the engine.
func (e *Engine) Reviewed(ctx context.Context, ref engram.Ref) (engram.Memory, error) {
	return e.review(ctx, "review_done", "reviewed", ref, e.anchorAnew(ctx, ref), func(m engram.Memory, now time.Time) (time.Time, error) {
		return lifecycle.ReviewAfter(m, now, e.policy), nil
	})
}

// MaxSnooze is how far off a review may be put.
const MaxSnooze = 100 * 365 * 24 * time.Hour

// Snooze puts the review of a live memory off until a time, which must be to come and at
// most MaxSnooze away. It also gives a date to a memory that had none.
func (e *Engine) Snooze(ctx context.Context, ref engram.Ref, until time.Time) (engram.Memory, error) {
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
func (e *Engine) review(ctx context.Context, verb, reason string, ref engram.Ref, anew anchoredAhead, due func(engram.Memory, time.Time) (time.Time, error)) (engram.Memory, error) {
	var m engram.Memory
	err := e.write(ctx, verb, func(o *op) error {
		was, err := o.live(ctx, ref)
		if err != nil {
			return err
		}
		m = was
		if m.ReviewAfter, err = due(was, o.at); err != nil {
			return err
		}
		if err := anew.anchor(ctx, o, &m); err != nil || m.ReviewAfter.Equal(was.ReviewAfter) && slices.Equal(m.Anchors, was.Anchors) {
			return err
		}
		return o.replaceMemory(ctx, was, m, reason)
	})
	if err != nil {
		return engram.Memory{}, err
	}
	return m, nil
}
