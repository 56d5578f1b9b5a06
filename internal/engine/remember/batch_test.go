package remember_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Saving a file again a month later must not duplicate it; an agent that repeats itself after a month has
// learned it again.
func TestWhatIsSavedOnceIsARepeatHoweverOldItIs(t *testing.T) {
	t.Parallel()
	e, clock := enginetest.Open(t, filepath.Join(t.TempDir(), "engram.db"))
	batch := func(once bool) ledger.Action {
		t.Helper()
		all, err := e.SaveBatch(t.Context(), []remember.SaveInput{{Title: "Tea", Content: "Tea is at four.", Project: "p", Once: once}})
		if err != nil {
			t.Fatal(err)
		}
		return all[0].Action
	}
	for _, step := range []struct {
		after time.Duration
		once  bool
		want  ledger.Action
	}{
		{0, true, ledger.ActionInserted},
		{30 * 24 * time.Hour, true, ledger.ActionRepeated},
		{30 * 24 * time.Hour, false, ledger.ActionInserted},
	} {
		clock.Add(step.after)
		if got := batch(step.once); got != step.want {
			t.Errorf("saved after another %s, once %v: got %s, want %s", step.after, step.once, got, step.want)
		}
	}
}
