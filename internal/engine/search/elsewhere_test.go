package search_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestWordsAreFoundBesideTheMemories(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Key", "rotate the heron key")
	for _, content := range []string{"Rotating heron keys, how?", "what is a heron?", "rotate the heron key of staging"} {
		if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: content, Project: "demo", SessionID: "s1", NewSession: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.DeletePrompt(t.Context(), 3, false); err != nil {
		t.Fatal(err)
	}
	if _, err := w.EndSession(t.Context(), "s1", "The heron's key was rotated"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, query, project string
		prompts              []int64
		sessions             int
	}{
		{"in any form, in what was deleted too", "heron key", "demo", []int64{1, 3}, 1},
		{"one word", "heron", "demo", []int64{1, 2, 3}, 1},
		{"a word that none has", "heron pelican", "demo", nil, 0},
		{"words without meaning", "the of", "demo", nil, 0},
		{"another project", "heron", "other", nil, 0},
	} {
		found, err := w.Elsewhere(t.Context(), tt.query, tt.project)
		var nums []int64
		for _, p := range found.Prompts {
			nums = append(nums, p.Num)
		}
		if err != nil || len(found.Sessions) != tt.sessions {
			t.Errorf("%s: %q in %s: %d sessions, %v; want %d", tt.name, tt.query, tt.project, len(found.Sessions), err, tt.sessions)
		}
		enginetest.Same(t, tt.name, nums, tt.prompts)
	}
}

func TestNothingSaysWhatIsElsewhere(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	told := func(e *engine.Engine, project string) engram.Nothing {
		n, err := e.Nothing(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if got := told(w.Engine, "shop"); got != (engram.Nothing{Project: "shop"}) {
		t.Errorf("of an empty store: %+v", got)
	}
	w.MustSave(remember.SaveInput{Content: "one", Project: "mail"})
	gone := w.MustSave(remember.SaveInput{Content: "another one", Project: "mail"}).Memory.Num
	w.MustSave(remember.SaveInput{Content: "of a person", Project: "mail", Scope: engram.ScopePersonal})
	w.MustSave(remember.SaveInput{Content: "elsewhere", Project: "site"})
	w.MustForget(gone)
	apart := w.As(w.Caller().Without(func() func(string) bool { return func(project string) bool { return project == "mail" } }))
	for _, tt := range []struct {
		name string
		e    *engine.Engine
		want engram.Nothing
	}{
		{"what is forgotten or personal does not count", w.Engine, engram.Nothing{Project: "shop", Others: 2, Stored: true}},
		{"nor what is switched off", apart, engram.Nothing{Project: "shop", Others: 1, Stored: true}},
		{"a project's own", w.Engine, engram.Nothing{Project: "mail", Here: 2, Others: 1, Stored: true}},
		{"everything", w.Engine, engram.Nothing{Here: 3, Stored: true}},
	} {
		if got := told(tt.e, tt.want.Project); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
