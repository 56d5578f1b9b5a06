package hook_test

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/hook/dialect"
	"github.com/alanbuscaglia/engram/plugin"
)

// readAsset reads a file that is installed into an agent.
func readAsset(t *testing.T, agent, name string) string {
	t.Helper()
	files, err := plugin.Files(agent)
	if err != nil {
		t.Fatal(err)
	}
	b, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// claudeHooks is hooks/hooks.json of Claude Code.
type claudeHooks struct{ Hooks map[string][]claudeGroup }

type claudeGroup struct {
	Matcher string
	Hooks   []struct {
		Type, Command string
		Args          []string
		Timeout       int
	}
}

func TestHooksOfClaudeCodeAreEventsThatTheHookKnows(t *testing.T) {
	t.Parallel()
	var file claudeHooks
	if err := json.Unmarshal([]byte(readAsset(t, "claude-code", "hooks/hooks.json")), &file); err != nil {
		t.Fatal(err)
	}
	var kinds []dialect.Kind
	for event, groups := range file.Hooks {
		kind, known := dialect.KindOf(event)
		if !known {
			t.Errorf("%s: engram hook does not know it", event)
		}
		kinds = append(kinds, kind)
		for _, g := range groups {
			if _, err := regexp.Compile(g.Matcher); err != nil {
				t.Errorf("%s: matcher %q: %v", event, g.Matcher, err)
			}
			for _, h := range g.Hooks {
				want := []string{"hook", "claude-code", event, "__DATA_DIR_ARGS__"}
				if h.Type != "command" || h.Command != "__ENGRAM__" || !slices.Equal(h.Args, want) || h.Timeout < 1 || h.Timeout > 10 {
					t.Errorf("%s: got %+v, want the program itself with arguments %q, no shell, and a short timeout", event, h, want)
				}
			}
		}
	}
	for _, k := range dialect.Kinds() {
		if !slices.Contains(kinds, k) {
			t.Errorf("no hook of Claude Code tells %s", k)
		}
	}
}

func TestPluginsInTypeScriptTellEventsThatTheHookKnows(t *testing.T) {
	t.Parallel()
	told := regexp.MustCompile(`tell\("([a-z-]+)"`)
	for _, agent := range []string{"opencode", "pi"} {
		name := agent + "/engram.ts"
		text := string(plugin.Joined([]byte(readAsset(t, agent, "engram.ts"))))
		events := told.FindAllStringSubmatch(text, -1)
		if len(events) < 5 {
			t.Errorf("%s: saw %d events, want those of a session", name, len(events))
		}
		for _, e := range events {
			if _, known := dialect.KindOf(e[1]); !known {
				t.Errorf("%s tells %q, which engram hook does not know", name, e[1])
			}
		}
		for _, never := range []string{"shell: true", "exec(", "execSync", "require(", "Bun."} {
			if strings.Contains(text, never) {
				t.Errorf("%s has %q: programs are started without a shell, and nothing waits for one", name, never)
			}
		}
	}
}

// What the notes of a session live on: commands, changes, and whether anything was saved.
func TestToolsOfClaudeCodeThatAreTold(t *testing.T) {
	t.Parallel()
	var file claudeHooks
	if err := json.Unmarshal([]byte(readAsset(t, "claude-code", "hooks/hooks.json")), &file); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		event, tool string
		want        bool
	}{
		{"PreToolUse", "Read", true}, {"PreToolUse", "Edit", true}, {"PreToolUse", "Write", true}, {"PreToolUse", "NotebookEdit", true},
		{"PreToolUse", "Bash", false}, {"PreToolUse", "Grep", false}, {"PreToolUse", "mcp__plugin_engram_engram__mem_save", false},
		{"PostToolUse", "Bash", true}, {"PostToolUse", "Edit", true}, {"PostToolUse", "Write", true},
		{"PostToolUse", "mcp__plugin_engram_engram__mem_save", true}, {"PostToolUse", "mcp__engram__mem_session_summary", true},
		{"PostToolUse", "mcp__engram__mem_search", false}, {"PostToolUse", "Read", false},
		{"PostToolUseFailure", "Bash", true}, {"PostToolUseFailure", "mcp__other__deploy", true},
	} {
		got := slices.ContainsFunc(file.Hooks[tt.event], func(g claudeGroup) bool {
			return g.Matcher == "" || regexp.MustCompile("^(?:"+g.Matcher+")$").MatchString(tt.tool)
		})
		if got != tt.want {
			t.Errorf("%s of %s: got %v, want %v", tt.event, tt.tool, got, tt.want)
		}
	}
}
