package engine_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Saving a file again a month later must not duplicate it; an agent that repeats itself after a month has
// learned it again.
func TestWhatIsSavedOnceIsARepeatHoweverOldItIs(t *testing.T) {
	e, clock := enginetest.Open(t, filepath.Join(t.TempDir(), "engram.db"))
	batch := func(once bool) engine.Action {
		t.Helper()
		all, err := e.SaveBatch(t.Context(), []engine.SaveInput{{Title: "Tea", Content: "Tea is at four.", Project: "p", Once: once}})
		if err != nil {
			t.Fatal(err)
		}
		return all[0].Action
	}
	for _, step := range []struct {
		after time.Duration
		once  bool
		want  engine.Action
	}{
		{0, true, engine.ActionInserted},
		{30 * 24 * time.Hour, true, engine.ActionRepeated},
		{30 * 24 * time.Hour, false, engine.ActionInserted},
	} {
		clock.Add(step.after)
		if got := batch(step.once); got != step.want {
			t.Errorf("saved after another %s, once %v: got %s, want %s", step.after, step.once, got, step.want)
		}
	}
}
