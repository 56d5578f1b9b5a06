package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

func logSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// saveLong saves n memories of a dozen pages each, calling after after each.
func saveLong(t *testing.T, s *sqlite.Store, c *storetest.Corpus, n int, after func()) {
	t.Helper()
	for range n {
		update(t, s, func(tx engram.Tx) error {
			m := c.Memory(now())
			m.Content = strings.Repeat(m.Content, 20)
			return saveOne(t, tx, &m)
		})
		after()
	}
}

func TestTheLogShrinksAfterALongReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	c := storetest.NewCorpus(1)
	makeProjects(t, s, c)
	const usual = 5 << 20 // the limit of 4 MiB plus one transaction
	grown := int64(0)
	view(t, s, func(r engram.Reader) error {
		if _, err := r.Stats(t.Context(), ""); err != nil { // the snapshot starts with the first read
			return err
		}
		began := time.Now()
		saveLong(t, s, c, 300, func() {})
		if d := time.Since(began) / 300; d > 100*time.Millisecond {
			t.Errorf("a save beside the reader took %v: each of them waits for it", d)
		}
		grown = logSize(t, path)
		return nil
	})
	if grown <= 2*usual {
		t.Fatalf("the log grew to %d bytes only: the test does not show anything", grown)
	}
	saveLong(t, s, c, 50, func() {})
	if size := logSize(t, path); size > usual {
		t.Errorf("the log has %d bytes after the reader left (%d while it read), want at most %d", size, grown, usual)
	}
}

// enter starts a View that ends when leave is called.
func enter(t *testing.T, s *sqlite.Store) (leave func() error) {
	reading, over, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.View(t.Context(), func(r engram.Reader) error {
			_, err := r.Stats(t.Context(), "") // the snapshot starts with the first read
			close(reading)
			<-over
			return err
		})
	}()
	<-reading
	return func() error { close(over); return <-done }
}

func TestOverlappingReadersDoNotKeepTheLogGrowing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	c := storetest.NewCorpus(1)
	makeProjects(t, s, c)
	stop, ended := make(chan struct{}), make(chan error, 1)
	leave := enter(t, s)
	go func() {
		for {
			select {
			case <-stop:
				ended <- leave()
				return
			case <-time.After(2 * time.Millisecond):
			}
			// The next starts before the last one ends, so there is always a reader.
			next := enter(t, s)
			if err := leave(); err != nil {
				t.Error(err)
			}
			leave = next
		}
	}()
	longest := int64(0)
	saveLong(t, s, c, 400, func() { longest = max(longest, logSize(t, path)) })
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	const most = 24 << 20 // allows for one failed attempt
	if longest > most {
		t.Errorf("the log grew to %d bytes, want at most %d", longest, most)
	}
}
