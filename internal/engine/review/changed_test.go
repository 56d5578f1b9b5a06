package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// changedWorld has a memory whose code was seen to have changed, and returns it.
func changedWorld(t *testing.T, typ engram.Type) (enginetest.World, int64) {
	t.Helper()
	w := enginetest.NewWorld(t).Unlinked()
	w.Code.Write("retry.go", "package retry")
	num := w.MustSave(remember.SaveInput{Title: "Retries", Content: "Three of them", Project: "src", Type: typ, Files: []string{"retry.go"}}).Memory.Num
	w.Code.Write("retry.go", "package other")
	w.MustSearch(search.SearchInput{Query: "retries"})
	return w, num
}

// changedItems returns the memories pending for changed code.
func changedItems(t *testing.T, e *engine.Engine) []engram.QueueItem {
	t.Helper()
	q, err := e.Queue(t.Context(), review.QueueInput{Kinds: []engram.QueueKind{engram.QueueChanged}})
	if err != nil {
		t.Fatal(err)
	}
	if n := q.Counts[engram.QueueChanged]; n != len(q.Items) {
		t.Fatalf("%d are counted and %d listed", n, len(q.Items))
	}
	return q.Items
}

func TestWhatWaitsForItsCodeNamesTheFileAndItsState(t *testing.T) {
	t.Parallel()
	w, num := changedWorld(t, "decision")
	for _, tt := range []struct {
		name, write, want string
		state             engram.AnchorState
		in                *engine.Engine
	}{
		{"it says something else", "package other", "retry.go: changed", engram.AnchorChanged, w.Engine},
		{"it is gone", "", "retry.go: gone", engram.AnchorGone, w.Engine},
		{"nobody can look from here", "", "retry.go: gone when it was last looked at", engram.AnchorUnknown, w.As(w.Caller().In("/elsewhere"))},
	} {
		w.Code.Write("retry.go", tt.write)
		items := changedItems(t, tt.in)
		if len(items) != 1 || items[0].Memory.Num != num || strings.Join(items[0].Reasons, "|") != tt.want || len(items[0].Anchors) != 1 || items[0].Anchors[0].State != tt.state {
			t.Errorf("%s: got %+v, want #%d with %q", tt.name, items, num, tt.want)
		}
	}
	w.Code.Write("retry.go", "package retry")
	if items := changedItems(t, w.Engine); len(items) > 0 {
		t.Errorf("what is as it was again waits: %+v", items)
	}
}

func TestWhatBecomesOfAMemoryWhoseCodeChanged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		do     func(w enginetest.World, num int64) (review.ReviewResult, error)
		anchor string
	}{
		{"approved, it is anchored to what stands there", func(w enginetest.World, num int64) (review.ReviewResult, error) {
			return w.Approve(w.Context(), engram.ByNum(num))
		}, "retry.go verified"},
		{"marked done, too", func(w enginetest.World, num int64) (review.ReviewResult, error) {
			return w.Reviewed(w.Context(), engram.ByNum(num))
		}, "retry.go verified"},
		{"put off, it does not wait, and its code is another one still", func(w enginetest.World, num int64) (review.ReviewResult, error) {
			return w.Snooze(w.Context(), engram.ByNum(num), w.Now().AddDate(0, 0, 30))
		}, "retry.go changed"},
	} {
		for _, typ := range []engram.Type{"decision", "bugfix"} {
			t.Run(tt.name+", "+string(typ), func(t *testing.T) {
				w, num := changedWorld(t, typ)
				res, err := tt.do(w, num)
				if err != nil || res.Op == 0 || res.Op != w.LastOp() {
					t.Fatalf("got %+v, %v; want operation %d", res, err, w.LastOp())
				}
				if items := changedItems(t, w.Engine); len(items) > 0 {
					t.Errorf("it waits still: %+v", items)
				}
				w.MustSearch(search.SearchInput{Query: "retries"}) // looks again
				if items := changedItems(t, w.Engine); len(items) > 0 {
					t.Errorf("after somebody looked again it waits: %+v", items)
				}
				w.WantPlaces("afterwards", num, tt.anchor)
				w.TakeBack(res.Op)
				w.MustSearch(search.SearchInput{Query: "retries"})
				if items := changedItems(t, w.Engine); len(items) != 1 {
					t.Errorf("after it was taken back %d wait, want 1", len(items))
				}
			})
		}
	}
}

func TestWhatWasPutOffWaitsAgainWhenTheTimeHasCome(t *testing.T) {
	t.Parallel()
	w, num := changedWorld(t, "bugfix")
	if _, err := w.Snooze(t.Context(), engram.ByNum(num), w.Now().AddDate(0, 0, 30)); err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(31 * 24 * time.Hour)
	if items := changedItems(t, w.Engine); len(items) != 1 {
		t.Errorf("%d wait after the time, want 1", len(items))
	}
	if _, err := w.Snooze(t.Context(), engram.ByNum(num), w.Now().AddDate(0, 0, 30)); err != nil {
		t.Fatal(err)
	}
	if items := changedItems(t, w.Engine); len(items) > 0 {
		t.Errorf("put off once more it waits: %+v", items)
	}
}

func TestAReviewOfCodeThatIsNotToBeSeenSaysSo(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(e *engine.Engine, t *testing.T, num int64) (review.ReviewResult, error){
		"done": func(e *engine.Engine, t *testing.T, num int64) (review.ReviewResult, error) {
			return e.Reviewed(t.Context(), engram.ByNum(num))
		},
		"approve": func(e *engine.Engine, t *testing.T, num int64) (review.ReviewResult, error) {
			return e.Approve(t.Context(), engram.ByNum(num))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, num := changedWorld(t, "bugfix")
			before := w.LastOp()
			_, err := do(w.As(w.Caller().In("/elsewhere")), t, num)
			enginetest.WantCode(t, err, engram.CodeConflict)
			if hint := engram.HintOf(err); !strings.Contains(err.Error(), "retry.go") || !strings.Contains(hint, "review done") {
				t.Errorf("got %q with hint %q, want the file and what to do", err, hint)
			}
			if w.LastOp() != before || len(changedItems(t, w.Engine)) != 1 {
				t.Error("something became of it")
			}
		})
	}
	t.Run("what else of it waits is done", func(t *testing.T) {
		w, num := changedWorld(t, "decision")
		res, err := w.As(w.Caller().In("/elsewhere")).Reviewed(t.Context(), engram.ByNum(num))
		if err != nil || res.Op == 0 || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "retry.go") {
			t.Fatalf("got %+v, %v; want its date anew, and a word about retry.go", res, err)
		}
		if items := changedItems(t, w.Engine); len(items) != 1 {
			t.Errorf("%d wait for their code, want 1: nobody has seen it", len(items))
		}
	})
}
