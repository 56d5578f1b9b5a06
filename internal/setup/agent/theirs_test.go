package agent_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup/agent"
)

func TestAHookOfThePersonInOurGroupStays(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	path := filepath.Join(b.home, ".codex", "hooks.json")
	b.apply("codex")
	const ours = `"timeout": 10
          }`
	with := strings.Replace(b.read(path), ours, ours+`, {"type": "command", "command": "mine.sh"}`, 1)
	b.write(path, with, 0o644)
	b.Engram += "-moved"
	b.apply("codex")
	if got := b.read(path); !strings.Contains(got, "mine.sh") || strings.Count(got, "engram-moved") != strings.Count(got, "engram") {
		t.Errorf("a second setup makes\n%s\nof\n%s", got, with)
	}
	b.undo("codex")
	if got := b.read(path); !strings.Contains(got, "mine.sh") || strings.Contains(got, "engram") {
		t.Errorf("undo leaves\n%s\nwant only mine.sh", got)
	}
}

func TestACommandOfThePersonStays(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	mine := filepath.Join(b.home, ".config", "opencode", "commands", "recall.md")
	b.write(mine, "Look it up.\n", 0o644)
	before := b.tree()
	all, err := b.Apply(t.Context(), "opencode", b.parts("opencode"))
	if err != nil {
		t.Fatalf("Apply says %v; want all but the command", err)
	}
	var taken []string
	for _, c := range all {
		if c.Taken {
			taken = append(taken, c.Path)
		}
	}
	if len(taken) != 1 || taken[0] != mine || b.read(mine) != "Look it up.\n" {
		t.Errorf("left are %q, and it says %q; want %s as it was", taken, b.read(mine), mine)
	}
	b.read(filepath.Join(b.home, ".config", "opencode", "plugins", "engram.ts"))
	b.undo("opencode")
	if after := b.tree(); after != before {
		t.Errorf("after undo it is\n%s\nand was\n%s", after, before)
	}
}

func TestAVersionThatIsNotKnownIsTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	hooks := filepath.Join(b.home, ".cursor", "hooks.json")
	b.write(hooks, `{"version":2,"hooks":{}}`, 0o644)
	_, err := b.Apply(t.Context(), "cursor", b.parts("cursor"))
	if engram.CodeOf(err) != engram.CodeConflict || !strings.Contains(err.Error(), "version 2 is not known") {
		t.Errorf("Apply says %v; want CodeConflict with the version", err)
	}
	b.write(hooks, `{"version":1,"hooks":{}}`, 0o644)
	before := b.tree()
	b.apply("cursor")
	b.undo("cursor")
	if after := b.tree(); after != before {
		t.Errorf("after undo it is\n%s\nand was\n%s", after, before)
	}
}

func TestUndoOfEveryAgentBelowLinks(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		b := newBench(t, "home")
		for _, name := range []string{".claude", ".config", ".codex", ".gemini", ".cursor", ".codeium", ".kiro", ".pi", ".copilot", "Documents"} {
			b.link(name)
		}
		before := b.tree()
		b.apply(a.Name)
		b.undo(a.Name)
		if after := b.tree(); after != before {
			t.Errorf("%s: after undo it is\n%s\nand was\n%s", a.Name, after, before)
		}
	}
}

// link makes a folder of the home a link to one that lies elsewhere in it.
func (b bench) link(name string) {
	b.Helper()
	real := filepath.Join(b.home, "dotfiles", name)
	b.write(filepath.Join(real, "mine"), "", 0o644)
	b.symlink(real, filepath.Join(b.home, name))
}
