package hook_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/hook"
)

// yard is a desk whose folder, shop, holds the repositories cart and till.
func yard(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	for _, name := range []string{"cart", "till"} {
		git(t, d.dir, "init", "-q", name)
		if err := os.MkdirAll(filepath.Join(d.dir, name, "src", "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

const lesson = "Done.\n\n## Key Learnings:\n1. The cart rounds each line and not the sum, as the tax office wants it\n"

// edit is the use of a tool that changes a file of the desk's folder.
func (d *desk) edit(more ...any) func(path string) {
	return func(path string) {
		d.t.Helper()
		if !filepath.IsAbs(path) {
			path = filepath.Join(d.dir, path)
		}
		d.report("after-tool", append(more, "tool_name", "Edit", "tool_input", map[string]any{"file_path": path})...)
	}
}

func (d *desk) bash(command string, more ...any) {
	d.t.Helper()
	d.report("after-tool", append(more, "tool_name", "Bash", "tool_input", map[string]any{"command": command}, "tool_response", map[string]any{"stdout": "ok"})...)
}

// What an agent learns that was started in a folder of several repositories is of the one in
// which it worked.
func TestWhatIsLearnedGoesWhereTheWorkWas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		work func(d *desk)
		want string
	}{
		{"a file that was changed", func(d *desk) { d.edit()("cart/a.go") }, "cart"},
		{"a file in a folder of the repository", func(d *desk) { d.edit()("till/src/deep/a.go") }, "till"},
		{"a file in a folder that is not there", func(d *desk) { d.edit()("till/src/new/er/a.go") }, "till"},
		{"a file that is named from the folder on", func(d *desk) {
			d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "cart/a.go"})
		}, "cart"},
		{"most of the files", func(d *desk) { d.edit()("cart/a.go"); d.edit()("till/a.go"); d.edit()("till/b.go") }, "till"},
		{"a changed file before commands elsewhere", func(d *desk) { d.bash("cd cart && make"); d.bash("cd cart && make"); d.edit()("till/a.go") }, "till"},
		{"a command that goes there", func(d *desk) { d.bash("cd till/src && make test") }, "till"},
		{"a command with a folder of its own", func(d *desk) {
			d.tellAs("codex", "after-tool", "tool_name", "shell", "tool_input", map[string]any{"command": []string{"make"}, "workdir": "cart"})
		}, "cart"},
		{"an agent that has gone there", func(d *desk) { d.bash("make", "cwd", filepath.Join(d.dir, "till", "src")) }, "till"},
		{"a worktree that lies elsewhere", func(d *desk) {
			tree := filepath.Join(d.t.TempDir(), "mended")
			git(d.t, filepath.Join(d.dir, "cart"), "commit", "-q", "--allow-empty", "-m", "first")
			git(d.t, filepath.Join(d.dir, "cart"), "worktree", "add", "-q", tree, "-b", "mended")
			d.edit()("till/a.go")
			d.edit()(filepath.Join(tree, "a.go"))
			d.edit()(filepath.Join(tree, "b.go"))
		}, "cart"},
		{"files of no repository count for none", func(d *desk) { d.edit()("a.txt"); d.edit()("b.txt"); d.edit()("/tmp/x.txt"); d.edit()("till/a.go") }, "till"},
		{"nowhere", func(*desk) {}, "shop"},
		{"only beside the repositories", func(d *desk) { d.edit()("a.txt") }, "shop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := yard(t)
			d.quiet(d.report("session-start"))
			d.quiet(d.report("prompt", "prompt", "what is here?"))
			tt.work(d)
			d.report("stop", "last_assistant_message", lesson)
			d.allIn(tt.want, 1)
		})
	}
	for event, more := range map[string][]any{"subagent-stop": {"agent_id", "a", "last_assistant_message", lesson}, "after-compact": {"compact_summary", lesson}} {
		t.Run(event, func(t *testing.T) {
			d := yard(t)
			d.edit()("till/a.go")
			d.report(event, more...)
			d.allIn("till", map[bool]int{true: 2, false: 1}[event == "after-compact"])
		})
	}
}

// allIn checks that all that is kept, so many memories, is in one project, as session s1 is.
func (d *desk) allIn(want string, many int) {
	d.t.Helper()
	ms := d.memories(engram.Filter{})
	if len(ms) != many {
		d.t.Errorf("got %d memories, want %d; logged %v", len(ms), many, d.logged)
	}
	for _, m := range ms {
		if m.Project != want || m.SessionID != "s1" {
			d.t.Errorf("%s is in %q, session %q, want %q, s1", m.Title, m.Project, m.SessionID, want)
		}
	}
	if s, err := d.e.Session(d.t.Context(), "s1"); err != nil || s.Project != want {
		d.t.Errorf("the session is in %q, %v, want %q", s.Project, err, want)
	}
}

// A session has one project. What it learns in another one is kept there, in a session that
// is over at once.
func TestWhatIsLearnedInASecondRepositoryIsKeptThere(t *testing.T) {
	t.Parallel()
	for name, folder := range map[string]string{"from the folder of both": "", "from the first one": "cart"} {
		t.Run(name, func(t *testing.T) {
			d := yard(t)
			d.dir = filepath.Join(d.dir, folder)
			edit := func(path string) { d.edit()(strings.TrimPrefix(path, folder+"/")) }
			if folder != "" {
				edit = func(path string) { d.edit()(filepath.Join(filepath.Dir(d.dir), path)) }
			}
			d.report("prompt", "prompt", "mend the cart")
			edit("cart/a.go")
			edit("cart/b.go")
			edit("cart/c.go")
			d.report("stop", "last_assistant_message", lesson)
			d.report("prompt", "prompt", "now mend the till")
			edit("till/a.go")
			d.report("stop", "last_assistant_message", "## Key Learnings:\n1. The till opens its drawer with a pulse of 200 ms, and no longer\n")
			in := map[string]string{}
			for _, m := range d.memories(engram.Filter{}) {
				in[m.Project] += m.SessionID + ": " + m.Content
			}
			if len(in) != 2 || !strings.HasPrefix(in["cart"], "s1: The cart rounds") || !strings.HasPrefix(in["till"], "s1@till: The till opens") {
				t.Errorf("got %q", in)
			}
			if s, err := d.e.Session(t.Context(), "s1@till"); err != nil || s.EndedAt.IsZero() || s.Project != "till" {
				t.Errorf("the other session: %+v, %v", s, err)
			}
			if s, err := d.e.Session(t.Context(), "s1"); err != nil || !s.EndedAt.IsZero() || s.Project != "cart" {
				t.Errorf("the session: %+v, %v", s, err)
			}
			if got := d.prompts(); len(got) != 2 {
				t.Errorf("prompts: %q", got)
			}
		})
	}
}

func TestAnOutcomeGoesToTheRepositoryOfItsCommand(t *testing.T) {
	t.Parallel()
	d := yard(t)
	d.report("session-start")
	for _, name := range []string{"cart", "till"} {
		command := "cd " + name + " && go test ./..."
		d.report("after-tool", "tool_name", "Bash", "tool_input", map[string]any{"command": command}, "hook_event_name", "PostToolUseFailure",
			"error", "Exit code 1\n"+filepath.Join(d.dir, name, "src", "sum.go")+":7: undefined: total")
		d.edit()(name + "/src/sum.go")
		d.bash(command)
	}
	ms := d.memories(engram.Filter{})
	if len(ms) != 2 {
		t.Fatalf("got %+v; logged %v", ms, d.logged)
	}
	for i, want := range []string{"till", "cart"} {
		if m := ms[i]; m.Project != want || !strings.Contains(m.Content, "    src/sum.go:7: undefined") || !strings.Contains(m.Content, "passed: src/sum.go\n") {
			t.Errorf("in %q, want %q:\n%s", m.Project, want, m.Content)
		}
	}
}

// Where the work is, what is known is told.
func TestWhoWorksInOneOfSeveralRepositoriesIsToldOfIt(t *testing.T) {
	t.Parallel()
	d := yard(t)
	if _, err := d.e.Save(t.Context(), remember.SaveInput{Title: "The drawer opens by a pulse", Content: "src/drawer.go sends 200 ms", Project: "till", Origin: engram.OriginHuman}); err != nil {
		t.Fatal(err)
	}
	d.quiet(d.report("session-start"))
	d.quiet(d.report("prompt", "prompt", "what is here?"))
	open := []any{"tool_name", "Read", "tool_input", map[string]any{"file_path": filepath.Join(d.dir, "till/src/drawer.go")}}
	d.says(d.report("before-tool", open...), "200 ms")
	d.quiet(d.report("before-tool", open...))
	d.edit()("till/src/drawer.go")
	d.report("session-start", "session_id", "s2")
	d.edit("session_id", "s2")("till/src/drawer.go")
	d.says(d.report("prompt", "session_id", "s2", "prompt", "go on"), "Memory of till", "200 ms")
}

func TestWhatIsLearnedInAProjectThatIsOffIsNotKept(t *testing.T) {
	t.Parallel()
	d := yard(t)
	d.o.Off = func(project string) bool { return project == "till" }
	d.edit()("till/a.go")
	d.report("stop", "last_assistant_message", lesson)
	d.report("after-tool", "tool_name", "Bash", "tool_input", map[string]any{"command": "cd till && make"}, "hook_event_name", "PostToolUseFailure", "error", "Exit code 2")
	all, _ := d.notes.All("s1")
	for _, n := range all {
		if n.Kind == attend.KindTool && (n.Path != "" || n.Command != "") {
			t.Errorf("noted: %+v", n)
		}
	}
	for _, m := range d.memories(engram.Filter{}) {
		if m.Project == "till" {
			t.Errorf("got %+v", m)
		}
	}
}

// A repository within another one, and one that settings name otherwise, are their own.
func TestARepositoryWithinARepositoryIsItsOwn(t *testing.T) {
	t.Parallel()
	d := yard(t)
	git(t, d.dir, "init", "-q", filepath.Join("cart", "src", "tax"))
	named := filepath.Join(d.dir, "till", "src", ".engram")
	if err := os.MkdirAll(named, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(named, "config.json"), []byte(`{"project_name": "drawer"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct{ file, want string }{{"cart/a.go", "cart"}, {"cart/src/tax/a.go", "tax"}, {"cart/src/a.go", "cart"}, {"till/a.go", "till"}, {"till/src/deep/a.go", "drawer"}} {
		d.report("prompt", "prompt", fmt.Sprintf("step %d of the work", i))
		d.edit()(tt.file)
		all, _ := d.notes.All("s1")
		if got := attend.Workplace(attend.Turn(all)); got != tt.want {
			t.Errorf("%s is in %q, want %q", tt.file, got, tt.want)
		}
	}
}

// A repository is asked for its name once in a session: that starts a program.
func TestARepositoryIsAskedOnce(t *testing.T) {
	t.Parallel()
	d := yard(t)
	d.edit()("cart/a.go")
	opened := d.opened
	for _, path := range []string{"cart/b.go", "cart/src/a.go", "cart/src/deep/b.go"} {
		d.edit()(path)
		d.bash("cd cart/src && make")
	}
	d.report("stop", "last_assistant_message", "done")
	if d.opened != opened {
		t.Errorf("the engine was asked for %d times", d.opened-opened)
	}
}

// Items pending since before a session moved are not lost.
func TestWhatWaitsForAnotherProjectIsKeptThere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.report("prompt", "prompt", "what is here?")
	long := strings.Repeat("s", engram.MaxName)
	d.report("prompt", "session_id", long, "prompt", "and here?")
	d.notes.waiting = []attend.Pending{
		{Key: "1", What: attend.PendingCapture, Session: "s1", Project: "till", Text: lesson},
		{Key: "2", What: attend.PendingCapture, Session: long, Project: "cart", Text: lesson},
	}
	if err := hook.Write(t.Context(), d.e, d.notes); err != nil || len(d.notes.waiting) > 0 {
		t.Fatalf("%v, still waiting %+v", err, d.notes.waiting)
	}
	ms := d.memories(engram.Filter{})
	if len(ms) != 2 {
		t.Errorf("got %d", len(ms))
	}
	for _, m := range ms {
		if m.Project != "till" && m.Project != "cart" || len(m.SessionID) > engram.MaxName {
			t.Errorf("got %+v", m)
		}
	}
}
