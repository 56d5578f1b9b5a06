package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestHintsNameToolsThatAreOffered(t *testing.T) {
	t.Parallel()
	refuse := func() *engram.Error { return engram.Errorf(engram.CodeInvalid, "no") }
	for _, tt := range []struct {
		name, tools, by string
		err             error
		want            string
	}{
		{"a tool that is offered", "all", "mem_save", refuse().WithHint("see {projects list}"), "see mem_stats"},
		{"one that is not", "agent", "mem_save", refuse().WithHint("see {projects list}"), "see engram projects list"},
		{"arguments", "all", "mem_link", refuse().WithHint("{update %d --scope global}", 4), "mem_update id=4 scope=global"},
		{"a name with a space", "all", "mem_update", refuse().WithHint("{projects merge %s --into %s}", "my shop", "b"), `mem_merge_projects from="my shop" to=b`},
		{"a name with braces", "all", "mem_update", refuse().WithHint("{projects merge %s --into b}, not %s", "{log}", "{log}"), "mem_merge_projects from={log} to=b, not {log}"},
		{"the dialect that was called", "all", "memory_get", refuse().WithHint("{graph %d}", 2), "memory_graph id=2"},
		{"the same of another", "all", "mem_link", refuse().WithHint("{graph %d}", 2), "mem_graph id=2"},
		{"another dialect, where one's own has none", "all", "memory_delete", refuse().WithHint("{undo %d} first", 2), "mem_undo op=2 first"},
		{"its own alone is offered", "recall", "forget", refuse().WithHint("find it with {search WORDS}"), "find it with recall"},
		{"a resource", "memory", "memory_", refuse().WithHint("find it with {search WORDS}"), "find it with memory_query"},
		{"what no tool does", "all", "mem_search", refuse().WithHint("{reembed --all} makes it anew"), "engram reembed --all makes it anew"},
		{"no call", "all", "mem_search", refuse().WithHint("from 1 to 9"), "from 1 to 9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New(Options{Engine: enginetest.New(t), Project: "demo", Dir: t.TempDir(), Tools: tt.tools})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.hint(tt.by, tt.err); got != tt.want {
				t.Errorf("%s to a caller of %s, offered %s: got %q, want %q", engram.HintOf(tt.err), tt.by, tt.tools, got, tt.want)
			}
		})
	}
}

// Each call of the table is one of a tool that exists, with arguments that it has.
func TestCallsOfHintsExist(t *testing.T) {
	t.Parallel()
	schemas := map[string]json.RawMessage{}
	for _, known := range dialects(Options{Engine: enginetest.New(t)}) {
		schemas[known.Name] = known.Input()
	}
	for _, i := range calls() {
		words := strings.Fields(i.call)
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(schemas[words[0]], &schema); err != nil {
			t.Errorf("%s is told as %q: there is no such tool", i.command, i.call)
			continue
		}
		for _, w := range words[1:] {
			if name, _, _ := strings.Cut(w, "="); schema.Properties[name] == nil {
				t.Errorf("%s is told as %q: %s has no argument %s", i.command, i.call, words[0], name)
			}
		}
	}
}
