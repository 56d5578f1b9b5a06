package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// listing is the raw tools/list answer for a choice of tools, as a client reads it.
func listing(t *testing.T, tools string) []byte {
	t.Helper()
	s, err := mcp.New(mcp.Options{Tools: tools, Instructions: protocol()})
	if err != nil {
		t.Fatalf("tools %q: %v", tools, err)
	}
	lines := converse(t, s, hello+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
	return lines[len(lines)-1]
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// converse sends everything at once and returns the lines of the answer.
func converse(t *testing.T, s *mcp.Server, in string) [][]byte {
	t.Helper()
	return converseFrom(t, s, strings.NewReader(in))
}

func converseFrom(t *testing.T, s *mcp.Server, in io.Reader) [][]byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), in, &out); err != nil {
		t.Fatalf("ServeStdio: %v", err)
	}
	return bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
}

type listed struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	Annotations               map[string]any
	DeferLoading              *bool `json:"defer_loading"`
}

func toolsOf(t *testing.T, answer []byte) []listed {
	t.Helper()
	var a struct{ Result struct{ Tools []listed } }
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return a.Result.Tools
}

func names(tools []listed) []string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return all
}

// The lists are the public contract: what changes here, every agent sees.
func TestListOfEachProfile(t *testing.T) {
	for _, profile := range mcp.Profiles() {
		t.Run(profile, func(t *testing.T) {
			var got bytes.Buffer
			if err := json.Indent(&got, listing(t, profile), "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			file := filepath.Join("testdata", "list", profile+".json")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("tools/list of %s differs from %s (rewrite with -update)\n%s", profile, file, firstDifference(got.String(), string(want)))
			}
		})
	}
}

func TestDefaultProfileIsAgentAndSmall(t *testing.T) {
	t.Parallel()
	got := listing(t, "")
	if !bytes.Equal(got, listing(t, "agent")) {
		t.Error("without a choice the list is not the agent profile's")
	}
	const most = 3000
	if tokens := definitionTokens(t, ""); tokens >= most {
		t.Errorf("the definitions take %d tokens, want less than %d", tokens, most)
	}
	if !bytes.Equal(got, listing(t, "")) {
		t.Error("the list is not the same each time")
	}
}

func TestInstructionsAreShortAndFindable(t *testing.T) {
	t.Parallel()
	got := instructionsOf(t, "")
	if n := tokens(t, got); n >= 700 {
		t.Errorf("the instructions take %d tokens, want less than 700", n)
	}
	for _, word := range []string{"memory", "remember", "recall", "past decisions", "previous session", "bugs", "mem_save", "mem_search",
		"mem_context", "mem_session_summary"} {
		if !strings.Contains(strings.ToLower(got), word) {
			t.Errorf("the instructions lack %q, by which a model would look for them", word)
		}
	}
}

func TestSelectionOfTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tools string
		want        []string
	}{
		{"a tool by name", "mem_stats", []string{"mem_stats"}},
		{"a profile and a tool", "core, mem_stats", []string{"mem_context", "mem_save", "mem_search", "mem_stats"}},
		{"what is named twice comes once", "core,core,mem_save", []string{"mem_context", "mem_save", "mem_search"}},
		{"a tool by the name of a profile is the profile", "recall", []string{"forget", "recall", "remember"}},
		{"case and commas do not matter", ",CORE,,", []string{"mem_context", "mem_save", "mem_search"}},
		{"admin", "admin", []string{"mem_conflicts", "mem_decay", "mem_delete", "mem_diagnostics", "mem_graph", "mem_history", "mem_link", "mem_log", "mem_merge_projects",
			"mem_pin", "mem_sleep", "mem_stats", "mem_timeline", "mem_undo", "mem_unlink", "mem_unpin"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := names(toolsOf(t, listing(t, tt.tools))); !slices.Equal(got, tt.want) {
				t.Errorf("--tools=%s: got %v, want %v", tt.tools, got, tt.want)
			}
		})
	}
}

func TestUnknownToolNamesTheNearest(t *testing.T) {
	t.Parallel()
	for tools, near := range map[string]string{"mem_serch": "mem_search", "agnt": "agent", "core,mem_stat": "mem_stats", "memry": "memory"} {
		_, err := mcp.New(mcp.Options{Tools: tools})
		if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(engram.HintOf(err), "did you mean "+near+"?") {
			t.Errorf("--tools=%s: got %v (%s), want invalid and a hint at %s", tools, err, engram.HintOf(err), near)
		}
	}
}

// Unattended agents refuse a tool that may destroy, or that does not state that it does not.
func TestEveryToolStatesItsEffect(t *testing.T) {
	t.Parallel()
	readers := []string{"mem_context", "mem_current_project", "mem_decay", "mem_diagnostics", "mem_doctor", "mem_get_observation", "mem_graph", "mem_log", "mem_search", "mem_stats", "mem_suggest_topic_key", "mem_timeline",
		"memory_export", "memory_graph", "memory_query", "memory_stats", "recall"}
	destroyers := []string{"forget", "mem_delete", "memory_delete", "memory_delete_batch", "memory_import"}
	for _, tool := range toolsOf(t, listing(t, "all")) {
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint].(bool); !ok {
				t.Errorf("%s does not state %s", tool.Name, hint)
			}
		}
		if tool.Annotations["openWorldHint"] != false {
			t.Errorf("%s: openWorldHint is not false", tool.Name)
		}
		if got, want := tool.Annotations["destructiveHint"], slices.Contains(destroyers, tool.Name); got != want {
			t.Errorf("%s: destructiveHint is %v, want %v", tool.Name, got, want)
		}
		if got, want := tool.Annotations["readOnlyHint"], slices.Contains(readers, tool.Name); got != want {
			t.Errorf("%s: readOnlyHint is %v, want %v", tool.Name, got, want)
		}
		if tool.Title == "" || tool.Annotations["title"] != tool.Title || tool.Description == "" {
			t.Errorf("%s lacks a title or a description: %q, %q", tool.Name, tool.Title, tool.Description)
		}
	}
}

func TestRarelyUsedToolsAreDeferred(t *testing.T) {
	t.Parallel()
	eager := []string{"mem_compare", "mem_context", "mem_current_project", "mem_get_observation", "mem_judge", "mem_save", "mem_save_prompt",
		"mem_search", "mem_session_summary", "memory_link", "memory_query", "memory_store", "memory_update", "forget", "recall", "remember"}
	for _, tool := range toolsOf(t, listing(t, "all")) {
		deferred := tool.DeferLoading != nil && *tool.DeferLoading
		if deferred == slices.Contains(eager, tool.Name) {
			t.Errorf("%s: defer_loading is %v", tool.Name, deferred)
		}
	}
}

// Every value in a schema has a type, every schema is one that a client can compile,
// and none forbids what it does not know.
func TestSchemasCompile(t *testing.T) {
	t.Parallel()
	for _, tool := range toolsOf(t, listing(t, "all")) {
		for kind, raw := range map[string]json.RawMessage{"input": tool.InputSchema, "output": tool.OutputSchema} {
			var s jsonschema.Schema
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatalf("%s, %s: %v", tool.Name, kind, err)
			}
			if _, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
				t.Errorf("%s, %s: %v", tool.Name, kind, err)
			}
			if s.Type != "object" || s.AdditionalProperties != nil {
				t.Errorf("%s, %s: got type %q, additional properties %v, want an open object", tool.Name, kind, s.Type, s.AdditionalProperties)
			}
			if kind == "output" && len(s.Required) > 0 {
				t.Errorf("%s: its errors have another shape, so its output cannot require %v", tool.Name, s.Required)
			}
			for name, p := range s.Properties {
				if p.Type == "" {
					t.Errorf("%s, %s: %s has no type", tool.Name, kind, name)
				}
			}
		}
	}
}
