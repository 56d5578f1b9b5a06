package setup_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/setup"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// bench is a home with a Wirer.
type bench struct {
	*testing.T
	home string
	dir  string // where it remembers
	*setup.Wirer
}

func newBench(t *testing.T) bench {
	var mu sync.Mutex
	dir := filepath.Join(t.TempDir(), "setup")
	return bench{t, t.TempDir(), dir, setup.New(setup.Options{
		Dir: dir,
		Now: func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) },
		Lock: func(context.Context) (func() error, error) {
			mu.Lock()
			return func() error { mu.Unlock(); return nil }, nil
		},
	})}
}

func (b bench) path(name string) string { return filepath.Join(b.home, filepath.FromSlash(name)) }

func (b bench) write(name, content string, mode fs.FileMode) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(content), mode); err != nil {
		b.Fatal(err)
	}
}

// tree is every file of the home with its mode and content.
func (b bench) tree() string {
	b.Helper()
	var all strings.Builder
	err := filepath.WalkDir(b.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		all.WriteString(path[len(b.home):] + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all.Write(append([]byte("\n"), content...))
		}
		all.WriteByte('\n')
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return all.String()
}

func (b bench) server(name, agent string) setup.Part {
	path := []string{"mcpServers", agent}
	return setup.Part{
		Path:   b.path(name),
		Set:    func(c []byte) ([]byte, error) { return edit.SetJSON(c, path, map[string]any{"command": "engram"}) },
		Remove: func(c, _ []byte) ([]byte, error) { return edit.RemoveJSON(c, path) },
	}
}

func (b bench) plugin(name, content string) setup.Part {
	return setup.Whole(b.path(name), []byte(content), 0o600)
}

func (b bench) apply(agent string, parts ...setup.Part) []setup.Change {
	b.Helper()
	all, err := b.Apply(b.Context(), agent, parts)
	if err != nil {
		b.Fatal(err)
	}
	return all
}

func (b bench) undo(agent string, parts ...setup.Part) []setup.Undone {
	b.Helper()
	all, err := b.Undo(b.Context(), agent, parts)
	if err != nil {
		b.Fatal(err)
	}
	return all
}

func TestUndoRestoresEveryByte(t *testing.T) {
	for name, content := range map[string]string{
		"no file":          "",
		"comments":         "{\n  // mine\n  \"a\": 1, // one\n}\n",
		"CRLF and a mark":  "\uFEFF{\r\n\t\"mcpServers\": {}\r\n}",
		"everything there": `{"mcpServers":{"other":{"command":"x"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if content != "" {
				b.write("conf/settings.json", content, 0o640)
			}
			before := b.tree()
			parts := []setup.Part{b.server("conf/settings.json", "engram"), b.plugin("skills/engram/SKILL.md", "how to remember")}
			b.apply("someone", parts...)
			wired := b.tree()
			for _, c := range b.apply("someone", parts...) {
				if c.Changed() {
					t.Errorf("a second time %s changes from %q to %q", c.Path, c.Before, c.After)
				}
			}
			if again := b.tree(); again != wired {
				t.Errorf("a second time it is\n%s\nand was\n%s", again, wired)
			}
			b.undo("someone", parts...)
			if after := b.tree(); after != before {
				t.Errorf("after undo it is\n%s\nand was\n%s", after, before)
			}
			if left := b.undo("someone", parts...); len(left) != 0 {
				t.Errorf("a second undo does %v; want nothing", left)
			}
		})
	}
}

func TestWhatWasWrittenSinceStays(t *testing.T) {
	b := newBench(t)
	b.write("settings.json", "{\n  \"a\": 1\n}\n", 0o644)
	part := b.server("settings.json", "engram")
	b.apply("someone", part)
	content, err := os.ReadFile(b.path("settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	b.write("settings.json", strings.Replace(string(content), `"a": 1`, `"a": 2`, 1), 0o644)
	b.undo("someone", part)
	content, err = os.ReadFile(b.path("settings.json"))
	if err != nil || !bytes.Contains(content, []byte(`"a": 2`)) || bytes.Contains(content, []byte("engram")) {
		t.Errorf("after undo it is %q, %v; want what was edited since, without engram", content, err)
	}
}

func TestTwoAgentsInOneFile(t *testing.T) {
	for _, first := range []string{"one", "two"} {
		b := newBench(t)
		b.write("settings.json", "{\n  \"a\": 1\n}\n", 0o644)
		before := b.tree()
		parts := map[string]setup.Part{"one": b.server("settings.json", "one"), "two": b.server("settings.json", "two")}
		b.apply("one", parts["one"])
		b.apply("two", parts["two"])
		b.undo(first, parts[first])
		delete(parts, first)
		for last, part := range parts {
			b.undo(last, part)
		}
		if after := b.tree(); after != before {
			t.Errorf("%s undone first: it is\n%s\nand was\n%s", first, after, before)
		}
	}
}

func TestWhatStandsInTheWay(t *testing.T) {
	for _, c := range []struct {
		name  string
		there func(bench)
		code  engram.Code
	}{
		{"a file that cannot be understood", func(b bench) { b.write("conf/settings.json", "{\n nope", 0o644) }, engram.CodeInvalid},
		{"a file that nobody may write", func(b bench) { b.write("conf/settings.json", "{}", 0o444) }, engram.CodeUnavailable},
		{"a folder", func(b bench) { b.write("conf/settings.json/x", "", 0o644) }, engram.CodeConflict},
		{"a link that leads nowhere", func(b bench) {
			b.write("conf/x", "", 0o644)
			if err := os.Symlink(b.path("nowhere"), b.path("conf/settings.json")); err != nil {
				b.Fatal(err)
			}
		}, engram.CodeConflict},
		{"another plugin of the name", func(b bench) { b.write("skills/engram/SKILL.md", "somebody else's", 0o644) }, engram.CodeConflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			c.there(b)
			before := b.tree()
			_, err := b.Apply(t.Context(), "someone", []setup.Part{
				b.plugin("skills/engram/SKILL.md", "how to remember"), b.server("conf/settings.json", "engram"),
			})
			if engram.CodeOf(err) != c.code {
				t.Errorf("Apply says %v; want %s", err, c.code)
			}
			if after := b.tree(); after != before {
				t.Errorf("it is\n%s\nand was\n%s", after, before)
			}
		})
	}
}

func TestALinkStaysOne(t *testing.T) {
	b := newBench(t)
	b.write("dotfiles/settings.json", "{}", 0o600)
	if err := os.Symlink(b.path("dotfiles/settings.json"), b.path("settings.json")); err != nil {
		t.Fatal(err)
	}
	b.apply("someone", b.server("settings.json", "engram"))
	info, err := os.Lstat(b.path("settings.json"))
	content, _ := os.ReadFile(b.path("dotfiles/settings.json"))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || !bytes.Contains(content, []byte("engram")) {
		t.Errorf("the link is %v, %v, and leads to %q; want a link still, and the entry where it leads", info.Mode(), err, content)
	}
}

// Who keeps configurations in one folder moves our file there, and a link stays.
func TestALinkToWhatWeMadeGoesWithIt(t *testing.T) {
	b := newBench(t)
	b.write("dotfiles/mine", "", 0o644)
	before := b.tree()
	part := b.plugin("rules/engram.md", "how to remember")
	b.apply("someone", part)
	if err := os.Rename(b.path("rules/engram.md"), b.path("dotfiles/engram.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/engram.md", b.path("rules/engram.md")); err != nil {
		t.Fatal(err)
	}
	b.undo("someone", part)
	if after := b.tree(); after != before {
		t.Errorf("it is\n%s\nand was\n%s", after, before)
	}
}

func TestManyAtOnce(t *testing.T) {
	b := newBench(t)
	b.write("settings.json", "{}", 0o644)
	before := b.tree()
	names := []string{"one", "two", "three", "four", "five"}
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			if _, err := b.Apply(t.Context(), name, []setup.Part{b.server("settings.json", name)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(b.path("settings.json"))
	for _, name := range names {
		if err != nil || !bytes.Contains(content, []byte(name)) {
			t.Errorf("%s is missing in %s, %v", name, content, err)
		}
		b.undo(name, b.server("settings.json", name))
	}
	if after := b.tree(); after != before {
		t.Errorf("after all were undone it is\n%s\nand was\n%s", after, before)
	}
}

func (b bench) rule(name string) setup.Part {
	return setup.Part{
		Path: b.path(name), Shared: "rule",
		Set:    func(c []byte) ([]byte, error) { return edit.SetMarkdown(c, "remember") },
		Remove: func(c, _ []byte) ([]byte, error) { return edit.RemoveMarkdown(c) },
	}
}

func TestWhatAgentsShareGoesWithTheLastOfThem(t *testing.T) {
	b := newBench(t)
	b.write("RULES.md", "# Mine\n", 0o600)
	before := b.tree()
	b.apply("one", b.rule("RULES.md"))
	b.apply("two", b.rule("RULES.md"))
	b.undo("one", b.rule("RULES.md"))
	content, err := os.ReadFile(b.path("RULES.md"))
	if err != nil || !bytes.Contains(content, []byte("remember")) {
		t.Errorf("with one undone it is %q, %v; want the rule of the other", content, err)
	}
	if status, err := b.Status("two", []setup.Part{b.rule("RULES.md")}); err != nil || status[0].Status != setup.Wired {
		t.Errorf("the other is %v, %v; want wired", status, err)
	}
	b.undo("two", b.rule("RULES.md"))
	if after := b.tree(); after != before {
		t.Errorf("after both were undone it is\n%s\nand was\n%s", after, before)
	}
}

func TestAFileThatYieldsLeavesAnother(t *testing.T) {
	b := newBench(t)
	b.write("hooks/start", "mine", 0o700)
	before := b.tree()
	hook := b.plugin("hooks/start", "ours")
	hook.Yields = true
	all := b.apply("someone", hook, b.plugin("hooks/stop", "ours"))
	if !all[0].Taken || all[0].Changed() || !all[1].Changed() {
		t.Errorf("the changes are %+v; want the first taken, and the second made", all)
	}
	status, err := b.Status("someone", []setup.Part{hook, b.plugin("hooks/stop", "ours")})
	if err != nil || status[0].Status != setup.Taken || status[1].Status != setup.Wired {
		t.Errorf("the status is %v, %v; want taken and wired", status, err)
	}
	b.undo("someone")
	if after := b.tree(); after != before {
		t.Errorf("it is\n%s\nand was\n%s", after, before)
	}
}

func TestNothingIsRememberedOfWhatWasUndone(t *testing.T) {
	b := newBench(t)
	b.write("settings.json", `{"token": "hunter2"}`, 0o600)
	b.apply("someone", b.server("settings.json", "engram"))
	if agents, err := b.Agents(); err != nil || len(agents) != 1 {
		t.Errorf("wired are %v, %v; want one", agents, err)
	}
	plan, err := b.PlanUndo("someone", []setup.Part{b.server("settings.json", "engram")})
	if err != nil || len(plan) != 1 || string(plan[0].After) != `{"token": "hunter2"}` {
		t.Errorf("the plan of an undo is %+v, %v; want what was there", plan, err)
	}
	b.undo("someone", b.server("settings.json", "engram"))
	left, err := os.ReadDir(b.dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v; want nothing, for there was a token in it", left, err)
	}
}

func TestAnUndoOfOneAgentIsAllFilesOrNone(t *testing.T) {
	b := newBench(t)
	b.write("settings.json", "{}", 0o644)
	b.write("other.json", "{}", 0o644)
	parts := []setup.Part{b.server("settings.json", "engram"), b.plugin("plugin/start", "ours"), b.plugin("plugin/stop", "ours")}
	b.apply("someone", parts...)
	other := b.server("other.json", "engram")
	b.apply("another", other)
	for name, c := range map[string]struct {
		content string
		mode    fs.FileMode
		code    engram.Code
	}{
		"it cannot be understood": {"{ nope", 0o644, engram.CodeInvalid},
		"it may not be written":   {`{"mcpServers": {"engram": {"command": "engram"}}, "a": 1}`, 0o444, engram.CodeUnavailable},
	} {
		if err := os.Remove(b.path("settings.json")); err != nil {
			t.Fatal(err)
		}
		b.write("settings.json", c.content, c.mode)
		before := b.tree()
		plan, err := b.PlanUndo("someone", parts)
		if err != nil || len(plan) != 3 {
			t.Errorf("%s: PlanUndo = %+v, %v; want three files", name, plan, err)
		}
		all, err := b.Undo(t.Context(), "someone", parts)
		if engram.CodeOf(err) != c.code || len(all) != 3 {
			t.Errorf("%s: Undo = %+v, %v; want three files, and %s", name, all, err, c.code)
		}
		for n, u := range all {
			if u.Left == "" || u.Changed() || plan[n].Left != u.Left {
				t.Errorf("%s: %s is left for %q, planned %q; want it left", name, u.Path, u.Left, plan[n].Left)
			}
		}
		if after := b.tree(); after != before {
			t.Errorf("%s: it is\n%s\nand was\n%s", name, after, before)
		}
	}
	b.undo("another", other)
	if err := os.Chmod(b.path("settings.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.write("settings.json", `{"mcpServers": {"engram": {"command": "engram"}}}`, 0o644)
	b.write("plugin/start", "changed by hand", 0o644)
	all, err := b.Undo(t.Context(), "someone", parts)
	if err != nil || len(all) != 3 {
		t.Errorf("once more: %+v, %v; want what was left", all, err)
	}
	if _, err := os.Stat(b.path("plugin/stop")); err == nil {
		t.Error("a file of ours that was changed by hand keeps another one")
	}
}

func TestWhatIsRememberedOfNothing(t *testing.T) {
	b := newBench(t)
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "setup.json"), []byte(`{"version":1,"files":null}`), 0o600); err != nil {
		t.Fatal(err)
	}
	before := b.tree()
	b.apply("a", b.server("one.json", "a"))
	b.undo("a", b.server("one.json", "a"))
	if after := b.tree(); after != before {
		t.Errorf("after undo it is\n%s\nand was\n%s", after, before)
	}
}

func TestAPlanSaysThatAFileIsReadOnly(t *testing.T) {
	b := newBench(t)
	b.write("one.json", "{}", 0o444)
	parts := []setup.Part{b.server("one.json", "a")}
	if _, err := b.Plan("a", parts); engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("Plan says %v; want CodeUnavailable", err)
	}
	if all, err := b.Status("a", parts); err != nil || all[0].Status != setup.Broken || !strings.HasPrefix(all[0].Why, "it cannot be written") {
		t.Errorf("Status = %+v, %v; want broken, for it cannot be written", all, err)
	}
}

func TestTheProgramsThatAgentsCallAreRememberedUntilAllIsUndone(t *testing.T) {
	b := newBench(t)
	for n, program := range []string{"/opt/engram", "/opt/another", "/opt/engram"} {
		b.Wirer = setup.New(setup.Options{Dir: b.dir, Now: time.Now, Program: program, Lock: func(context.Context) (func() error, error) {
			return func() error { return nil }, nil
		}})
		b.apply("a", b.plugin("one", strings.Repeat("x", n)))
	}
	if got, err := b.Programs(); err != nil || !slices.Equal(got, []string{"/opt/another", "/opt/engram"}) {
		t.Errorf("Programs = %q, %v; want both, once each", got, err)
	}
	b.undo("a", b.plugin("one", "xx"))
	if got, err := b.Programs(); err != nil || len(got) > 0 {
		t.Errorf("when all is undone: %q, %v; want none", got, err)
	}
}

// The record, and what it keeps, may be of another version, or written by somebody else.
func TestARecordThatIsNotOursIsRefused(t *testing.T) {
	b := newBench(t)
	b.write("settings.json", `{"a": 1}`, 0o640)
	part := b.server("settings.json", "engram")
	b.apply("someone", part)
	copies, err := filepath.Glob(filepath.Join(b.dir, "before", "*"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("there are %q, %v; want one copy", copies, err)
	}
	if err := os.WriteFile(copies[0], []byte("somebody else's"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := b.tree()
	if _, err := b.Undo(t.Context(), "someone", []setup.Part{part}); engram.CodeOf(err) != engram.CodeInvalid || b.tree() != before {
		t.Errorf("with a copy that was changed Undo says %v, and the home is\n%s\nwant CodeInvalid, and no change of\n%s", err, b.tree(), before)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "setup.json"), []byte(`{"version": 99, "files": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Apply(t.Context(), "someone", []setup.Part{part}); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("with a record of a newer version Apply says %v; want CodeConflict", err)
	}
}

func TestAFileComesBackWithTheRightsThatItHad(t *testing.T) {
	b := newBench(t)
	b.write("settings.json", `{"a": 1}`, 0o640)
	before := b.tree()
	b.apply("someone", b.server("settings.json", "engram"))
	if err := os.Chmod(b.path("settings.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.undo("someone", b.server("settings.json", "engram"))
	if after := b.tree(); after != before {
		t.Errorf("after undo it is\n%s\nand was\n%s", after, before)
	}
}

func TestAFileThatIsTooLargeForAConfigurationIsRefused(t *testing.T) {
	b := newBench(t)
	b.write("settings.json", "{}"+strings.Repeat(" ", 16<<20), 0o644)
	if _, err := b.Apply(t.Context(), "someone", []setup.Part{b.server("settings.json", "engram")}); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("Apply says %v; want CodeInvalid", err)
	}
}

// A file written between the plan and the write stays as it was written.
func TestAFileThatChangesWhileItIsWiredIsNotOverwritten(t *testing.T) {
	b := newBench(t)
	b.write("settings.json", `{"a": 1}`, 0o644)
	first := b.plugin("plugin", "ours")
	part := b.server("settings.json", "engram")
	set := part.Set
	part.Set = func(c []byte) ([]byte, error) {
		out, err := set(c)
		b.write("settings.json", `{"a": 2}`, 0o644)
		return out, err
	}
	if _, err := b.Apply(t.Context(), "someone", []setup.Part{first, part}); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("Apply says %v; want CodeConflict", err)
	}
	content, err := os.ReadFile(b.path("settings.json"))
	if err != nil || string(content) != `{"a": 2}` {
		t.Errorf("it is %q, %v; want what somebody else wrote", content, err)
	}
	if _, err := os.Stat(b.path("plugin")); err == nil {
		t.Error("the file before it is there still")
	}
}
