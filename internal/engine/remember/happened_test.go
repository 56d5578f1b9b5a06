package remember_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A past time of an event is kept; a future one becomes now.
func TestWhatHappenedIsDatedWhenItHappened(t *testing.T) {
	t.Parallel()
	start := enginetest.Start()
	for _, tt := range []struct {
		name string
		at   time.Time
		now  bool // it is dated when it is written
	}{
		{"an hour ago", start.Add(-time.Hour), false},
		{"nobody says when", time.Time{}, true},
		{"tomorrow", start.Add(24 * time.Hour), true},
		{"a time that no year has", time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := enginetest.New(t)
			res, err := e.Save(t.Context(), remember.SaveInput{Content: "The cart rounds each line", Project: "shop", SessionID: "s1", NewSession: true, TopicKey: "cart/rounds", At: tt.at})
			if err != nil {
				t.Fatal(err)
			}
			learned, err := e.Capture(t.Context(), remember.CaptureInput{Content: "## Key Learnings:\n1. The till opens its drawer with a pulse of 200 ms, and no longer\n",
				Project: "shop", SessionID: "s2", NewSession: true, At: tt.at})
			if err != nil || len(learned.Memories) != 1 {
				t.Fatalf("%+v, %v", learned, err)
			}
			if err := e.CloseSession(t.Context(), "s2", tt.at); err != nil {
				t.Fatal(err)
			}
			times := map[string]time.Time{"saved": res.Memory.CreatedAt, "learned": learned.Memories[0].CreatedAt}
			for _, id := range []string{"s1", "s2"} {
				s, err := e.Session(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				if times[id+" began"] = s.StartedAt; id == "s2" {
					times["s2 ended"] = s.EndedAt
				}
			}
			for what, got := range times {
				if was := got.Equal(tt.at); was == tt.now || tt.now && got.Before(start) {
					t.Errorf("at %v: %s %v", tt.at, what, got)
				}
			}
		})
	}
}

func TestARevisionIsDatedWhenItWasLearnedAndNeverBack(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	start := enginetest.Start()
	save := func(content string, at time.Time) engram.Memory {
		t.Helper()
		res, err := e.Save(t.Context(), remember.SaveInput{Content: content, Project: "shop", TopicKey: "cart/rounds", At: at})
		if err != nil {
			t.Fatal(err)
		}
		return res.Memory
	}
	first := save("The cart rounds each line", start.Add(-3*time.Hour))
	second := save("The cart rounds the sum", start.Add(-time.Hour))
	third := save("The cart rounds nothing", start.Add(-2*time.Hour))
	if !second.CreatedAt.Equal(first.CreatedAt) || !second.UpdatedAt.Equal(start.Add(-time.Hour)) || !third.UpdatedAt.Equal(second.UpdatedAt) || third.RevisionCount != 3 {
		t.Errorf("created %v, %v; updated %v, then %v", first.CreatedAt, second.CreatedAt, second.UpdatedAt, third.UpdatedAt)
	}
}

func TestASessionEndsNoEarlierThanItBegan(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	s, err := e.StartSession(t.Context(), remember.SessionInput{ID: "s1", Project: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.CloseSession(t.Context(), "s1", s.StartedAt.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if s, err = e.Session(t.Context(), "s1"); err != nil || !s.EndedAt.Equal(s.StartedAt) {
		t.Errorf("from %v to %v, %v", s.StartedAt, s.EndedAt, err)
	}
}
