package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

func TestWhatWaitsIsShownWithAllThatWouldComeIn(t *testing.T) {
	for name, r := range map[string]engram.Record{
		"memory": {
			Memory: &engram.MemoryRecord{
				Memory: engram.Memory{Title: "said-1", Content: "said-2", Summary: "said-3", Tags: []string{"said-4"}, ToolName: "said-5",
					Metadata: map[string]any{"said-6": []any{"said-7"}}},
				Revisions: []engram.Revision{{Title: "said-8", Content: "said-9"}},
			},
			Causal: &engram.CausalMetadata{Sets: map[string]engram.Dots{"said-10": {"d": {Added: 1}}}},
		},
		"relation": {Relation: &engram.RelationRecord{Relation: engram.Relation{Reason: "said-1", Evidence: "said-2", Actor: "said-3"}}},
		"session":  {Session: &engram.Session{ID: "said-1", Summary: "said-2", Directory: "said-3"}},
	} {
		want := map[string][]string{"memory": {"said-1\"", "said-2", "said-3", "said-4", "said-5", "said-6", "said-7", "said-8", "said-9", "said-10"},
			"relation": {"said-1", "said-2", "said-3"}, "session": {"said-1", "said-2", "said-3"}}[name]
		b, err := json.Marshal(document.PendingOf(engram.Deferred{Record: r}))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(string(b), text) {
				t.Errorf("%s: %s does not show %q", name, b, text)
			}
		}
	}
}
