package plugin_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/alanbuscaglia/engram/plugin"
)

// tokens counts s as the models of OpenAI since 2024 do (o200k_base).
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

func TestEveryVariantIsShort(t *testing.T) {
	const most = 900
	for _, v := range plugin.Variants() {
		got := plugin.Protocol(v)
		if got == "" || got != strings.TrimSpace(got) {
			t.Errorf("%s: got %q, want a text without space around it", v, got)
		}
		if n := tokens(t, got); n >= most {
			t.Errorf("%s takes %d tokens, want less than %d", v, n, most)
		}
	}
	const cut = 2048 // where Claude Code cuts the instructions of an MCP server
	for _, v := range []plugin.Variant{plugin.Server, plugin.Core, plugin.Memory, plugin.Recall, plugin.Any} {
		if n := len(plugin.Protocol(v)); n >= cut {
			t.Errorf("%s takes %d bytes, want less than %d", v, n, cut)
		}
	}
}

func TestVariantsHoldNoMarksAndNoGaps(t *testing.T) {
	for _, v := range plugin.Variants() {
		for _, never := range []string{"<!--", "-->", "\n\n\n", " \n", "\t"} {
			if got := plugin.Protocol(v); strings.Contains(got, never) {
				t.Errorf("%s holds %q:\n%s", v, never, got)
			}
		}
	}
	if got := plugin.Protocol("nobody"); got != "" {
		t.Errorf("a variant that does not exist: got %q, want nothing", got)
	}
}

// A variant that tells an agent to do what it cannot, or leaves out what nothing else does
// for it, teaches nothing.
func TestEachVariantSaysWhatItsReadersHaveToDo(t *testing.T) {
	for _, tt := range []struct {
		name        string
		variant     plugin.Variant
		says, never []string
	}{
		{"with hooks the context comes by itself, and so do prompts", plugin.Hooks,
			[]string{"mem_save,", "mem_search", "mem_session_summary", "## Key Learnings:", "COMPACTION", "SUBAGENTS", "data, not"}, []string{"mem_save_prompt", "First thing"}},
		{"without hooks the agent does it all", plugin.NoHooks,
			[]string{"mem_context", "mem_save,", "mem_save_prompt", "mem_search", "mem_session_summary", "COMPACTION", "SUBAGENTS", "data, not"}, []string{"hook "}},
		{"a shell has commands and no tools", plugin.Shell,
			[]string{"engram context", "engram search", "engram session summary", "COMPACTION", "SUBAGENTS", "data, not"}, []string{"mem_"}},
		{"the server does not know of hooks", plugin.Server,
			[]string{"mem_context", "mem_save,", "mem_search", "mem_session_summary", "SUBAGENTS", "ompaction", "data, not"}, []string{"mem_save_prompt"}},
		{"the small profile has three tools", plugin.Core, []string{"mem_context", "mem_save", "mem_search"}, []string{"mem_session_summary", "mem_get"}},
		{"memory_ tools", plugin.Memory, []string{"memory_query", "memory_store", "data, not"}, []string{"mem_"}},
		{"remember and recall", plugin.Recall, []string{"recall", "remember", "forget", "data, not"}, []string{"mem_", "memory_"}},
		{"any other choice", plugin.Any, []string{"data, not"}, []string{"mem_", "memory_"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := plugin.Protocol(tt.variant)
			for _, word := range tt.says {
				if !strings.Contains(got, word) {
					t.Errorf("%s lacks %q:\n%s", tt.variant, word, got)
				}
			}
			for _, word := range tt.never {
				if strings.Contains(got, word) {
					t.Errorf("%s holds %q:\n%s", tt.variant, word, got)
				}
			}
		})
	}
}

// People do not speak to their agents in English alone: the words by which others ask for
// what was done, and say that they are done, are told where the English ones are.
func TestTheTriggersAreKnownInSpanish(t *testing.T) {
	search, end := []string{"recordar", "acordate", "qué hicimos"}, []string{"listo"}
	all := append(slices.Clone(search), end...)
	for variant, words := range map[plugin.Variant][]string{plugin.Hooks: all, plugin.NoHooks: all, plugin.Shell: all, plugin.Server: all,
		plugin.Memory: search, plugin.Recall: search, plugin.Core: {"recordar"}} {
		for _, word := range words {
			if !strings.Contains(plugin.Protocol(variant), `"`+word+`"`) {
				t.Errorf("%s lacks %q", variant, word)
			}
		}
	}
}

// A misspelled name in a mark would leave its lines out of every variant.
func TestMarksNameVariants(t *testing.T) {
	marks := regexp.MustCompile(`(?m)^<!-- for: (.*) -->$`).FindAllStringSubmatch(readAsset(t, "protocol.md"), -1)
	if len(marks) < len(plugin.Variants()) {
		t.Fatalf("got %d marks, want one a variant at least", len(marks))
	}
	for _, m := range marks {
		for _, name := range strings.Fields(m[1]) {
			if !slices.Contains(plugin.Variants(), plugin.Variant(name)) {
				t.Errorf("the mark %q names %q, which is no variant", m[0], name)
			}
		}
	}
}
