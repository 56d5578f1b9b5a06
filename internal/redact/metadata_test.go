package redact_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/alanbuscaglia/engram/internal/redact"
)

func TestMetadata(t *testing.T) {
	for _, tt := range []struct {
		name     string
		in, want map[string]any
	}{
		{"nothing stays nothing", nil, nil},
		{"an empty object stays one", map[string]any{}, map[string]any{}},
		{"numbers, truth and null pass", map[string]any{"n": 1.5, "b": true, "z": nil}, map[string]any{"n": 1.5, "b": true, "z": nil}},
		{"texts are cleaned", map[string]any{"k": "a <private>x</private>"}, map[string]any{"k": "a [REDACTED]"}},
		{"keys are cleaned", map[string]any{"<private>x</private>": 1}, map[string]any{"[REDACTED]": 1}},
		{"depth does not matter",
			map[string]any{"a": []any{map[string]any{"b<private>x": []any{"<private>y"}}}},
			map[string]any{"a": []any{map[string]any{"b[REDACTED]": []any{"[REDACTED]"}}}}},
		{"lists and maps of texts are cleaned",
			map[string]any{"l": []string{"<private>x"}, "m": map[string]string{"k": "<private>x"}},
			map[string]any{"l": []string{"[REDACTED]"}, "m": map[string]any{"k": "[REDACTED]"}}},
		{"other kinds are cleaned by way of JSON",
			map[string]any{"r": json.RawMessage(`["<private>x</private>"]`), "s": struct{ K string }{"<private>x"}},
			map[string]any{"r": []any{"[REDACTED]"}, "s": map[string]any{"K": "[REDACTED]"}}},
		{"what has no JSON is hidden", map[string]any{"f": func() {}}, map[string]any{"f": "[REDACTED]"}},
		{"keys that become equal lose nothing",
			map[string]any{"<private>a": 1, "<private>b": 2, "<private>c": 3},
			map[string]any{"[REDACTED]": 1, "[REDACTED] 2": 2, "[REDACTED] 3": 3}},
		{"a key that was there first keeps its name",
			map[string]any{"[REDACTED]": 0, "<private>a": 1},
			map[string]any{"[REDACTED]": 0, "[REDACTED]'": 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := redact.Metadata(tt.in); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Metadata(%v)\n got %v\nwant %v", tt.in, got, tt.want)
			}
		})
	}
}

func TestMetadataLeavesItsInputAlone(t *testing.T) {
	in := map[string]any{"l": []any{"<private>x"}, "s": []string{"<private>x"}}
	out := redact.Metadata(in)
	if in["l"].([]any)[0] != "<private>x" || in["s"].([]string)[0] != "<private>x" {
		t.Errorf("the input became %v", in)
	}
	out["l"].([]any)[0] = "changed"
	if in["l"].([]any)[0] != "<private>x" {
		t.Errorf("a change of the result reached the input: %v", in)
	}
}
