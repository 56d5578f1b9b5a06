package review_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func reviews(w enginetest.World, project string, p engram.Page) []int64 {
	w.Helper()
	ms, err := w.Reviews(w.Context(), project, p)
	if err != nil {
		w.Fatalf("reviews of %q: %v", project, err)
	}
	return enginetest.Nums(ms)
}

func TestReviewsThatAreDueComeLongestOverdueFirst(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	decision := func(days int, in remember.SaveInput) int64 {
		in.Type = "decision"
		return w.Aged(days, in)
	}
	ordinary := decision(200, remember.SaveInput{Title: "Half a year"})
	weighty := decision(200, remember.SaveInput{Title: "A quarter", Importance: new(0.9)})
	decision(200, remember.SaveInput{Title: "A year", Importance: new(0.1)})
	decision(10, remember.SaveInput{Title: "Young"})
	other := decision(190, remember.SaveInput{Title: "Elsewhere", Project: "other"})
	w.Aged(900, remember.SaveInput{Title: "Never", Type: "bugfix"})
	gone := decision(300, remember.SaveInput{Title: "Forgotten"})
	if _, err := w.Forget(t.Context(), engram.ByNum(gone)); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "everywhere", reviews(w, "", engram.Page{}), []int64{weighty, ordinary, other})
	enginetest.Same(t, "in a project", reviews(w, " Demo ", engram.Page{}), []int64{weighty, ordinary})
	enginetest.Same(t, "a page", reviews(w, "", engram.Page{Limit: 1, Offset: 1}), []int64{ordinary})
	enginetest.Same(t, "in a project that nobody knows", reviews(w, "nope", engram.Page{}), nil)
	for _, h := range w.MustSearch(search.SearchInput{Query: "half year quarter young", Filter: engram.Filter{Project: "demo", Types: []engram.Type{"decision"}}}).Hits {
		want := engram.StateActive
		if h.Memory.Num == ordinary || h.Memory.Num == weighty {
			want = engram.StateNeedsReview
		}
		if h.State != want {
			t.Errorf("a search shows %q as %s, want %s", h.Memory.Title, h.State, want)
		}
	}
	_, err := w.Reviews(t.Context(), "", engram.Page{Limit: 5000})
	enginetest.WantCode(t, err, engram.CodeInvalid)
}

func TestReviewedAndSnoozed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	type step = func(w enginetest.World, num int64) (review.ReviewResult, error)
	done := func(w enginetest.World, num int64) (review.ReviewResult, error) {
		return w.Reviewed(ctx, engram.ByNum(num))
	}
	snooze := func(days int) step {
		return func(w enginetest.World, num int64) (review.ReviewResult, error) {
			return w.Snooze(ctx, engram.ByNum(num), w.Now().AddDate(0, 0, days))
		}
	}
	for _, tt := range []struct {
		name       string
		typ        engram.Type
		importance float64
		do         step
		months     int // until the next review afterwards, from now; -1: never
		days       int
		verb       string
	}{
		{"what was checked is due again as its type has it", "decision", 0.5, done, 6, 0, "review_done"},
		{"what matters much sooner", "decision", 0.9, done, 3, 0, "review_done"},
		{"what was put off is due then", "decision", 0.5, snooze(30), 0, 30, "review_snooze"},
		{"a date may be given to what never falls due", "bugfix", 0.5, snooze(7), 0, 7, "review_snooze"},
		{"and goes when that is done", "bugfix", 0.5, func(w enginetest.World, num int64) (review.ReviewResult, error) {
			if _, err := snooze(7)(w, num); err != nil {
				return review.ReviewResult{}, err
			}
			return done(w, num)
		}, -1, 0, "review_done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			num := w.Aged(200, remember.SaveInput{Title: "Checked", Type: tt.typ, Importance: &tt.importance})
			before := w.MustGet(num).Memory
			now := w.Now()
			res, err := tt.do(w, num)
			if err != nil {
				t.Fatal(err)
			}
			if m := res.Memory; res.Op != w.LastOp() || len(res.Degraded) > 0 || m.Num != num {
				t.Errorf("it answers %+v, want the memory and operation %d", res, w.LastOp())
			}
			m := res.Memory
			if tt.months < 0 != m.ReviewAfter.IsZero() {
				t.Fatalf("due %v", m.ReviewAfter)
			}
			if want := now.AddDate(0, tt.months, tt.days); tt.months >= 0 && m.ReviewAfter.Sub(want).Abs() > time.Minute {
				t.Errorf("due %v, want about %v", m.ReviewAfter, want)
			}
			enginetest.Same(t, "due now", reviews(w, "", engram.Page{}), []int64{})
			kept := w.MustGet(num).Memory
			before.ReviewAfter = m.ReviewAfter
			if got, want := fmt.Sprintf("%+v", kept), fmt.Sprintf("%+v", before); got != want {
				t.Errorf("more than the date changed\n got %s\nwant %s", got, want)
			}
			entries := w.Journal()
			if last := entries[len(entries)-1]; last.Operation != tt.verb || len(enginetest.Was(t, last)) != 1 {
				t.Errorf("the last entry is %+v", last)
			}
		})
	}
}

func TestAReviewIsUndone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Aged(200, remember.SaveInput{Title: "Checked", Type: "decision"})
	due := w.MustGet(num).Memory.ReviewAfter
	if _, err := w.Reviewed(t.Context(), engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Undo(t.Context(), undo.UndoInput{}); err != nil {
		t.Fatal(err)
	}
	if got := w.MustGet(num).Memory.ReviewAfter; !got.Equal(due) {
		t.Errorf("after the undo it is due %v, want %v", got, due)
	}
	enginetest.Same(t, "due", reviews(w, "", engram.Page{}), []int64{num})
}

func TestWhatCannotBeReviewedOrSnoozed(t *testing.T) {
	t.Parallel()
	w, ctx := enginetest.NewWorld(t), t.Context()
	num := w.Aged(200, remember.SaveInput{Title: "Checked", Type: "decision"})
	for name, until := range map[string]time.Time{"the past": w.Now().Add(-time.Hour), "no time": {}, "beyond all years": w.Now().AddDate(20_000, 0, 0)} {
		_, err := w.Snooze(ctx, engram.ByNum(num), until)
		if engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("until %s: got %v, want invalid", name, err)
		}
	}
	_, err := w.Reviewed(ctx, engram.ByNum(99))
	enginetest.WantCode(t, err, engram.CodeNotFound)
	if _, err := w.Forget(ctx, engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	_, err = w.Reviewed(ctx, engram.ByNum(num))
	enginetest.WantCode(t, err, engram.CodeNotFound)
	_, err = w.Snooze(ctx, engram.ByNum(num), w.Now().Add(time.Hour))
	enginetest.WantCode(t, err, engram.CodeNotFound)
}
