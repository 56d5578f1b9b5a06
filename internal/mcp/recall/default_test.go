package recall_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/mcp/recall"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

func TestTheSchemaTellsTheEnginesDefault(t *testing.T) {
	t.Parallel()
	tools := recall.Tools(tool.Options{})
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name == "recall" })
	var schema struct {
		Properties map[string]struct{ Default any }
	}
	if err := json.Unmarshal(tools[i].Input(), &schema); err != nil {
		t.Fatal(err)
	}
	if got := schema.Properties["min_strength"].Default; got != read.LeastStrength {
		t.Errorf("min_strength: the schema says %v, the engine's default is %v", got, read.LeastStrength)
	}
}
