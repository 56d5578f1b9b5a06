package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
)

func TestAServerSleepsOnceANight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var slept []string
		fail := true
		ctx, stop := context.WithCancel(t.Context())
		n := nights{at: config.TimeOfDay{Hour: 3}, zone: time.UTC, now: time.Now, log: slog.New(slog.NewTextHandler(&log, nil)),
			sleep: func(_ context.Context, due time.Time) (consolidate.Slept, bool, error) {
				if due.Day() == 2 && fail { // the store was busy, once
					fail = false
					return consolidate.Slept{}, false, errors.New("busy")
				}
				slept = append(slept, due.Format("2 15:04")+" at "+time.Now().UTC().Format("2 15:04"))
				return consolidate.Slept{Memories: 7, Titles: map[int64]string{1: "a word of a memory"}}, true, nil
			}}
		done := make(chan struct{})
		go func() {
			n.run(ctx)
			close(done)
		}()
		time.Sleep(3 * 24 * time.Hour) // from midnight of the first of January 2000 on, as the bubble's clock has it
		stop()
		<-done
		want := []string{"31 03:00 at 1 00:00", "1 03:00 at 1 03:00", "2 03:00 at 2 03:01", "3 03:00 at 3 03:00"}
		if !slices.Equal(slept, want) {
			t.Errorf("in three days it slept\n got %q\nwant %q", slept, want)
		}
		if got := strings.Count(log.String(), "memories were consolidated"); got != len(want) || strings.Contains(log.String(), "a word") {
			t.Errorf("the log has %d lines of sleep, want %d and no word of a memory:\n%s", got, len(want), log.String())
		}
	})
}

func TestANightOfAnotherProcessIsLookedAtUntilItsLeaseIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ctx, stop := context.WithCancel(t.Context())
		n := nights{at: config.TimeOfDay{}, zone: time.UTC, now: time.Now, log: slog.New(slog.DiscardHandler),
			sleep: func(context.Context, time.Time) (consolidate.Slept, bool, error) {
				asked++
				return consolidate.Slept{}, false, nil
			}}
		done := make(chan struct{})
		go func() {
			n.run(ctx)
			close(done)
		}()
		time.Sleep(12 * time.Hour)
		stop()
		<-done
		if asked < 100 || asked > 130 {
			t.Errorf("asked %d times in twelve hours, want once a minute for two hours and then no more", asked)
		}
	})
}

func TestAServerWhoseClockWasAheadSleepsAgainOnceItIsRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ahead atomic.Int64
		ahead.Store(int64(365 * 24 * time.Hour))
		slept := 0
		ctx, stop := context.WithCancel(t.Context())
		n := nights{at: config.TimeOfDay{Hour: 3}, zone: time.UTC, now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }, log: slog.New(slog.DiscardHandler),
			sleep: func(context.Context, time.Time) (consolidate.Slept, bool, error) {
				slept++
				return consolidate.Slept{}, true, nil
			}}
		done := make(chan struct{})
		go func() {
			n.run(ctx)
			close(done)
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		ahead.Store(0)
		time.Sleep(3 * 24 * time.Hour)
		stop()
		<-done
		if slept != 5 {
			t.Errorf("it slept %d times, want once while the clock was ahead, once when it was set, and in each of three nights", slept)
		}
	})
}
