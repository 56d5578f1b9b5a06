package app_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// searches counts the searches that the store in a folder knows of.
func searches(t *testing.T, path string) (n int) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(r engram.Reader) error {
		cs, err := r.Counters(t.Context(), engram.CounterQuery{})
		for _, c := range cs {
			if c.Operation == "search" {
				n += c.Events
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A command waits for no disk: it leaves what it counted beside the database.
func TestWhatACommandWasAskedIsTakenInByWhoeverLooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "engram.db")
	for range 2 {
		a := newApp(t, dir)
		for range 3 {
			if _, err := a.Engine.Search(t.Context(), search.SearchInput{Query: "tokens"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := searches(t, path); n != 0 {
		t.Errorf("in the store: got %d searches, want none yet", n)
	}
	info, err := os.Stat(path + "-counts")
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("beside it: got %v, %v, want a file of mode 0600", info, err)
	}
	if err := os.WriteFile(path+"-counts", append([]byte("no counter\n{}\n"), read(t, path+"-counts")...), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(t, dir)
	m, err := a.Engine.Metrics(t.Context(), engineread.MetricsInput{})
	if err != nil || m.Total.Reads != 6 {
		t.Errorf("metrics: got %+v, %v, want 6 reads", m.Total, err)
	}
	if n := searches(t, path); n != 6 {
		t.Errorf("in the store after somebody looked: got %d searches, want 6", n)
	}
	if left, err := filepath.Glob(path + "-counts*"); err != nil || len(left) != 0 {
		t.Errorf("beside it: got %v, %v, want nothing", left, err)
	}
}

func TestMuchThatCommandsLeftIsWrittenDownByTheNext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "engram.db")
	line := `{"Day":"2026-11-21T00:00:00Z","Project":"","Operation":"search","Outcome":"found","Events":1,"Fallbacks":0,"Memories":1,"Tokens":9}` + "\n"
	if err := os.WriteFile(path+"-counts", []byte(strings.Repeat(line, 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(t, dir)
	if _, err := a.Engine.Search(t.Context(), search.SearchInput{Query: "tokens"}); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if n := searches(t, path); n != 1001 {
		t.Errorf("got %d searches, want 1001", n)
	}
}

func TestAServerWritesDownWhatItCountedAtItsEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := newApp(t, dir)
	in, out := io.Pipe()
	done := make(chan error)
	go func() { done <- a.ServeMCP(t.Context(), in, io.Discard, "") }()
	if _, err := a.Engine.Search(t.Context(), search.SearchInput{Query: "tokens"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Close(), <-done, a.Close()); err != nil {
		t.Fatal(err)
	}
	if n := searches(t, filepath.Join(dir, "engram.db")); n != 1 {
		t.Errorf("got %d searches, want one", n)
	}
}

// The name of a project may be private: with the project it is removed from pending counters.
func TestAnErasedProjectLeavesNoNameAmongTheCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "engram.db")
	a := newApp(t, dir)
	save(t, a, "something")
	in := search.SearchInput{Query: "something", Filter: engram.Filter{Project: "p"}}
	if _, err := a.Engine.Search(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(read(t, path+"-counts")), `"Project":"p"`) {
		t.Fatalf("counts: got %s, want one of the project", read(t, path+"-counts"))
	}
	a = newApp(t, dir)
	if _, err := a.Engine.DeleteProject(t.Context(), "p", true); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-counts"); !os.IsNotExist(err) {
		t.Errorf("counts: got %s, want none", read(t, path+"-counts"))
	}
	if n := searches(t, path); n != 1 {
		t.Errorf("got %d searches, want the one still, of no project", n)
	}
}

// While another process holds the counters, their names cannot be taken out: nothing is erased, and the caller may try
// again.
func TestNoProjectIsErasedWhileItsCountsAreHeld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := newApp(t, dir)
	save(t, a, "something")
	counts, err := os.Create(filepath.Join(dir, "engram.db-counts"))
	if err != nil {
		t.Fatal(err)
	}
	if held, err := daemon.TryLock(counts); !held || err != nil {
		t.Fatal(held, err)
	}
	if _, err := a.Engine.DeleteProject(t.Context(), "p", true); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	if err := counts.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err := a.Engine.DeleteProject(t.Context(), "p", true); err != nil || d.Memories != 1 {
		t.Errorf("got %v, %v, want the one memory erased", d, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCountingWaitsForNobody(t *testing.T) {
	dir := t.TempDir()
	a := newApp(t, dir)
	if _, err := a.Engine.Search(t.Context(), search.SearchInput{Query: "tokens"}); err != nil {
		t.Fatal(err)
	}
	other, err := sqlite.Open(t.Context(), sqlite.Options{Path: dir + "/engram.db", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = other.Update(t.Context(), func(engram.Tx) error {
		begun := time.Now()
		if err := a.Close(); err != nil {
			t.Errorf("close while somebody else writes: %v", err)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("close waited %v for who writes", took)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
