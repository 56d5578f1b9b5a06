package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/setup"
)

// edits are changes by hand of files that are ours altogether, and what every later setup makes of them.
func edits() []struct{ name, agent, file, from, to, anew string } {
	return []struct{ name, agent, file, from, to, anew string }{ // anew: "" as it was edited, "asset" as if it had not been edited
		{"a server is switched off", "claude-code", ".claude/skills/engram/.mcp.json", `"engram": {`, `"engram": { "disabled": true,`, ""},
		{"another server", "claude-code", ".claude/skills/engram/.mcp.json", `"engram": {`, `"other": {"url": "x"}, "engram": {`, ""},
		{"another timeout", "claude-code", ".claude/skills/engram/hooks/hooks.json", `"timeout": 5`, `"timeout": 50`, ""},
		{"another matcher", "claude-code", ".claude/skills/engram/hooks/hooks.json", `Read|Edit`, `Glob|Read|Edit`, ""},
		{"another hook", "claude-code", ".claude/skills/engram/hooks/hooks.json", `"Stop": [`, `"Stop": [{"hooks": [{"type": "command", "command": "beep"}]},`, ""},
		{"a comment", "gemini-cli", ".gemini/extensions/engram/gemini-extension.json", "{\n", "{\n  // mine\n", ""},
		{"a server is trusted", "gemini-cli", ".gemini/extensions/engram/gemini-extension.json", `"engram": {`, `"engram": { "trust": true,`, ""},
		{"another name", "gemini-cli", ".gemini/extensions/engram/gemini-extension.json", `"name": "engram"`, `"name": "mine"`, "asset"},
		{"another argument", "claude-code", ".claude/skills/engram/.mcp.json", `["mcp"]`, `["mcp", "--profile", "core"]`, "asset"},
		{"what cannot be understood", "vscode", ".copilot/hooks/engram.json", "{", "{,", "asset"},
		{"a text", "claude-code", ".claude/skills/engram/skills/memory/SKILL.md", "\n", "\nin verse\n", "asset"},
		{"a rule", "kiro", ".kiro/steering/engram.md", "always", "manual", "asset"},
		{"a plugin", "opencode", ".config/opencode/plugins/engram.ts", "\n", "\n// mine\n", "asset"},
		{"a command", "opencode", ".config/opencode/commands/recall.md", "---\n", "---\nmine: yes\n", "asset"},
		{"a line that names the program", "claude-code", ".claude/skills/engram/commands/recall.md", "allowed-tools: ", "allowed-tools: Bash(engram:*), ", "asset"},
		{"an indented line", "claude-code", ".claude/skills/engram/commands/recall.md", "With one", "    With one", "asset"},
		{"a line of a script", "antigravity", ".gemini/config/skills/engram/scripts/remember.sh", `"$@"`, `--project mine "$@"`, "asset"},
		{"another program", "claude-code", ".claude/skills/engram/.mcp.json", `engram",`, `engram-wrapped",`, "asset"},
		{"a hook of ours", "cline", "Documents/Cline/Hooks/TaskStart", "exec", "# mine\nexec", "asset"},
	}
}

// A file of ours that was changed by hand keeps no setup and no undo from its work, and what was
// written into it is not lost.
func TestWhatWasWrittenIntoAFileOfOursIsNotLost(t *testing.T) {
	t.Parallel()
	for _, tt := range edits() {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, "home")
			b.apply(tt.agent)
			path := filepath.Join(b.home, filepath.FromSlash(tt.file))
			asset := b.read(path)
			edited := strings.Replace(asset, tt.from, tt.to, 1)
			if edited == asset {
				t.Fatalf("%q is not in\n%s", tt.from, asset)
			}
			b.write(path, edited, 0o644)
			if tt.anew == "" {
				b.all(tt.agent, setup.Wired)
			}
			plan, err := b.Plan(tt.agent, b.parts(tt.agent))
			if err != nil {
				t.Fatal(err)
			}
			b.apply(tt.agent)
			is := b.read(path)
			switch {
			case tt.anew == "" && is != edited, tt.anew == "asset" && meant(is) != meant(asset):
				t.Errorf("set up again it is\n%s\nand was edited to\n%s", is, edited)
			}
			b.all(tt.agent, setup.Wired)
			for _, c := range plan {
				if c.Path == path && string(c.After) != is {
					t.Errorf("the plan said\n%s\nand it is\n%s", c.After, is)
				}
				if kept := c.Path == path && tt.anew != ""; kept != (c.Kept != "") || kept && b.content(c.Kept) != edited {
					t.Errorf("%s: kept is %q, and says\n%s\nwant\n%s", c.Path, c.Kept, b.content(c.Kept), edited)
				}
			}
			// The program moves: what was added stays through that, too.
			old := b.Engram
			b.Engram = filepath.Join(b.home, "moved", "engram")
			b.apply(tt.agent)
			if got, want := b.read(path), strings.ReplaceAll(is, old, b.Engram); got != want {
				t.Errorf("with the program elsewhere it is\n%s\nwant\n%s", got, want)
			}
			is = b.read(path)
			done, err := b.Undo(t.Context(), tt.agent, b.parts(tt.agent))
			if err != nil {
				t.Fatal(err)
			}
			if left := b.left(); left != "" {
				t.Errorf("undone there is\n%s", left)
			}
			for _, u := range done {
				if kept := u.Path == path && tt.anew != "asset"; u.Left != "" || kept != (u.Kept != "") || kept && b.content(u.Kept) != is {
					t.Errorf("%s: left %q, kept in %q; want kept: %v", u.Path, u.Left, u.Kept, kept)
				}
			}
			if agents, err := b.Agents(); err != nil || len(agents) > 0 {
				t.Errorf("%v are remembered, %v", agents, err)
			}
		})
	}
}

// meant is a text without white space, by which a value that was put back stands as it did.
func meant(s string) string { return strings.Join(strings.Fields(s), "") }

// What is edited in a file of ours, and is undone at once.
func TestUndoOfAnEditedFileOfOursKeepsTheEdit(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		for _, tt := range edits() {
			t.Run(tt.name+map[bool]string{true: ", without a record"}[lost], func(t *testing.T) {
				b := newBench(t, "home")
				b.apply(tt.agent)
				path := filepath.Join(b.home, filepath.FromSlash(tt.file))
				edited := strings.Replace(b.read(path), tt.from, tt.to, 1)
				b.write(path, edited, 0o644)
				if lost {
					b.lose()
				}
				all, err := b.Undo(t.Context(), tt.agent, b.parts(tt.agent))
				if err != nil {
					t.Fatal(err)
				}
				found := b.content(path) == edited
				for _, u := range all {
					found = found || u.Kept != "" && b.content(u.Kept) == edited
					if u.Path == path && !lost && (u.Left != "" || u.Kept == "") {
						t.Errorf("it is left for %q, kept in %q; want it kept", u.Left, u.Kept)
					}
				}
				if !found {
					t.Errorf("what was edited is nowhere:\n%s", edited)
				}
				if _, err := os.Stat(path); err == nil && !lost {
					t.Errorf("it is there still")
				}
			})
		}
	}
}

// Where ours may be left out, a file that is not ours any more is its user's.
func TestAHookThatIsSomebodyElsesByNowIsLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	b.apply("cline")
	path := filepath.Join(b.home, "Documents", "Cline", "Hooks", "TaskStart")
	const theirs = "#!/bin/sh\nexec beep\n"
	b.write(path, theirs, 0o755)
	all, err := b.Status("cline", b.parts("cline"))
	for n, p := range b.parts("cline") {
		if err != nil || (all[n].Status == setup.Taken) != (p.Path == path) {
			t.Errorf("%s is %+v, %v", p.Path, all[n], err)
		}
	}
	b.apply("cline")
	done, err := b.Undo(t.Context(), "cline", b.parts("cline"))
	for _, u := range done {
		if (u.Left != "") != (u.Path == path) {
			t.Errorf("%s is left for %q", u.Path, u.Left)
		}
	}
	if got := b.read(path); err != nil || got != theirs {
		t.Errorf("it is %q, %v", got, err)
	}
	if agents, err := b.Agents(); err != nil || len(agents) > 0 {
		t.Errorf("%v are remembered, %v", agents, err)
	}
}
