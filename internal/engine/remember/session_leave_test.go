package remember_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A session without activity is deleted; any other ends.
func TestAnEmptySessionGoesWhenItIsLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(w enginetest.World)
		goes bool
	}{
		{"nothing", func(enginetest.World) {}, true},
		{"it was told its brief", func(w enginetest.World) {
			if b, err := w.Brief(t.Context(), brief.SessionBriefInput{Project: "demo", SessionID: "s1"}); err != nil || len(b.Memories) == 0 {
				t.Errorf("brief %+v, %v", b, err)
			}
		}, true},
		{"it saved", func(w enginetest.World) { w.MustSave(remember.SaveInput{Content: "c", SessionID: "s1"}) }, false},
		{"what it saved was forgotten", func(w enginetest.World) {
			num := w.MustSave(remember.SaveInput{Content: "c", SessionID: "s1"}).Memory.Num
			if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
				t.Error(err)
			}
		}, false},
		{"it asked", func(w enginetest.World) {
			w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("tokens"), SessionID: "s1"})
		}, false},
		{"it was asked", func(w enginetest.World) {
			if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: "why?", SessionID: "s1", Project: "demo"}); err != nil {
				t.Error(err)
			}
		}, false},
		{"it has a summary", func(w enginetest.World) {
			if _, err := w.EndSession(t.Context(), "s1", "done"); err != nil {
				t.Error(err)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.Note("Tokens", "Tokens live in cookies.")
			w.MustSession("s1", "demo")
			tt.do(w)
			for range 2 {
				if err := w.LeaveSession(t.Context(), "s1", time.Time{}); err != nil {
					t.Fatal(err)
				}
			}
			s, err := w.Session(t.Context(), "s1")
			if tt.goes != (engram.CodeOf(err) == engram.CodeNotFound) || !tt.goes && s.EndedAt.IsZero() {
				t.Errorf("got %+v, %v; want it gone: %v", s, err, tt.goes)
			}
			w.MustSession("s1", "demo") // somebody comes back
			w.MustSave(remember.SaveInput{Content: "back", SessionID: "s1"})
			if s, err := w.Session(t.Context(), "s1"); err != nil || s.Project != "demo" {
				t.Errorf("back: %+v, %v", s, err)
			}
		})
	}
}
