package memory

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestListsInJSONAreNeverNull(t *testing.T) {
	for name, doc := range map[string]any{
		"search":       foundOf("q", "", engram.Found{Hits: []engram.Hit{{}}}),
		"promptsEmpty": promptsOf("", nil, engram.Page{}),
	} {
		out, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "null") && !strings.Contains(line, `_at": null`) && !strings.Contains(line, `_after": null`) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}
