package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/setup"
)

// What the agent, or who uses it, said about our server is kept by every later setup: a server
// that is switched off stays off.
func TestWhatWasSaidOfOurServerStays(t *testing.T) {
	t.Parallel()
	const more = `"disabled": true, "autoApprove": ["mem_search"], "timeout": 60, "env": {"X": "1"}`
	for _, tt := range []struct{ agent, file, at, add string }{
		{"kiro", ".kiro/settings/mcp.json", `"engram": {`, more + ","},
		{"cursor", ".cursor/mcp.json", `"engram": {`, more + ","},
		{"cline", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", `"engram": {`, "// mine\n" + more + ","},
		{"windsurf", ".codeium/windsurf/mcp_config.json", `"engram": {`, more + ","},
		{"zed", ".config/zed/settings.json", `"engram": {`, more + ","},
		{"vscode", ".config/Code/User/mcp.json", `"engram": {`, more + ","},
		{"codex", ".codex/config.toml", "[mcp_servers.engram]\n", "enabled = false\ntool_timeout_sec = 60 # mine\n"},
		{"opencode", ".config/opencode/opencode.json", `"enabled": true`, "\x00\"enabled\": false, \"timeout\": 60"},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			b := newBench(t, "home")
			b.apply(tt.agent)
			path := filepath.Join(b.home, filepath.FromSlash(tt.file))
			with := strings.Replace(b.read(path), tt.at, tt.at+tt.add, 1)
			if instead, ok := strings.CutPrefix(tt.add, "\x00"); ok {
				with = strings.Replace(b.read(path), tt.at, instead, 1)
			}
			b.write(path, with, 0o644)
			b.all(tt.agent, setup.Wired)
			b.apply(tt.agent)
			if got := b.read(path); got != with {
				t.Errorf("set up again it is\n%s\nand was\n%s", got, with)
			}
			old := b.Engram
			b.Engram = filepath.Join(b.home, "moved", "engram")
			b.apply(tt.agent)
			if got, want := b.read(path), strings.ReplaceAll(with, old, b.Engram); got != want {
				t.Errorf("with the program elsewhere it is\n%s\nwant\n%s", got, want)
			}
			b.undo(tt.agent)
			if left := b.left(); left != "" {
				t.Errorf("undone there is\n%s", left)
			}
		})
	}
}

// all says that every file of an agent stands as this.
func (b bench) all(name string, want setup.Status) {
	b.Helper()
	all, err := b.Status(name, b.parts(name))
	for n, s := range all {
		if err != nil || s.Status != want {
			b.Errorf("%s is %s (%s), %v; want %s", b.parts(name)[n].Path, s.Status, s.Why, err, want)
		}
	}
}

func TestAServerOfSomebodyElseIsReplacedWhole(t *testing.T) {
	t.Parallel()
	for _, was := range []string{
		`{"url": "http://127.0.0.1:7437/mcp", "headers": {"A": "b"}}`,
		`{"command": "npx", "args": ["-y", "engram-of-others", "mcp"], "env": {"KEY": "x"}}`,
		`{"command": "/opt/engram", "args": ["mcp"], "url": "http://127.0.0.1:7437/mcp"}`,
		`null`,
	} {
		b := newBench(t, "home")
		path := filepath.Join(b.home, ".cursor", "mcp.json")
		b.write(path, `{"mcpServers": {"engram": `+was+`}}`, 0o644)
		b.apply("cursor")
		want := map[string]any{"mcpServers": map[string]any{"engram": map[string]any{"command": b.Engram, "args": []any{"mcp"}}}}
		if got := meaning(t, b.read(path)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s becomes\n%v\nwant\n%v", was, got, want)
		}
		// An undo brings it back, though the file has changed meanwhile.
		b.write(path, strings.Replace(b.read(path), `{"mcpServers": {`, `{"mcpServers": {"other": {"url": "x"}, `, 1), 0o644)
		b.undo("cursor")
		if got, want := b.read(path), `{"mcpServers": {"other": {"url": "x"}, "engram": `+was+`}}`; got != want {
			t.Errorf("undone it is\n%s\nwant\n%s", got, want)
		}
	}
}

// A hook is ours when it calls this program, and not because it looks like ours.
func TestAHookOfAnotherProgramStays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string // %s: the program
		ours       bool
	}{
		{"another program", "acme-audit hook cursor stop --strict", false},
		{"another one that is named after ours", "/opt/engram-audit hook cursor stop", false},
		{"one that is called with our line", "log.sh /opt/engram hook cursor stop", false},
		{"ours with another event", "/opt/engram hook cursor stopped", false},
		{"ours with another verb", "/opt/engram status hook cursor stop", false},
		{"ours elsewhere", "/opt/engram hook cursor stop --data-dir /x", true},
		{"ours on the PATH", "engram hook cursor stop", true},
		{"ours in quotes", `'/opt/it'\''s here/engram' hook cursor stop`, true},
		{"ours on Windows", `"C:\Program Files\engram.exe" hook cursor stop`, true},
		{"one that was wired under another name", "/opt/my memory hook cursor stop", false},
		{"one that was wired under another name, in quotes", "'/opt/my memory' hook cursor stop", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, "home")
			b.Env.Programs = []string{"/opt/my memory"}
			path := filepath.Join(b.home, ".cursor", "hooks.json")
			hooks := func() []any {
				return meaning(t, b.read(path)).(map[string]any)["hooks"].(map[string]any)["stop"].([]any)
			}
			theirs := map[string]any{"command": tt.line}
			b.write(path, `{"version": 1, "hooks": {"stop": [{"command": `+quoted(t, tt.line)+`}]}}`, 0o644)
			b.apply("cursor")
			want := []any{theirs, map[string]any{"command": b.Engram + " hook cursor stop"}}
			if tt.ours {
				want = want[1:]
			}
			if got := hooks(); !reflect.DeepEqual(got, want) {
				t.Errorf("the hooks are %v; want %v", got, want)
			}
			b.write(path, b.read(path)+"\n", 0o644)
			b.undo("cursor")
			if tt.ours {
				return
			}
			if got := hooks(); !reflect.DeepEqual(got, []any{theirs}) {
				t.Errorf("undone the hooks are %v; want theirs", got)
			}
		})
	}
}

func TestAHookOfClineOfAnotherProgramStays(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	path := filepath.Join(b.home, "Documents", "Cline", "Hooks", "TaskStart")
	const theirs = "#!/bin/sh\nexec acme-audit hook cline TaskStart\n"
	b.write(path, theirs, 0o755)
	b.apply("cline")
	if got := b.read(path); got != theirs {
		t.Errorf("it says %q now", got)
	}
	b.undo("cline")
	b.write(path, "#!/bin/sh\nexec /old/engram hook cline TaskStart\n", 0o755)
	b.apply("cline")
	if got := b.read(path); !strings.Contains(got, b.Engram) {
		t.Errorf("an older one of ours says %q still", got)
	}
}

// Windows PowerShell reads a script without a byte order mark in the code page of the machine.
func TestAHookOfClineOnWindowsByByte(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	b.OS, b.Engram = "windows", `C:\Users\José\engram.exe`
	b.apply("cline")
	got, err := os.ReadFile(filepath.Join(b.home, "Documents", "Cline", "Hooks", "TaskStart.ps1"))
	want := "\xEF\xBB\xBF$utf8 = New-Object System.Text.UTF8Encoding $false\n" +
		"$OutputEncoding = $utf8\n" +
		"try { [Console]::InputEncoding = $utf8; [Console]::OutputEncoding = $utf8 } catch { }\n" +
		"$said = (New-Object System.IO.StreamReader -ArgumentList ([Console]::OpenStandardInput()), $utf8).ReadToEnd()\n" +
		"if (-not $said) { $said = $input | Out-String }\n" +
		"$said | & 'C:\\Users\\Jos\xC3\xA9\\engram.exe' hook cline TaskStart\n"
	if err != nil || string(got) != want {
		t.Errorf("it is %q, %v; want %q", got, err, want)
	}
	b.Engram = `C:\Program Files\engram.exe`
	b.apply("cline")
	b.undo("cline")
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
