package upkeep

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

func TestListsOfCountsAreNeverNull(t *testing.T) {
	for name, doc := range map[string]any{
		"stats":    statsOf("", engine.StatsOver{}, ""),
		"projects": ProjectsDoc{projectsOf([]engram.ProjectCounts{{}})},
	} {
		out, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "null") && !strings.Contains(line, `_at": null`) && !strings.Contains(line, `"since": null`) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}
