package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Timeline tells what was saved around a live memory in its session. Negative counts
// are invalid; at most 100 each.
func (e *Engine) Timeline(ctx context.Context, ref engram.Ref, before, after int) (engram.Timeline, error) {
	const most = 100
	if min(before, after) < 0 || max(before, after) > most {
		name, n := "before", before
		if before >= 0 && before <= most {
			name, n = "after", after
		}
		return engram.Timeline{}, engram.Errorf(engram.CodeInvalid, "%s %d is out of range", name, n).WithHint("from 0 to %d", most)
	}
	var t engram.Timeline
	err := e.store.View(ctx, func(r engram.Reader) error {
		var err error
		if t.Focus, err = live(ctx, r, ref); err != nil {
			return err
		}
		if err := around(ctx, r, &t, before, after); err != nil {
			return err
		}
		focus := []engram.Memory{t.Focus}
		for _, ms := range [][]engram.Memory{focus, t.Before, t.After} {
			if err := e.recalled(ctx, r, ms); err != nil {
				return err
			}
		}
		t.Focus = focus[0]
		t.Notes, err = notesOn(ctx, r, e.now(), slices.Concat(t.Before, []engram.Memory{t.Focus}, t.After))
		return err
	})
	if err != nil {
		return engram.Timeline{}, err
	}
	return t, nil
}

// around adds to t what was saved around its focus.
func around(ctx context.Context, r engram.Reader, t *engram.Timeline, before, after int) (err error) {
	if t.Focus.SessionID == "" {
		t.Total = 1
		return nil
	}
	if t.Session, err = r.Session(ctx, t.Focus.SessionID); err != nil {
		return err
	}
	t.Suspect = SuspectSummary(t.Session)
	if t.Total, err = r.CountInSession(ctx, t.Focus.SessionID, false); err != nil {
		return err
	}
	t.Before, t.After, err = r.Neighbours(ctx, t.Focus.SessionID, t.Focus.Num, before, after)
	return err
}
