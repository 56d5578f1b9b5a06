package brief_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// told is what one run of overAtEach told, and the call at which its context ended.
type told struct {
	at   string // "" if it never ended
	text string
	less bool // reported that there would be more
	err  error
}

// overAtEach runs do with a context that ends before the first call on the store, before the second, and so on,
// until it ends before none.
func overAtEach(t *testing.T, w enginetest.Parts, do func(ctx context.Context, e *engine.Engine, n int) (text string, degraded []string, err error)) (all []told) {
	t.Helper()
	at := w.Clock.Now()
	for n := 1; len(all) == 0 || all[len(all)-1].at != ""; n++ {
		ctx, end := context.WithCancel(t.Context())
		var one told
		calls := 0
		store := &enginetest.Counting{Store: w.Store, Before: func(call string) {
			if calls++; calls == n {
				one.at = call
				end()
			}
		}}
		e := engine.New(engine.Options{Store: store, Embedder: enginetest.Embedder(), Now: func() time.Time { return at }, NewID: enginetest.IDs()})
		var degraded []string
		one.text, degraded, one.err = do(ctx, e, n)
		one.less = len(degraded) > 0
		end()
		all = append(all, one)
	}
	return all
}

// checkTold fails unless each run tells at least what the one before told, once one has told something, and before
// that reports that its time was over.
func checkTold(t *testing.T, all []told, first string) {
	t.Helper()
	whole, before := all[len(all)-1].text, 0
	for n, one := range all {
		switch {
		case one.text == "" && (before > 0 || one.at == first || !errors.Is(one.err, context.Canceled)):
			t.Errorf("over at call %d, %s: told nothing, %v", n+1, one.at, one.err)
		case one.text == "":
			continue
		case one.err != nil:
			t.Errorf("over at call %d, %s: told something, and %v", n+1, one.at, one.err)
		}
		if one.text != whole && !one.less {
			t.Errorf("over at call %d, %s: does not say that there is more than\n%s", n+1, one.at, one.text)
		}
		titles := 0
		for line := range strings.Lines(one.text) {
			if !strings.HasPrefix(line, "- #") {
				continue
			}
			titles++
			if head, _, _ := strings.Cut(line, ":"); !strings.Contains(whole, head) {
				t.Errorf("over at call %d, %s: told %q, which is not in\n%s", n+1, one.at, line, whole)
			}
		}
		if titles < before {
			t.Errorf("over at call %d, %s: told %d memories, and %d at the call before", n+1, one.at, titles, before)
		}
		before = titles
	}
}

func TestABriefWhoseTimeIsOverTellsWhatIsReady(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	if _, err := w.Save(t.Context(), remember.SaveInput{Title: "Answers are short", Content: "Ana reads them on a phone.", Type: engram.TypePreference, Scope: engram.ScopePersonal, Origin: engram.OriginHuman}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Summarize(t.Context(), remember.SaveInput{Project: "shop", Content: "## Goal\nNo double jobs.\n## Next\nMeasure the wait."}); err != nil {
		t.Fatal(err)
	}
	all := overAtEach(t, w, func(ctx context.Context, e *engine.Engine, n int) (string, []string, error) {
		b, err := e.Brief(ctx, brief.SessionBriefInput{Project: "shop", SessionID: fmt.Sprint("s", n)})
		return b.Text, b.Degraded, err
	})
	checkTold(t, all, "ExposureCounts")
}

func TestAReminderWhoseTimeIsOverTellsWhatWasFound(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	all := overAtEach(t, w, func(ctx context.Context, e *engine.Engine, n int) (string, []string, error) {
		r, err := e.Remind(ctx, brief.RemindInput{Project: "shop", Query: "the scheduler's lock was lost again, should we use redis locks for it?"})
		return r.Text, r.Degraded, err
	})
	checkTold(t, all, "Nearest")
}
