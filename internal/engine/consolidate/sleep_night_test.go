package consolidate_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func night(w enginetest.World, due time.Time) bool {
	w.Helper()
	_, slept, err := w.SleepNight(w.Context(), due)
	if err != nil {
		w.Fatalf("night of %v: %v", due, err)
	}
	return slept
}

func TestOneOfSeveralProcessesSleepsAtNight(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	due := time.Date(2026, 6, 12, 3, 0, 0, 0, time.UTC)
	if night(w, due) {
		t.Error("the first night that anybody asks for was slept at once, want that it counts as slept")
	}
	if v := w.Reopened(); night(v, due) {
		t.Error("another process slept the first night, want not")
	}
	w.Clock.Add(enginetest.Day)
	next := due.Add(enginetest.Day)
	var slept [4]bool
	var all sync.WaitGroup
	for i := range slept {
		v := w.Reopened()
		all.Go(func() {
			var err error
			if _, slept[i], err = v.SleepNight(context.Background(), next); err != nil {
				t.Errorf("night: %v", err)
			}
		})
	}
	all.Wait()
	n := 0
	for _, did := range slept {
		if did {
			n++
		}
	}
	if n != 1 {
		t.Errorf("of four processes %v slept, want one", slept)
	}
	if night(w, next) || night(w, due) {
		t.Error("a night that was slept, or an older one, was slept again")
	}
	if !night(w, next.Add(3*enginetest.Day)) {
		t.Error("a night after some that nobody was there for was not slept")
	}
}

func TestANightThatWasBegunAndNotEndedIsSleptByAnother(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	due := time.Date(2026, 6, 12, 3, 0, 0, 0, time.UTC)
	night(w, due)
	due = due.Add(enginetest.Day)
	w.Note("Coffee", "The machine on the second floor wants to be cleaned every Friday afternoon.")
	ctx, stop := context.WithCancel(t.Context())
	dying := engine.New(engine.Options{Store: stopping{w.Store, stop}, Now: w.Clock.Now, NewID: func() engram.ID { return "mem_x" }})
	if _, slept, err := dying.SleepNight(ctx, due); err == nil || slept {
		t.Fatalf("a process that was stopped slept: %v, %v", slept, err)
	}
	if night(w, due) {
		t.Error("slept although another has begun it a moment ago")
	}
	w.Clock.Add(2 * time.Hour)
	if !night(w, due) {
		t.Error("not slept although who began it ended hours ago without")
	}
}

// stopping is a store whose process stops after a write.
type stopping struct {
	engram.Store
	stop func()
}

func (s stopping) Update(ctx context.Context, fn func(engram.Tx) error) error {
	defer s.stop()
	return s.Store.Update(ctx, fn)
}

func TestANightOfAClockThatWasAheadKeepsNobodyFromSleeping(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	night(w, w.Clock.Now())
	w.Clock.Add(365 * enginetest.Day)
	if !night(w, w.Clock.Now()) {
		t.Fatal("a night of a clock that is ahead was not slept")
	}
	w.Clock.Add(-365 * enginetest.Day) // somebody set it
	var slept []bool
	for range 3 {
		w.Clock.Add(enginetest.Day)
		slept = append(slept, night(w, w.Clock.Now()))
	}
	if want := []bool{false, true, true}; !slices.Equal(slept, want) {
		t.Errorf("the nights afterwards were slept: %v, want %v: the first counts as slept, as in a new store", slept, want)
	}
}
