package read_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// errEnough ends a watch.
var errEnough = errors.New("enough")

// watched watches until nothing is new, runs the next step between two looks, and returns the events:
// operations by number and name, gaps as "missed to N".
func watched(w enginetest.World, in read.WatchInput, steps ...func()) []string {
	w.Helper()
	told := []string{}
	in.Wait = func(context.Context) error {
		if len(steps) == 0 {
			return errEnough
		}
		steps[0]()
		steps = steps[1:]
		return nil
	}
	err := w.Engine.Watch(w.Context(), in, func(n read.Watched) error {
		if n.Begun {
			if len(told) > 0 || in.After != nil && n.Entry.Op != *in.After {
				w.Errorf("begun at %d after %q", n.Entry.Op, told)
			}
			return nil
		}
		if n.Missed {
			told = append(told, fmt.Sprintf("missed to %d", n.Entry.Op))
			return nil
		}
		told = append(told, fmt.Sprintf("%d %s", n.Entry.Op, n.Entry.Name))
		return nil
	})
	if !errors.Is(err, errEnough) {
		w.Fatalf("watch: got %v, want the error of Wait", err)
	}
	return told
}

func tells(w enginetest.World, when string, got []string, want ...string) {
	w.Helper()
	if !slices.Equal(got, want) {
		w.Errorf("%s: told\n got %q\nwant %q", when, got, want)
	}
}

func TestAWatcherIsToldWhatIsWritten(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	save := func(title, project string) func() {
		return func() { w.MustSave(remember.SaveInput{Title: title, Content: title + " it is", Project: project}) }
	}
	save("Before", "a")()
	before := w.LastOp()
	var first, second int64
	note := func(to *int64) func() { return func() { *to = w.LastOp() } }
	got := watched(w, read.WatchInput{}, save("One", "a"), note(&first), save("Two", "b"), note(&second), func() {})
	tells(w, "from now on", got, fmt.Sprintf("%d save", first), fmt.Sprintf("%d save", second))
	tells(w, "of one project", watched(w, read.WatchInput{Project: "B", After: new(int64(0))}), fmt.Sprintf("%d save", second))
	tells(w, "again after one", watched(w, read.WatchInput{After: &first}), fmt.Sprintf("%d save", second))
	tells(w, "from the beginning", watched(w, read.WatchInput{After: new(int64(0))}), fmt.Sprintf("%d save", before), fmt.Sprintf("%d save", first), fmt.Sprintf("%d save", second))
	tells(w, "after the newest", watched(w, read.WatchInput{After: &second}))
	tells(w, "a project that nobody knows", watched(w, read.WatchInput{Project: "nobody", After: new(int64(0))}))
}

func TestAWatcherIsToldWhatAnotherProcessWrites(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	other := w.Reopened()
	got := watched(w, read.WatchInput{}, func() {
		other.MustSave(remember.SaveInput{Title: "There", Content: "from over there", Project: "a"})
	}, func() {})
	tells(w, "another process", got, fmt.Sprintf("%d save", w.LastOp()))
}

func TestAWatcherIsToldWhatItMissed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	for i := range 3 {
		w.MustSave(remember.SaveInput{Title: fmt.Sprint("T", i), Content: fmt.Sprint("content ", i), Project: "a"})
	}
	last := w.LastOp()
	got := watched(w, read.WatchInput{After: new(int64(1 << 40))}, func() {
		w.MustSave(remember.SaveInput{Title: "More", Content: "more of it", Project: "a"})
	}, func() {})
	if len(got) != 2 || got[1] != fmt.Sprintf("%d save", w.LastOp()) || got[0] == "" || got[0][:6] != "missed" {
		t.Errorf("a number beyond the journal: got %q, want that something was missed, and what came then; the newest was %d", got, last)
	}
	for i := range read.MaxBehind + 20 {
		if _, err := w.StartSession(t.Context(), remember.SessionInput{ID: fmt.Sprint("s", i), Project: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	got = watched(w, read.WatchInput{After: &last})
	if len(got) != read.MaxBehind+1 || got[0][:6] != "missed" || got[len(got)-1] != fmt.Sprintf("%d session_start", w.LastOp()) {
		t.Errorf("far behind: got %d events from %q to %q, want %d and that some were missed", len(got), got[0], got[len(got)-1], read.MaxBehind+1)
	}
	w.Clock.Add(3 * 24 * time.Hour)
	w.MustSave(remember.SaveInput{Title: "Late", Content: "late it is", Project: "a"})
	late := w.LastOp()
	if _, err := w.CompactJournal(t.Context(), consolidate.CompactInput{Keep: 24 * time.Hour}); err != nil {
		t.Fatal(err)
	}
	tells(w, "the journal was compacted", watched(w, read.WatchInput{After: &last}), fmt.Sprintf("missed to %d", late-1), fmt.Sprintf("%d save", late))
	tells(w, "the journal was compacted up to there", watched(w, read.WatchInput{After: new(late - 1)}), fmt.Sprintf("%d save", late))
}

func TestAWatchEndsWithItsContextAndWithWhoIsTold(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := w.Engine.Watch(ctx, read.WatchInput{Wait: func(ctx context.Context) error { cancel(); return ctx.Err() }}, func(read.Watched) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: got %v", err)
	}
	w.MustSave(remember.SaveInput{Title: "A", Content: "b", Project: "a"})
	err = w.Engine.Watch(t.Context(), read.WatchInput{After: new(int64(0))}, func(read.Watched) error { return errEnough })
	if !errors.Is(err, errEnough) {
		t.Errorf("who is told left: got %v", err)
	}
}
