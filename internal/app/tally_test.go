package app_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
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
			if c.Verb == "search" {
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

func TestWhatWasAskedIsCountedWhenTheProcessEnds(t *testing.T) {
	dir := t.TempDir()
	a := newApp(t, dir)
	for range 3 {
		if _, err := a.Engine.Search(t.Context(), engine.SearchInput{Query: "tokens"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := searches(t, dir+"/engram.db"); n != 0 {
		t.Errorf("before the end: got %d searches, want none: a search waits for no disk", n)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if n := searches(t, dir+"/engram.db"); n != 3 {
		t.Errorf("after the end: got %d searches, want 3", n)
	}
}

func TestCountingWaitsForNobody(t *testing.T) {
	dir := t.TempDir()
	a := newApp(t, dir)
	if _, err := a.Engine.Search(t.Context(), engine.SearchInput{Query: "tokens"}); err != nil {
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
