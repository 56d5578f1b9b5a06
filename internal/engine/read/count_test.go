package read_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// TestCountIsTheLengthOfTheWholeList compares the two for filters of every kind.
func TestCountIsTheLengthOfTheWholeList(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s1", "demo")
	begin := w.Clock.Now()
	for i, in := range []remember.SaveInput{
		{Title: "Kettle", Content: "It whistles.", Type: engram.TypeDecision, Tags: []string{"tea"}},
		{Title: "Ledger", Content: "Rows are signed.", SessionID: "s1", Permanent: true},
		{Title: "Harbour", Content: "Ships wait.", Scope: engram.ScopePersonal, TopicKey: "sea/harbour"},
		{Title: "Forgotten", Content: "It goes."},
		{Title: "Elsewhere", Content: "Another project's.", Project: "other"},
	} {
		w.Clock.Add(time.Hour)
		if in.Project == "" {
			in.Project = "demo"
		}
		if num := w.MustSave(in).Memory.Num; i == 3 {
			if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		filter engram.Filter
		want   int
	}{
		{"everything live", engram.Filter{}, 4},
		{"a project, however it is written", engram.Filter{Project: " DEMO "}, 3},
		{"a type", engram.Filter{Types: []engram.Type{engram.TypeDecision}}, 1},
		{"a tag", engram.Filter{Tags: []string{"tea"}}, 1},
		{"a scope", engram.Filter{Scope: engram.ScopePersonal}, 1},
		{"a topic", engram.Filter{Topic: "sea/harbour"}, 1},
		{"a session", engram.Filter{SessionID: "s1"}, 3},
		{"since a time", engram.Filter{Since: begin.Add(150 * time.Minute)}, 2},
		{"until a time", engram.Filter{Until: begin.Add(150 * time.Minute)}, 2},
		{"an unknown project", engram.Filter{Project: "nowhere"}, 0},
		{"the forgotten, too", engram.Filter{WithForgotten: true}, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := w.Count(t.Context(), tt.filter)
			if err != nil || got != tt.want {
				t.Errorf("counted %d, %v; want %d", got, err, tt.want)
			}
			if listed := len(w.MustList(tt.filter)); listed != got {
				t.Errorf("counted %d, listed %d", got, listed)
			}
		})
	}
	if _, err := w.Count(t.Context(), engram.Filter{Since: begin, Until: begin}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("an empty time: %v, want %s", err, engram.CodeInvalid)
	}
}

func TestWhatSessionsWereShownIsSummedUp(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, id := range []string{"s1", "s2", "idle"} {
		w.MustSession(id, "demo")
	}
	num := w.MustSave(remember.SaveInput{Title: "Kettle", Content: "The kettle whistles.", Project: "demo"}).Memory.Num
	for _, q := range []string{"kettle", "whistles"} {
		if _, err := w.SearchIn(t.Context(), "s1", search.SearchInput{Query: q}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Add(time.Minute)
	}
	for _, id := range []string{"s1", "s2"} {
		if _, err := w.GetIn(t.Context(), id, engram.ByNum(num)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := w.ShownTo(t.Context(), []string{"s1", "s2", "idle", "unknown"})
	if err != nil || len(all) != 2 {
		t.Fatalf("got %+v, %v; want s1 and s2", all, err)
	}
	for id, query := range map[string]string{"s1": "whistles", "s2": ""} {
		why, err := w.Why(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		last := why.Exposures[len(why.Exposures)-1]
		if got := all[id]; got.Times != len(why.Exposures) || got.Tokens != why.Tokens || got.Tokens == 0 || got.Query != query || !got.Last.Equal(last.At) {
			t.Errorf("%s: got %+v, want the sum of %+v with the question %q", id, got, why, query)
		}
	}
}
