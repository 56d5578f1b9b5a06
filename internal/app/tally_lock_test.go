package app

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
)

func newCounts(path string) counting {
	return counting{path: path, tally: exposure.NewTally(time.Now), log: slog.New(slog.DiscardHandler)}
}

func counter(events int) engram.Counter {
	return engram.Counter{Day: time.Now(), Operation: "search", Outcome: engram.OutcomeFound, Tally: engram.Tally{Events: events}}
}

func events(cs []engram.Counter) (n int) {
	for _, c := range cs {
		n += c.Events
	}
	return n
}

// Who collects waits for a command that has the file open, and what that wrote is counted.
func TestWhatACommandIsWritingIsCollectedToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts")
	synctest.Test(t, func(t *testing.T) {
		c := newCounts(path)
		written := make(chan error, 1)
		open := make(chan struct{})
		go func() {
			written <- c.locked(os.O_CREATE, func(f *os.File) error {
				close(open)
				time.Sleep(20 * time.Millisecond) // the other one comes meanwhile
				_, err := f.WriteString(`{"Operation":"search","Outcome":"found","Events":3}` + "\n")
				return err
			})
		}()
		<-open
		if err := errors.Join(c.collect(), <-written); err != nil {
			t.Fatal(err)
		}
		if n := events(c.tally.Take()); n != 3 {
			t.Errorf("got %d events, want the 3 that were being written", n)
		}
	})
}

func TestOfWhatManyCommandsLeaveNothingIsLostOrCountedTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "counts")
	const commands, each = 8, 40
	var leaving, collecting sync.WaitGroup
	failed := 0
	var mu sync.Mutex
	for range commands {
		leaving.Go(func() {
			for range each {
				if err := newCounts(path).leave([]engram.Counter{counter(1)}); err != nil {
					mu.Lock()
					failed++ // it waited too long on a busy machine, and says so
					mu.Unlock()
				}
			}
		})
	}
	done := make(chan struct{})
	servers := []counting{newCounts(path), newCounts(path)}
	for _, s := range servers {
		collecting.Go(func() {
			for {
				_ = s.collect() // it may find the file held; the next one takes it in
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	leaving.Wait()
	close(done)
	collecting.Wait()
	last := newCounts(path)
	if err := last.collect(); err != nil {
		t.Fatal(err)
	}
	n := events(last.tally.Take())
	for _, s := range servers {
		n += events(s.tally.Take())
	}
	if want := commands*each - failed; n != want || failed > commands*each/2 {
		t.Errorf("got %d events of %d commands that left one, %d could not, want %d", n, commands*each, failed, want)
	}
	if left, err := filepath.Glob(path + "*"); err != nil || strings.Contains(strings.Join(left, " "), "counts-") {
		t.Errorf("left: got %v, %v", left, err)
	}
}
