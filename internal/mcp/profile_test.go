package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/plugin"
)

// tokens counts s as the models of OpenAI since 2024 do (o200k_base), which is near to what
// others count.
func tokens(t *testing.T, s string) int {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// definitionTokens is what the tools of a profile cost a model in each session: the tools
// of tools/list as they are sent.
func definitionTokens(t *testing.T, tools string) int {
	t.Helper()
	var a struct {
		Result struct{ Tools json.RawMessage }
	}
	if err := json.Unmarshal(listing(t, tools), &a); err != nil {
		t.Fatal(err)
	}
	return tokens(t, string(a.Result.Tools))
}

// protocol is what servers tell models.
func protocol() mcp.Instructions {
	return mcp.Instructions{Agent: plugin.Protocol(plugin.Server), Core: plugin.Protocol(plugin.Core), Memory: plugin.Protocol(plugin.Memory),
		Recall: plugin.Protocol(plugin.Recall), Any: plugin.Protocol(plugin.Any)}
}

// instructionsOf is what a client is told to tell its model.
func instructionsOf(t *testing.T, tools string) string {
	t.Helper()
	s, err := mcp.New(mcp.Options{Tools: tools, Instructions: protocol()})
	if err != nil {
		t.Fatal(err)
	}
	var a struct{ Result struct{ Instructions string } }
	if err := json.Unmarshal(converse(t, s, hello)[0], &a); err != nil {
		t.Fatal(err)
	}
	return a.Result.Instructions
}

// The table of what each profile costs stands in docs/mcp.md between two marks.
func TestWhatEachProfileCostsIsInTheDocs(t *testing.T) {
	const file, begins, ends = "../../docs/mcp.md", "<!-- tokens -->\n", "<!-- /tokens -->\n"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begins)
	had, after, closed := strings.Cut(rest, ends)
	if !found || !closed {
		t.Fatalf("%s has no place for the table: %q … %q", file, begins, ends)
	}
	table := "| profile | tools | definitions | instructions |\n|---|--:|--:|--:|\n"
	for _, profile := range mcp.Profiles() {
		table += fmt.Sprintf("| `%s` | %d | %d | %d |\n", profile, len(toolsOf(t, listing(t, profile))),
			definitionTokens(t, profile), tokens(t, instructionsOf(t, profile)))
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begins+table+ends+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if had != table {
		t.Errorf("%s is not up to date (rewrite with -update)\n%s", file, firstDifference(table, had))
	}
}

// Instructions do not name tools that are not offered.
func TestInstructionsNameOnlyToolsThatAreOffered(t *testing.T) {
	t.Parallel()
	all := names(toolsOf(t, listing(t, "all")))
	for _, tools := range append(mcp.Profiles(), "mem_stats", "core,recall", "memory,mem_save", "remember,mem_search",
		"mem_save,mem_search,mem_session_summary", "mem_save,mem_search,mem_context", "memory_store,memory_query") {
		offered := names(toolsOf(t, listing(t, tools)))
		got := instructionsOf(t, tools)
		if got == "" || strings.Contains(got, "\n\n\n") {
			t.Errorf("%s: the instructions are %q", tools, got)
		}
		for _, word := range strings.FieldsFunc(got, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
			known := slices.Contains(all, word) && strings.Contains(word, "_")
			if known && !slices.Contains(offered, word) {
				t.Errorf("%s: the instructions name %s, which is not offered", tools, word)
			}
		}
	}
	for tools, lines := range map[string]int{"core": 3, "recall": 4, "memory": 4, "mem_stats": 2} {
		if got := instructionsOf(t, tools); strings.Count(got, "\n")+1 != lines {
			t.Errorf("%s: want %d lines\n%s", tools, lines, got)
		}
	}
}

// What stands in skills and rules is for agents that were set up with the usual profile.
func TestTheProtocolNamesOnlyToolsOfTheAgentProfile(t *testing.T) {
	t.Parallel()
	all, offered := names(toolsOf(t, listing(t, "all"))), names(toolsOf(t, listing(t, "agent")))
	for _, v := range []plugin.Variant{plugin.Hooks, plugin.NoHooks, plugin.Shell, plugin.Server} {
		for _, word := range strings.FieldsFunc(plugin.Protocol(v), func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
			named := strings.HasPrefix(word, "mem_") || strings.HasPrefix(word, "memory_") || slices.Contains(all, word) && strings.Contains(word, "_")
			if named && !slices.Contains(offered, word) {
				t.Errorf("%s names %s, which the agent profile has not", v, word)
			}
		}
	}
}

// A small model gets short sentences, an example, when not to call, and few arguments; what
// else the tool takes, it takes from it too.
func TestTheCoreProfileIsForSmallModels(t *testing.T) {
	t.Parallel()
	args := map[string][]string{"mem_context": nil, "mem_save": {"content", "title", "type"}, "mem_search": {"query"}}
	for _, tool := range toolsOf(t, listing(t, "core")) {
		var in struct {
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal(tool.InputSchema, &in); err != nil {
			t.Fatal(err)
		}
		var got []string
		for name, p := range in.Properties {
			got = append(got, name)
			if p.Description == "" {
				t.Errorf("%s: %s is not explained", tool.Name, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, args[tool.Name]) {
			t.Errorf("%s shows %v, want %v", tool.Name, got, args[tool.Name])
		}
		wordy := func(sentence string) bool { return len(strings.Fields(sentence)) > 26 }
		text, example, _ := strings.Cut(tool.Description, "Example: ")
		if !strings.Contains(text, "Call it ") || !strings.Contains(text, "Do not ") || slices.ContainsFunc(strings.Split(text, ". "), wordy) {
			t.Errorf("%s: want when to call, when not, in sentences of 26 words at most\n%s", tool.Name, text)
		}
		var given map[string]string
		if err := json.Unmarshal([]byte(example), &given); err != nil {
			t.Errorf("%s: the example is no arguments: %s", tool.Name, example)
		}
		for name := range given {
			if !slices.Contains(got, name) {
				t.Errorf("%s: the example gives %s, which is not shown", tool.Name, name)
			}
		}
	}
	for _, tools := range []string{"core,agent", "core,mem_save", "all"} {
		for _, tool := range toolsOf(t, listing(t, tools)) {
			if tool.Name == "mem_save" && !strings.Contains(string(tool.InputSchema), "topic_key") {
				t.Errorf("--tools=%s: mem_save is told as to a small model, though not for it alone\n%s", tools, tool.InputSchema)
			}
		}
	}
}

// A profile of the mem_* dialect limits what a model reads; plugins and scripts may call the other tools of the
// dialect. A selection of single tools, or of another dialect, is exact.
func TestEveryToolOfTheDialectIsTakenInEachOfItsProfiles(t *testing.T) {
	t.Parallel()
	dialect := names(toolsOf(t, listing(t, "mem")))
	if len(dialect) < 20 {
		t.Fatalf("the dialect has %v", dialect)
	}
	for tools, taken := range map[string]bool{"": true, "agent": true, "core": true, "admin": true, "mem": true, "all": true, "core,mem_stats": true, "recall,core": true,
		"recall": false, "memory": false, "mem_stats": false, "mem_save,mem_search": false} {
		s, err := mcp.New(mcp.Options{Engine: enginetest.New(t), Tools: tools, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		listed := names(toolsOf(t, listing(t, tools)))
		for _, name := range dialect {
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":{}}}`+"\n", name)
			lines := converse(t, s, hello+call)
			var a struct {
				Result *struct{ Content []any }
				Error  *struct{ Code int }
			}
			if err := json.Unmarshal(lines[len(lines)-1], &a); err != nil {
				t.Fatal(err)
			}
			if taken || slices.Contains(listed, name) {
				if a.Result == nil || len(a.Result.Content) == 0 {
					t.Errorf("--tools=%s: %s is not taken: %s", tools, name, lines[len(lines)-1])
				}
			} else if a.Error == nil || a.Error.Code != -32602 {
				t.Errorf("--tools=%s: %s is taken, and nobody chose it: %s", tools, name, lines[len(lines)-1])
			}
		}
	}
}
