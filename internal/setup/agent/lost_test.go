package agent_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/setup"
	"github.com/alanbuscaglia/engram/internal/setup/agent"
)

// lose removes what is remembered, as `rm -r ~/.engram` does.
func (b bench) lose() {
	b.Helper()
	if err := os.RemoveAll(b.record); err != nil {
		b.Fatal(err)
	}
}

// left are the files of the home in which engram is spoken of, and what they say.
func (b bench) left() string {
	b.Helper()
	var all strings.Builder
	err := filepath.WalkDir(b.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if content := b.read(path); strings.Contains(strings.ToLower(content), "engram") {
			all.WriteString(path + "\n" + content + "\n")
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return all.String()
}

// onlyEntries are the agents that get a server and nothing else: a person may have written the
// same by hand.
func onlyEntries(name string) bool { return name == "zed" || name == "claude-desktop" }

func TestWhatIsWiredAndNotRememberedIsToldAndTakenOut(t *testing.T) {
	for _, name := range agent.Names() {
		for _, shape := range []string{"nothing", "no content", "a small file", "everything at once", "one line"} {
			for _, again := range []bool{false, true} {
				t.Run(name+"/"+shape+map[bool]string{true: ", set up again"}[again], func(t *testing.T) {
					t.Parallel()
					b := newBench(t, "home")
					b.fill(name, shape, false)
					before := map[string]string{}
					for _, p := range b.parts(name) {
						if c, err := os.ReadFile(p.Path); err == nil {
							before[p.Path] = string(c)
						}
					}
					b.apply(name)
					wired := b.tree()
					b.lose()

					all, err := b.Status(name, b.parts(name))
					if err != nil {
						t.Fatal(err)
					}
					for n, s := range all {
						if s.Status != setup.Wired || s.Known {
							t.Errorf("%s is %+v; want wired and not known", b.parts(name)[n].Path, s)
						}
					}
					if trace, err := b.Trace(name, b.parts(name)); err != nil || (trace == setup.Sure) == onlyEntries(name) || trace == setup.None {
						t.Errorf("its trace is %v, %v; want one, which is sure unless a person may have written it", trace, err)
					}
					if again {
						b.apply(name)
						if now := b.tree(); now != wired {
							t.Errorf("set up again it is\n%s\nand was\n%s", now, wired)
						}
					}
					plan, err := b.PlanUndo(name, b.parts(name))
					if now := b.tree(); err != nil || now != wired {
						t.Errorf("the plan of an undo: %v; the home is\n%s\nand was\n%s", err, now, wired)
					}
					done, err := b.Undo(t.Context(), name, b.parts(name))
					if err != nil || len(done) != len(all) || len(plan) != len(done) {
						t.Errorf("Undo says %d files, planned %d, %v; want all of %d", len(done), len(plan), err, len(all))
					}
					for _, u := range done {
						if !u.Guessed || u.Left != "" {
							t.Errorf("%s: guessed %v, left %q; want it told that nobody knows what it was", u.Path, u.Guessed, u.Left)
						}
						was, now := before[u.Path], b.content(u.Path)
						// The version of a file of hooks may have been there, and others may need it.
						now = strings.Replace(now, ",\n  \"version\": 1", "", 1)
						if shape == "a small file" && now != was {
							t.Errorf("%s says %q, and said %q", u.Path, now, was)
						}
					}
					if left := b.left(); left != "" {
						t.Errorf("engram is left in\n%s", left)
					}
					if _, err := os.Stat(b.record); err == nil && again {
						if in, _ := os.ReadDir(b.record); len(in) > 0 {
							t.Errorf("%v is remembered still", in)
						}
					}
					if more, err := b.Undo(t.Context(), name, b.parts(name)); len(more) > 0 || err != nil {
						t.Errorf("a second undo does %+v, %v; want nothing", more, err)
					}
				})
			}
		}
	}
}

// content is that of a file; "" for none.
func (b bench) content(path string) string {
	c, _ := os.ReadFile(path)
	return string(c)
}

func TestWhatAnOlderProgramWiredIsTakenOverThoughNothingIsRemembered(t *testing.T) {
	for _, name := range agent.Names() {
		if onlyEntries(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "home")
			b.fill(name, "a small file", false)
			b.apply(name)
			b.lose()
			b.Engram, b.Version = filepath.Join(b.home, "moved", "engram"), "2.0.0"
			all, err := b.Status(name, b.parts(name))
			for n, s := range all {
				if err != nil || s.Status == setup.Broken || s.Status == setup.Absent || s.Status == setup.Changed && s.Why == "" {
					t.Errorf("%s is %+v, %v; want wired, or changed and why", b.parts(name)[n].Path, s, err)
				}
			}
			b.apply(name)
			if left := b.left(); strings.Contains(left, filepath.Join("bin", "engram")) || strings.Count(left, `"engram":`) > strings.Count(left, ".json\n") {
				t.Errorf("the older program is called still, or twice:\n%s", left)
			}
			b.undo(name)
			if left := b.left(); left != "" {
				t.Errorf("engram is left in\n%s", left)
			}
		})
	}
}

// A file of ours that differs in more than paths may be of an older program, or changed by hand:
// setup brings it up to date, and undo gives it back; without a record it is left, and told.
func TestAFileOfOursThatSomebodyMayHaveChangedIsNotLost(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	b.apply("claude-code")
	b.lose()
	path := filepath.Join(b.home, ".claude", "skills", "engram", "commands", "recall.md")
	now := b.read(path)
	mine := now + "And tell it in verse.\n"
	b.write(path, mine, 0o644)
	line := "line " + strconv.Itoa(strings.Count(now, "\n")+1) + " differs"
	for n, p := range b.parts("claude-code") {
		all, err := b.Status("claude-code", b.parts("claude-code"))
		if err != nil || p.Path == path && (all[n].Status != setup.Changed || all[n].Why != line) {
			t.Errorf("it is %+v, %v; want changed, for %q", all[n], err, line)
		}
	}
	b.apply("claude-code")
	if is := b.read(path); is != now {
		t.Errorf("set up it says\n%s\nwant\n%s", is, now)
	}
	b.undo("claude-code")
	if left := b.tree(); b.content(path) != mine || strings.Count(left, "SKILL.md") > 0 {
		t.Errorf("undone it is\n%s\nwant what was changed by hand, and no other file", left)
	}
	for range 2 {
		done, err := b.Undo(t.Context(), "claude-code", b.parts("claude-code"))
		if want := "it differs from what engram writes now: " + line; err != nil || len(done) != 1 || done[0].Left != want || b.content(path) != mine {
			t.Errorf("undone without a record: %+v, %v; want it left: %q", done, err, want)
		}
	}
}

func TestAServerOfThePersonIsNotTakenForOurs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, server string
		trace        setup.Trace
		status       setup.Status
		undone       bool
	}{
		{"another program of the name", `{"command": "mine", "args": []}`, setup.None, setup.Changed, false},
		{"this program by another path", `{"command": "/opt/engram", "args": ["mcp"]}`, setup.None, setup.Changed, false},
		{"just what setup would write", "", setup.Unsure, setup.Wired, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, "home")
			path := filepath.Join(b.home, ".config", "zed", "settings.json")
			if tt.server == "" {
				tt.server = `{"command": "` + b.Engram + `", "args": ["mcp"]}`
			}
			was := "{\n  \"context_servers\": {\n    \"engram\": " + tt.server + "\n  }\n}\n"
			b.write(path, was, 0o644)
			if trace, err := b.Trace("zed", b.parts("zed")); err != nil || trace != tt.trace {
				t.Errorf("its trace is %v, %v; want %v", trace, err, tt.trace)
			}
			all, err := b.Status("zed", b.parts("zed"))
			if err != nil || all[0].Status != tt.status || (all[0].Why == "context_servers.engram differs") != (tt.status == setup.Changed) {
				t.Errorf("it is %+v, %v; want %s, and why", all, err, tt.status)
			}
			b.undo("zed")
			if now := b.content(path); (now == was) == tt.undone || strings.Contains(now, "engram") == tt.undone {
				t.Errorf("undone it says %q; want it taken out: %v", now, tt.undone)
			}
			b.write(path, was, 0o644)
			b.apply("zed")
			b.undo("zed")
			if now := b.content(path); now != was && !tt.undone {
				t.Errorf("set up and undone it says %q, and said %q", now, was)
			}
		})
	}
}

func TestWhyAFileIsNotAsItWouldBe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, agent, file string
		change            func(string) string
		status            setup.Status
		why               string
	}{
		{"no JSON", "cursor", ".cursor/mcp.json", func(string) string { return "{\n  \"a\": 1,\n  \"b\": dark\n}\n" }, setup.Broken,
			"line 3, column 8: invalid JSON"},
		{"no TOML", "codex", ".codex/config.toml", func(s string) string { return s + "b = = 2\n" }, setup.Broken, "line 5, column 5: invalid TOML"},
		{"an entry is gone", "codex", ".codex/hooks.json", func(s string) string { return strings.Replace(s, "hook codex Stop", "hook codex Halt", 1) }, setup.Changed,
			"changed since it was set up: hooks.Stop is missing"},
		{"two are gone", "codex", ".codex/hooks.json", func(string) string { return `{"hooks": {}}` }, setup.Changed,
			"changed since it was set up: hooks.SessionStart, hooks.UserPromptSubmit, "},
		{"an entry says something else", "cursor", ".cursor/mcp.json", func(s string) string { return strings.Replace(s, `"mcp"`, `"serve"`, 1) }, setup.Changed,
			"changed since it was set up: mcpServers.engram differs"},
		{"a table says something else", "codex", ".codex/config.toml", func(s string) string { return strings.Replace(s, `"mcp"`, `"serve"`, 1) }, setup.Changed,
			"changed since it was set up: [mcp_servers.engram] differs"},
		{"the block was edited", "codex", ".codex/AGENTS.md", func(s string) string { return strings.Replace(s, "memory", "Memory", 1) }, setup.Changed,
			"changed since it was set up: the block of engram differs"},
		{"a block does not end", "codex", ".codex/AGENTS.md", func(s string) string { return strings.Replace(s, "<!-- end engram -->", "", 1) }, setup.Broken,
			"line 1, column 1: the block of engram has no end"},
		{"a file of ours was edited", "pi", ".pi/agent/extensions/engram.ts", func(s string) string { return strings.Replace(s, "\n", "\nmine\n", 1) }, setup.Changed,
			"changed since it was set up: line 2 differs"},
		{"a file of ours was cut", "kiro", ".kiro/steering/engram.md", func(s string) string { return s[:4] }, setup.Changed, "changed since it was set up: line 2 differs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, "home")
			b.apply(tt.agent)
			path := filepath.Join(b.home, filepath.FromSlash(tt.file))
			b.write(path, tt.change(b.read(path)), 0o644)
			all, err := b.Status(tt.agent, b.parts(tt.agent))
			if err != nil {
				t.Fatal(err)
			}
			for n, p := range b.parts(tt.agent) {
				switch s := all[n]; {
				case p.Path == path && (s.Status != tt.status || !strings.HasPrefix(s.Why, tt.why)):
					t.Errorf("it is %s, for %q; want %s, for %q", s.Status, s.Why, tt.status, tt.why)
				case p.Path != path && (s.Status != setup.Wired || s.Why != ""):
					t.Errorf("%s is %s, for %q; want wired", p.Path, s.Status, s.Why)
				}
			}
		})
	}
}

func TestAnUpdateIsToldFromAChangeByHand(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	b.apply("codex")
	b.Engram += "-2"
	all, err := b.Status("codex", b.parts("codex"))
	if want := "for another version, program or data directory: [mcp_servers.engram] differs"; err != nil || all[0].Status != setup.Changed || all[0].Why != want {
		t.Errorf("got %+v, %v; want changed, for %q", all[0], err, want)
	}
	if err := os.Remove(b.parts("codex")[0].Path); err != nil {
		t.Fatal(err)
	}
	all, err = b.Status("codex", b.parts("codex"))
	if want := "it was removed since it was set up"; err != nil || all[0].Status != setup.Absent || all[0].Why != want {
		t.Errorf("removed: got %+v, %v; want absent, for %q", all[0], err, want)
	}
}

// The copy of what a file was may be gone while the rest is remembered.
func TestUndoWithoutTheCopyTakesOutWhatIsOurs(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	b.fill("codex", "a small file", false)
	before := map[string]string{}
	for _, p := range b.parts("codex") {
		before[p.Path] = b.content(p.Path)
	}
	b.apply("codex")
	if err := os.RemoveAll(filepath.Join(b.record, "before")); err != nil {
		t.Fatal(err)
	}
	done, err := b.Undo(t.Context(), "codex", b.parts("codex"))
	if err != nil || len(done) != 3 {
		t.Fatalf("Undo = %+v, %v; want three files", done, err)
	}
	for _, u := range done {
		if !u.Guessed || u.Left != "" || b.content(u.Path) != before[u.Path] {
			t.Errorf("%s: guessed %v, left %q, %q; want it said, and %q", u.Path, u.Guessed, u.Left, b.content(u.Path), before[u.Path])
		}
	}
}

func TestRulesThatWindsurfWouldCutAreTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, "home")
	path := filepath.Join(b.home, ".codeium", "windsurf", "memories", "global_rules.md")
	over := func(n int) string { return strings.Repeat("ä", n) + "\n" }
	block := len([]rune(b.rules(path, over(10)))) - 11
	for _, tt := range []struct{ mine, over int }{{6000 - block - 1, 0}, {6000 - block, 1}, {7000, 7001 + block - 6000}} {
		b.write(path, over(tt.mine), 0o644)
		all, err := b.Plan("windsurf", b.parts("windsurf"))
		if err != nil || all[2].Over != tt.over || all[0].Over != 0 {
			t.Errorf("%d characters of a person: the plan says %d over, %v; want %d", tt.mine, all[2].Over, err, tt.over)
		}
		b.apply("windsurf")
		status, err := b.Status("windsurf", b.parts("windsurf"))
		if err != nil || status[2].Over != tt.over {
			t.Errorf("%d characters of a person: the status says %d over, %v; want %d", tt.mine, status[2].Over, err, tt.over)
		}
		b.undo("windsurf")
	}
}

// rules are what becomes of rules of Windsurf.
func (b bench) rules(path, mine string) string {
	b.Helper()
	b.write(path, mine, 0o644)
	b.apply("windsurf")
	defer b.undo("windsurf")
	return b.read(path)
}
