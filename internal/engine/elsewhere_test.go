package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine"
)

func TestWordsAreFoundBesideTheMemories(t *testing.T) {
	w := newWorld(t)
	w.note("Key", "rotate the heron key")
	for _, content := range []string{"Rotating heron keys, how?", "what is a heron?", "rotate the heron key of staging"} {
		if _, err := w.SavePrompt(t.Context(), engine.PromptInput{Content: content, Project: "demo", SessionID: "s1", NewSession: true}); err != nil {
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
		same(t, tt.name, nums, tt.prompts)
	}
}
