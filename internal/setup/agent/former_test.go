package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/setup/agent"
)

// What an earlier setup put into another file of the agent is taken out of there with the next
// one, for the agent would start two servers; what others wrote there stays.
func TestWhatAnAgentHasElsewhereByNowIsTakenOutThere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ agent, old, comes, now string }{
		{"vscode", ".copilot/mcp-config.json", ".config/Code/User/settings.json", ".config/Code/User/mcp.json"},
		{"opencode", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc", ".config/opencode/opencode.jsonc"},
	} {
		for _, touched := range []bool{false, true} {
			t.Run(tt.agent+map[bool]string{true: ", changed since"}[touched], func(t *testing.T) {
				b := newBench(t, "home")
				at := func(path string) string { return filepath.Join(b.home, filepath.FromSlash(path)) }
				old, now := at(tt.old), at(tt.now)
				const mine = "{\n  \"mine\": 1\n}\n"
				b.write(old, mine, 0o644)
				before := b.tree()
				b.apply(tt.agent)
				if b.read(old) == mine {
					t.Fatalf("%s is not wired", old)
				}
				if touched {
					b.write(old, strings.Replace(b.read(old), `"mine": 1`, `"mine": 2`, 1), 0o644)
				}
				b.write(at(tt.comes), "{}\n", 0o644)
				if former, elsewhere, err := b.Former(tt.agent, b.parts(tt.agent)); err != nil || !slices.Equal(former, []string{old}) || len(elsewhere) > 0 {
					t.Errorf("Former = %q, %q, %v; want %s", former, elsewhere, err, old)
				}
				was := b.tree()
				plan, err := b.Plan(tt.agent, b.parts(tt.agent))
				if last := plan[len(plan)-1]; err != nil || !last.Former || last.Path != old || !last.Changed() || b.tree() != was {
					t.Errorf("the plan ends with %+v, %v; want %s to be left, and nothing changed", last, err, old)
				}
				b.apply(tt.agent)
				want := mine
				if touched {
					want = strings.Replace(mine, "1", "2", 1)
				}
				if got := b.read(old); got != want || !strings.Contains(b.read(now), "engram") {
					t.Errorf("the old file is %q, the new one %q; want %q, and ours in the new one", got, b.read(now), want)
				}
				if former, _, err := b.Former(tt.agent, b.parts(tt.agent)); err != nil || len(former) > 0 {
					t.Errorf("afterwards Former = %q, %v; want none", former, err)
				}
				b.undo(tt.agent)
				if err := os.RemoveAll(at(tt.comes)); err != nil {
					t.Fatal(err)
				}
				b.write(old, mine, 0o644)
				_ = os.Remove(at(".config/Code/User"))
				_ = os.Remove(at(".config/Code"))
				if after := b.tree(); after != before && tt.agent == "opencode" {
					t.Errorf("undone it is\n%s\nand was\n%s", after, before)
				}
			})
		}
	}
}

// Variables that say where an agent keeps its files may be others in the next shell: what was
// wired there stays, is told, and an undo takes out what is ours though the file was changed.
func TestWhatIsWiredWhereAVariableSaidStaysAndIsUndone(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	first, second := filepath.Join(b.home, "one"), filepath.Join(b.home, "two")
	b.Variable = func(string) string { return first }
	b.apply("codex")
	config := filepath.Join(first, "config.toml")
	b.write(config, b.read(config)+"\n[features]\na = true\n", 0o600)
	hooks := filepath.Join(first, "hooks.json")
	b.write(hooks, strings.Replace(b.read(hooks), "{", "{ \"mine\": 1,", 1), 0o600)
	b.Variable = func(string) string { return second }
	b.apply("codex")
	former, elsewhere, err := b.Former("codex", b.parts("codex"))
	want := []string{filepath.Join(first, "AGENTS.md"), config, hooks}
	if err != nil || len(former) > 0 || !slices.Equal(elsewhere, want) || !strings.Contains(b.read(config), "engram") {
		t.Errorf("Former = %q, %q, %v; want none, %q", former, elsewhere, err, want)
	}
	b.undo("codex")
	if left := b.left(); left != "" {
		t.Errorf("undone engram is left in\n%s", left)
	}
	if got := b.read(config); !strings.Contains(got, "[features]") {
		t.Errorf("%s is %q; want what was written since", config, got)
	}
}

func TestWiringClineMakesNoVSCode(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	b.apply("cline")
	a, err := agent.Find("vscode")
	if err != nil || a.Detected(b.Env) {
		t.Errorf("VS Code is installed, it seems, %v", err)
	}
	b.write(filepath.Join(b.home, ".config", "Code", "User", "globalStorage", "storage.json"), "{}", 0o644)
	if !a.Detected(b.Env) {
		t.Error("VS Code is not seen beside Cline")
	}
}

func TestTheDataDirectoryThatAnAgentIsCalledWithIsFound(t *testing.T) {
	t.Parallel()
	for _, name := range agent.Names() {
		for _, dir := range []string{"", `/it's "my" $HOME\data/é`} {
			b := newBench(t, "home")
			b.Env.DataDir = dir
			b.put(name)
			b.Env.DataDir = ""
			if got := b.DataDirOf(b.parts(name)); got != dir {
				t.Errorf("%s: %q; want %q", name, got, dir)
			}
		}
	}
	b := newBench(t, "home")
	b.write(filepath.Join(b.home, ".kiro", "settings", "mcp.json"), `{"mcpServers": {"engram": {"command": "other", "args": ["mcp", "--data-dir", "/x"]}}}`, 0o644)
	if got := b.DataDirOf(b.parts("kiro")); got != "" {
		t.Errorf("that of somebody else's server is %q; want none", got)
	}
	b.write(filepath.Join(b.home, ".kiro", "settings", "mcp.json"), `{"mcpServers": {"engram": {"command": "engram", "args": ["mcp", "--data-dir=/x"]}}}`, 0o644)
	if got := b.DataDirOf(b.parts("kiro")); got != "/x" {
		t.Errorf("in one word it is %q; want /x", got)
	}
}
