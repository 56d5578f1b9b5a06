//go:build unix

package agent_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/alanbuscaglia/engram/internal/setup/agent"
)

// hostile are names of folders that a shell, JSON, TOML or Markdown reads as something else.
func hostile() []string {
	return []string{
		"a space", " two  spaces ", "$(touch PWNED)", "`touch PWNED`", "; touch PWNED;", "a;b", "a&&touch PWNED", "a|touch PWNED",
		"line\nbreak", "-rf", "--data-dir", "it's", `"quoted"`, `back\slash`, "ünïcödé 記憶", "$HOME", "%PATH%", "!history", "*", "~", "#", "<!-- end engram -->",
		"tab\tstop", "a>PWNED", "\u202eevil", "${IFS}", "'; touch PWNED; '", "{{x}}", "__ENGRAM__", "\x7f",
	}
}

// told is a program that writes down how it was called.
const told = "#!/bin/sh\nprintf '%s\\n\\001' \"$0\" \"$@\" > \"$TOLD\"\n"

// willing are the agents that can be told of a path such as this one: some take ${…} for a variable.
func (b bench) willing() []agent.Agent {
	b.Helper()
	var all []agent.Agent
	for _, a := range agent.All() {
		switch _, err := a.Parts(b.Env); {
		case err == nil:
			all = append(all, a)
		case !strings.Contains(b.Engram, "${") || !strings.Contains(err.Error(), "as a variable"):
			b.Errorf("%s: Parts says %v", a.Name, err)
		}
	}
	return all
}

// lines are the command lines of hooks in what was written, and the scripts.
func (b bench) lines() (lines []string, scripts []string) {
	b.Helper()
	for _, a := range b.willing() {
		for _, p := range b.parts(a.Name) {
			content := []byte(b.read(p.Path))
			if bytes.HasPrefix(content, []byte("#!")) {
				scripts = append(scripts, p.Path)
			}
			if filepath.Ext(p.Path) != ".json" {
				continue
			}
			var v any
			if err := json.Unmarshal(content, &v); err != nil {
				b.Fatalf("%s: %v", p.Path, err)
			}
			walk(v, func(o map[string]any) {
				line, _ := o["command"].(string)
				_, exec := o["args"]
				switch {
				case line == "":
				case exec && strings.ReplaceAll(line, "${ENGRAM_NO_VARIABLE:-$}", "$") != b.Engram:
					b.Errorf("%s calls %q; want %q", p.Path, line, b.Engram)
				case !exec:
					lines = append(lines, line)
				}
			})
		}
	}
	return lines, scripts
}

// walk calls fn for every object.
func walk(v any, fn func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		fn(v)
		for _, inner := range v {
			walk(inner, fn)
		}
	case []any:
		for _, inner := range v {
			walk(inner, fn)
		}
	}
}

func TestNamesThatShellsReadAreNeverRun(t *testing.T) {
	t.Parallel()
	for _, name := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, name)
			b.DataDir = filepath.Join(b.home, "data "+name)
			b.write(b.Engram, told, 0o755)
			for _, a := range b.willing() {
				b.put(a.Name)
			}
			lines, scripts := b.lines()
			if len(lines) < 16 || len(scripts) < 8 {
				t.Fatalf("there are %d lines and %d scripts; want those of two agents at least, and of Cline", len(lines), len(scripts))
			}
			run := func(what string, cmd *exec.Cmd) []string {
				t.Helper()
				cmd.Dir = t.TempDir()
				note := filepath.Join(t.TempDir(), "told")
				cmd.Env = append(os.Environ(), "TOLD="+note)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", what, err, out)
				}
				words := strings.Split(strings.TrimSuffix(b.read(note), "\n\x01"), "\n\x01")
				at := slices.Index(words, "--data-dir")
				if words[0] != b.Engram || at < 1 || at+1 >= len(words) || words[at+1] != b.DataDir {
					t.Errorf("%s runs %q; want %q with --data-dir %q", what, words, b.Engram, b.DataDir)
				}
				if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
					t.Errorf("%s left %v, %v", what, left, err)
				}
				return words
			}
			for n, line := range lines {
				if n%7 > 0 && n < len(lines)-1 {
					continue // they differ by the event
				}
				if words := run(line, exec.CommandContext(t.Context(), "/bin/sh", "-c", line)); len(words) != 6 || words[1] != "hook" {
					t.Errorf("%s runs %q; want the hook of an event", line, words)
				}
			}
			for _, script := range scripts {
				cmd := exec.CommandContext(t.Context(), script)
				cmd.Stdin = strings.NewReader("{}")
				run(script, cmd)
			}
			var config struct {
				Servers map[string]struct {
					Command string
					Args    []string
				} `toml:"mcp_servers"`
			}
			if _, err := toml.Decode(b.read(filepath.Join(b.home, ".codex", "config.toml")), &config); err != nil {
				t.Fatal(err)
			}
			if got := config.Servers["engram"]; got.Command != b.Engram || !slices.Equal(got.Args, []string{"mcp", "--data-dir", b.DataDir}) {
				t.Errorf("Codex calls %q; want %q with the data of %q", got, b.Engram, b.DataDir)
			}
		})
	}
}

func TestUndoWhereNamesAreHostile(t *testing.T) {
	t.Parallel()
	b := newBench(t, hostile()[2]+hostile()[8]+hostile()[21])
	b.DataDir = filepath.Join(b.home, "it's data")
	before := b.tree()
	for _, a := range agent.All() {
		b.apply(a.Name)
	}
	for _, a := range agent.All() {
		b.undo(a.Name)
	}
	if after := b.tree(); after != before {
		t.Errorf("after undo it is\n%s\nand was\n%s", after, before)
	}
}

func TestAPathThatIsNoTextIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	b.Engram = "/opt/\xff/engram"
	for _, a := range agent.All() {
		if _, err := a.Parts(b.Env); err == nil || !strings.Contains(err.Error(), "not valid text") {
			t.Errorf("%s: Parts says %v; want a refusal", a.Name, err)
		}
	}
}
