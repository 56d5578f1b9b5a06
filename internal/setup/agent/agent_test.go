package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup/agent"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude-code": "claude-code", "Claude Code": "claude-code", "claude_code": "claude-code", "CLAUDE": "claude-code", "gemini": "gemini-cli",
		"copilot": "vscode", "devin": "windsurf", "zed": "zed", "agy": "antigravity", "open-code": "opencode",
	} {
		if got, err := agent.Find(name); err != nil || got.Name != want {
			t.Errorf("Find(%q) = %q, %v; want %q", name, got.Name, err, want)
		}
	}
	_, err := agent.Find("emacs")
	if engram.CodeOf(err) != engram.CodeInvalid || !strings.HasPrefix(err.Error(), `unknown agent: "emacs" (supported: claude-code, opencode, codex, `) {
		t.Errorf("Find(emacs) says %v; want CodeInvalid with all agents", err)
	}
}

func TestNoTwoAgentsHaveANameInCommon(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	for _, a := range agent.All() {
		for _, name := range append([]string{a.Name}, a.Aliases...) {
			if other, taken := owner[name]; taken {
				t.Errorf("%q is %s and %s", name, other, a.Name)
			}
			owner[name] = a.Name
		}
		if a.Title == "" || a.Next == "" {
			t.Errorf("%s has no title, or does not say what is next", a.Name)
		}
	}
	if len(agent.All()) != 13 {
		t.Errorf("there are %d agents; want 13", len(agent.All()))
	}
}

// The folders that tell of an agent, beneath the home of its user.
func TestWhatIsInstalledIsDetected(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{
		".claude": "claude-code", ".config/opencode": "opencode", ".codex": "codex", ".gemini/extensions": "gemini-cli", ".gemini/antigravity": "antigravity",
		".gemini/config": "antigravity", ".cursor": "cursor", ".config/Code/User": "vscode", ".codeium/windsurf": "windsurf", ".config/devin": "windsurf",
		".config/zed": "zed", ".config/Claude": "claude-desktop", ".kiro": "kiro", ".cline": "cline", ".pi/agent": "pi",
	} {
		b := newBench(t, "home")
		b.Program = func(string) bool { return false }
		if err := os.MkdirAll(filepath.Join(b.home, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, a := range agent.All() {
			if a.Detected(b.Env) {
				found = append(found, a.Name)
			}
		}
		if !slices.Equal(found, []string{want}) {
			t.Errorf("with %s found are %v; want %s", folder, found, want)
		}
	}
	b := newBench(t, "home")
	b.Program = func(name string) bool { return name == "codex" }
	a, err := agent.Find("codex")
	if err != nil || !a.Detected(b.Env) {
		t.Errorf("a program on the PATH is not found, %v", err)
	}
}

func TestWhereFilesLie(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, os, agent string
		variables       map[string]string
		there           []string
		want            []string // ends of paths; all of them
	}{
		{"Claude Desktop on macOS", "darwin", "claude-desktop", nil, nil, []string{"Library/Application Support/Claude/claude_desktop_config.json"}},
		{"Claude Desktop on Windows", "windows", "claude-desktop", nil, nil, []string{"AppData/Roaming/Claude/claude_desktop_config.json"}},
		{"VS Code on macOS", "darwin", "vscode", nil, nil, []string{"Library/Application Support/Code/User/mcp.json", ".copilot/hooks/engram.json"}},
		{"VS Code on Windows", "windows", "vscode", nil, nil, []string{"AppData/Roaming/Code/User/mcp.json", ".copilot/hooks/engram.json"}},
		{"Copilot without VS Code", "linux", "vscode", nil, []string{".copilot"}, []string{".copilot/mcp-config.json", ".copilot/hooks/engram.json"}},
		{"Zed on Windows", "windows", "zed", nil, nil, []string{"AppData/Roaming/Zed/settings.json"}},
		{"Zed where configuration lies elsewhere", "linux", "zed", map[string]string{"XDG_CONFIG_HOME": "/xdg"}, nil, []string{"/xdg/zed/settings.json"}},
		{"Codex that was moved", "linux", "codex", map[string]string{"CODEX_HOME": "/codex"}, nil, []string{"/codex/config.toml", "/codex/hooks.json", "/codex/AGENTS.md"}},
		{"Pi that was moved below the home", "linux", "pi", map[string]string{"PI_CODING_AGENT_DIR": "~/p"}, nil, []string{"p/extensions/engram.ts"}},
		{"a variable that is no path is passed over", "linux", "pi", map[string]string{"PI_CODING_AGENT_DIR": "p"}, nil, []string{".pi/agent/extensions/engram.ts"}},
		{
			"Windsurf by its old name", "linux", "windsurf", nil, []string{".codeium/windsurf"},
			[]string{".codeium/windsurf/mcp_config.json", ".codeium/windsurf/hooks.json", ".codeium/windsurf/memories/global_rules.md"},
		},
		{"Windsurf by its new name", "darwin", "windsurf", nil, []string{".config/devin"}, []string{".config/devin/mcp_config.json"}},
		{"OpenCode with comments in its file", "linux", "opencode", nil, []string{".config/opencode/opencode.jsonc"}, []string{".config/opencode/opencode.jsonc"}},
		{
			"Antigravity in both of its places", "linux", "antigravity", nil, []string{".gemini/config", ".gemini/antigravity"},
			[]string{".gemini/antigravity/mcp_config.json", ".gemini/config/mcp_config.json"},
		},
		{"Cline on its command line", "linux", "cline", nil, []string{".cline"}, []string{".cline/data/settings/cline_mcp_settings.json"}},
		{
			"Cline in VS Code on macOS", "darwin", "cline", nil, nil,
			[]string{"Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, "home")
			b.OS, b.ConfigHome = c.os, c.variables["XDG_CONFIG_HOME"]
			b.Variable = func(name string) string { return c.variables[name] }
			for _, path := range c.there {
				if err := os.MkdirAll(filepath.Join(b.home, path), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, p := range b.parts(c.agent) {
				if p.Remove != nil || c.agent == "pi" || c.agent == "vscode" {
					got = append(got, filepath.ToSlash(p.Path))
				}
			}
			for n, want := range c.want {
				if !strings.HasPrefix(want, "/") {
					c.want[n] = filepath.ToSlash(filepath.Join(b.home, want))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("files are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestHooksOnWindows(t *testing.T) {
	t.Parallel()
	const program = `C:\Program Files\it's $HOME\engram.exe`
	b := newBench(t, "home")
	b.OS, b.Engram = "windows", program
	for _, name := range []string{"codex", "gemini-cli", "cursor", "vscode", "windsurf", "cline"} {
		b.apply(name)
	}
	for path, want := range map[string]string{
		".codex/hooks.json":                               `\"C:\\Program Files\\it's $HOME\\engram.exe\" hook codex SessionStart"`,
		".cursor/hooks.json":                              `\"C:\\Program Files\\it's $HOME\\engram.exe\" hook cursor sessionStart"`,
		".gemini/extensions/engram/hooks/hooks.json":      `& 'C:\\Program Files\\it''s $HOME\\engram.exe' hook gemini-cli SessionStart"`,
		".codeium/windsurf/hooks.json":                    `"powershell": "& 'C:\\Program Files\\it''s $HOME\\engram.exe' hook windsurf pre_user_prompt"`,
		"Documents/Cline/Hooks/TaskStart.ps1":             `$said | & 'C:\Program Files\it''s $HOME\engram.exe' hook cline TaskStart`,
		"AppData/Roaming/Code/User/mcp.json":              `"command": "C:\\Program Files\\it's $HOME\\engram.exe"`,
		".gemini/extensions/engram/gemini-extension.json": `"command": "C:\\Program Files\\it's ${ENGRAM_NO_VARIABLE:-$}HOME\\engram.exe"`,
	} {
		if got := b.read(filepath.Join(b.home, filepath.FromSlash(path))); !strings.Contains(strings.ReplaceAll(got, `\u0026`, "&"), want) {
			t.Errorf("%s has no %s:\n%s", path, want, got)
		}
	}
	b.Engram = `C:\100%\engram.exe`
	a, err := agent.Find("cursor")
	if err == nil {
		_, err = a.Parts(b.Env)
	}
	if engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a path with %% is %v; want CodeInvalid: cmd.exe would read it", err)
	}
}

func TestAHookOfThePersonStays(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	mine := filepath.Join(b.home, "Documents", "Cline", "Hooks", "TaskStart")
	b.write(mine, "#!/bin/sh\n# mine\n", 0o700)
	before := b.tree()
	b.apply("cline")
	if got := b.read(mine); got != "#!/bin/sh\n# mine\n" {
		t.Errorf("it is %q now", got)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(mine), "PreToolUse")); err != nil {
		t.Error("the others are not there:", err)
	}
	b.undo("cline")
	if after := b.tree(); after != before {
		t.Errorf("after undo it is\n%s\nand was\n%s", after, before)
	}
}

func TestNoPlaceholderIsLeft(t *testing.T) {
	t.Parallel()
	for _, dataDir := range []string{"", "/where/it is"} {
		b := newBench(t, "home")
		b.DataDir = dataDir
		for _, a := range agent.All() {
			b.put(a.Name)
			for _, p := range b.parts(a.Name) {
				content := b.read(p.Path)
				if strings.Contains(content, "__ENGRAM") || strings.Contains(content, "__DATA") {
					t.Errorf("%s:\n%s", p.Path, content)
				}
				if strings.Contains(content, `"mcp"`) && filepath.Base(p.Path) != "plugin.json" && !strings.Contains(content, dataDir) {
					t.Errorf("%s does not say where the data is:\n%s", p.Path, content)
				}
			}
		}
	}
}
