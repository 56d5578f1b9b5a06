package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup"
	"github.com/alanbuscaglia/engram/internal/setup/agent"
)

// existing are configurations that people have, by the ends of their names.
func existing() map[string]map[string]string {
	return map[string]map[string]string{
		"nothing":    {},
		"no content": {".json": "", ".jsonc": "", ".toml": "", ".md": ""},
		"a small file": {
			".json": "{\n  \"theme\": \"dark\"\n}\n", ".jsonc": "{}", ".toml": "model = \"large\"\n", ".md": "# Mine\n\nBe brief.\n",
		},
		"everything at once": {
			".json": "\uFEFF// of mine\r\n{\r\n\t\"mcpServers\": {\r\n\t\t\"other\": { \"command\": \"x\", \"args\": [], }, // keep\r\n\t},\r\n" +
				"\t\"servers\": {}, \"context_servers\": { /* none */ },\r\n\t\"mcp\": {\"a\": {\"type\": \"remote\"}},\r\n" +
				"\t\"version\": 1,\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [ {\"hooks\": [{\"command\": \"beep\"}]}, ],\r\n\t\t\"stop\": [],\r\n" +
				"\t\t\"pre_user_prompt\": [{\"command\": \"beep\"}]\r\n\t},\r\n}\r\n\r\n",
			".jsonc": "// one line\n{\"mcp\":{},\"x\":[1,2,],}",
			".toml":  "\uFEFF# mine\r\n[mcp_servers.other]\r\ncommand = 'x' # keep\r\n\r\n[a.\"b c\"]\r\nd = [1,\r\n 2]",
			".md":    "\uFEFFline\r\n<!-- a comment -->\r\nno line end",
		},
		"one line": {".json": `{"mcpServers":{"z":{"command":"z"}},"hooks":{"Stop":[]}}`, ".jsonc": `{}`, ".toml": "a=1", ".md": "x"},
	}
}

// fill puts the configuration that is there before into every file of which an agent has a part.
func (b bench) fill(name, shape string, linked bool) {
	b.Helper()
	for _, p := range b.parts(name) {
		content, has := existing()[shape][filepath.Ext(p.Path)]
		if p.Remove == nil || !has {
			continue
		}
		to := p.Path
		if linked {
			to = filepath.Join(b.home, "dotfiles", strings.ReplaceAll(p.Path[len(b.home)+1:], "/", "_"))
		}
		b.write(to, content, 0o640)
		if linked {
			if err := os.MkdirAll(filepath.Dir(p.Path), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.Symlink(to, p.Path); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func TestUndoLeavesTheHomeAsItWas(t *testing.T) {
	for _, name := range agent.Names() {
		for shape := range existing() {
			for _, linked := range []bool{false, true} {
				if linked && shape == "nothing" {
					continue
				}
				t.Run(name+"/"+shape+map[bool]string{true: ", by links"}[linked], func(t *testing.T) {
					t.Parallel() // it waits for the disk
					b := newBench(t, "home")
					b.fill(name, shape, linked)
					before := b.tree()
					if _, err := b.Plan(name, b.parts(name)); err != nil {
						t.Fatal(err)
					}
					if after := b.tree(); after != before {
						t.Errorf("a plan has changed it to\n%s\nfrom\n%s", after, before)
					}
					b.apply(name)
					wired := b.tree()
					b.apply(name)
					if again := b.tree(); again != wired {
						t.Errorf("a second time it is\n%s\nand was\n%s", again, wired)
					}
					all, err := b.Status(name, b.parts(name))
					for n, s := range all {
						if s.Status != setup.Wired || s.Why != "" || err != nil {
							t.Errorf("%s is %+v, %v; want wired", b.parts(name)[n].Path, s, err)
						}
					}
					b.undo(name)
					if after := b.tree(); after != before {
						t.Errorf("after undo it is\n%s\nand was\n%s", after, before)
					}
				})
			}
		}
	}
}

// meaning is what a file of JSON says.
func meaning(t *testing.T, content string) (v any) {
	t.Helper()
	standard, err := hujson.Standardize([]byte(strings.TrimPrefix(content, "\uFEFF")))
	if err == nil {
		err = json.Unmarshal(standard, &v)
	}
	if err != nil {
		t.Fatalf("%q: %v", content, err)
	}
	return v
}

func TestUndoOfWhatAnAgentHasWrittenAnew(t *testing.T) {
	for _, name := range agent.Names() {
		for _, shape := range []string{"nothing", "a small file", "everything at once", "one line"} {
			t.Run(name+"/"+shape, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, "home")
				b.fill(name, shape, false)
				was := map[string]any{}
				for _, p := range b.parts(name) {
					if c, err := os.ReadFile(p.Path); err == nil && filepath.Ext(p.Path) == ".json" {
						was[p.Path] = meaning(t, string(c))
					}
				}
				b.apply(name)
				for _, p := range b.parts(name) {
					if p.Remove == nil || filepath.Ext(p.Path) != ".json" {
						continue
					}
					anew, err := json.MarshalIndent(meaning(t, b.read(p.Path)), "", "    ")
					if err != nil {
						t.Fatal(err)
					}
					b.write(p.Path, string(anew), 0o640)
				}
				b.undo(name)
				for _, p := range b.parts(name) {
					if p.Remove == nil || filepath.Ext(p.Path) != ".json" {
						continue
					}
					c, err := os.ReadFile(p.Path)
					if before, there := was[p.Path]; !there {
						if err == nil {
							t.Errorf("%s is there still, and was not: %q", p.Path, c)
						}
					} else if is := meaning(t, string(c)); !reflect.DeepEqual(is, before) {
						t.Errorf("%s says\n%v\nand said\n%v", p.Path, is, before)
					}
				}
			})
		}
	}
}

func TestFilesThatCannotBeUnderstoodAreLeft(t *testing.T) {
	t.Parallel()
	for _, name := range agent.Names() {
		b := newBench(t, "home")
		var broken string
		for _, p := range b.parts(name) {
			if ext := filepath.Ext(p.Path); p.Remove != nil && ext != ".md" {
				b.write(p.Path, "x = [1,\n{ \"a\": 1,, }\n", 0o644)
				broken = p.Path
			}
		}
		if broken == "" {
			continue // all that it gets is ours
		}
		before := b.tree()
		_, err := b.Apply(t.Context(), name, b.parts(name))
		if err == nil || !strings.Contains(err.Error(), ".") || !hasPlace(err.Error(), b.home) {
			t.Errorf("%s: Apply says %v; want an error with FILE:LINE:COLUMN", name, err)
		}
		if after := b.tree(); after != before {
			t.Errorf("%s: it is\n%s\nand was\n%s", name, after, before)
		}
	}
}

// Codex writes its file anew, with or without our comment, and puts its own tables behind ours.
func TestUndoOfWhatCodexHasWrittenAnew(t *testing.T) {
	t.Parallel()
	const ours, other, features = "[mcp_servers.engram]", "[mcp_servers.other]\ncommand = \"echo\"\nargs = [\"hi\"]\n", "[features]\nanalytics_plan_history = true\n"
	for _, c := range []struct{ name, before, from, to, want string }{
		{"a feature is enabled", "", "", "\n" + features, "\n" + features},
		{"a server is added, and the comment is lost", "", "#", "\n" + other, "\n" + other},
		{"our server is removed, and a feature enabled", "", "all", features, features},
		{"our server is removed, and nothing else is there", "", "all", "", ""},
		{"in a file of its own", "model = \"o3\"\n", "#", features, "model = \"o3\"\n\n" + features},
		{"a server of our name was there", "[mcp_servers.engram]\ncommand = \"old\"\n", "#", features, "[mcp_servers.engram]\ncommand = \"old\"\n" + features},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, "home")
			path := filepath.Join(b.home, ".codex", "config.toml")
			if c.before != "" {
				b.write(path, c.before, 0o600)
			}
			b.apply("codex")
			is := b.read(path)
			switch n := strings.Index(is, "# written by"); c.from {
			case "all":
				is = is[:n]
			case "#":
				is = is[:n] + is[strings.Index(is, ours):]
			}
			b.write(path, is+c.to, 0o600)
			b.apply("codex")
			again := b.read(path)
			if strings.Count(again, ours) != 1 || !strings.Contains(again, c.to) {
				t.Errorf("set up again it is %q; want our table once, and %q", again, c.to)
			}
			b.undo("codex")
			if c.want == "" {
				if content, err := os.ReadFile(path); err == nil {
					t.Errorf("after undo it is %q; want none", content)
				}
			} else if got := b.read(path); got != c.want {
				t.Errorf("after undo it is %q; want %q", got, c.want)
			}
		})
	}
}

func TestServersOfCodexInOneLineAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	path := filepath.Join(b.home, ".codex", "config.toml")
	b.write(path, "model = \"o3\"\nmcp_servers = { a = { command = \"x\" } }\n", 0o600)
	before := b.tree()
	_, err := b.Apply(t.Context(), "codex", b.parts("codex"))
	if engram.CodeOf(err) != engram.CodeInvalid || !strings.HasPrefix(err.Error(), path+":2:1: mcp_servers ") {
		t.Errorf("Apply says %v; want a refusal with the place", err)
	}
	if after := b.tree(); after != before {
		t.Errorf("it is\n%s\nand was\n%s", after, before)
	}
}

// hasPlace reports whether a message begins with FILE:LINE:COLUMN.
func hasPlace(message, home string) bool {
	parts := strings.SplitN(strings.TrimPrefix(message, home), ":", 4)
	return len(parts) == 4 && strings.Trim(parts[1], "0123456789") == "" && strings.Trim(parts[2], "0123456789") == ""
}

// A file that had nothing in it, or an object without anything, has that again and not the lines of
// what came and went, though it was written meanwhile.
func TestWhatWasEmptyIsWrittenAsItWas(t *testing.T) {
	t.Parallel()
	for _, was := range []string{"{}", "{}\n", "// mine\n{ }\n", "{\"mcpServers\": {}}\n", "\uFEFF{\r\n\t\"mcpServers\": { },\r\n}\r\n"} {
		b := newBench(t, "home")
		path := filepath.Join(b.home, ".cursor", "mcp.json")
		b.write(path, was, 0o644)
		b.apply("cursor")
		b.write(path, b.read(path)+"\n", 0o644)
		b.undo("cursor")
		if got := b.read(path); got != was+"\n" {
			t.Errorf("it is %q; want %q, and the line end that came since", got, was)
		}
	}
}

// A hook keeps the time that its user gives it.
func TestTheTimeoutOfAHookStays(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"codex", "gemini-cli", "vscode"} {
		b := newBench(t, "home")
		b.apply(name)
		var path string
		for _, p := range b.parts(name) {
			if strings.Contains(b.read(p.Path), `"timeout": 10`) {
				path = p.Path
			}
		}
		with := strings.Replace(b.read(path), `"timeout": 10`, `"timeout": 60`, 1)
		b.write(path, with, 0o644)
		b.all(name, setup.Wired)
		b.apply(name)
		if got := b.read(path); got != with {
			t.Errorf("%s: set up again it is\n%s\nand was\n%s", name, got, with)
		}
	}
}
