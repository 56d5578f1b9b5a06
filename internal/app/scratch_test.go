package app_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

func TestWhatIsTriedOutStaysApart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	a := newApp(t, t.TempDir())
	mine := save(t, a, "mine, and to be left alone")
	s, err := a.Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	past := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	e := s.Engine(s.Store, func() time.Time { return past })
	r, err := e.Save(t.Context(), remember.SaveInput{Content: "tried out", Project: "p"})
	if err != nil || !r.Memory.CreatedAt.Equal(past) {
		t.Errorf("save on the throw-away store at %v: got %v, %v", past, r.Memory.CreatedAt, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("after Close: got %v, %v in the folder for such things; want nothing", left, err)
	}
	var all []engram.Memory
	err = a.View(t.Context(), func(r engram.Reader) error {
		all, err = r.List(t.Context(), engram.Filter{}, engram.Page{Limit: 10})
		return err
	})
	if err != nil || len(all) != 1 || all[0].ID != mine.ID {
		t.Errorf("the user's memories afterwards: got %v, %v; want %v alone", all, err, mine)
	}
}

func TestWithoutAPlaceNothingIsTriedOut(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if _, err := newApp(t, t.TempDir()).Scratch(t.Context()); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}
