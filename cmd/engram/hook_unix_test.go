//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/waittest"
)

// hooked is a data directory for hooks of an agent in a folder of the project shop.
type hooked struct {
	t              *testing.T
	program        string
	dir, data, cwd string
	env            []string
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	dir := t.TempDir()
	h := &hooked{t: t, program: "engram", dir: dir, data: filepath.Join(dir, "data"), cwd: filepath.Join(dir, "shop")}
	if err := os.Mkdir(h.cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	h.env = append(os.Environ(), "HOME="+dir, "ENGRAM_TIMEZONE=UTC")
	return h
}

// engram runs a command of a person.
func (h *hooked) engram(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("engram", append(args, "--data-dir", h.data)...)
	cmd.Dir, cmd.Env = h.cwd, h.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("engram %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// hook runs an event and returns its output and duration; within is the hook's time limit, "" for the
// default.
func (h *hooked) hook(event, within string, in io.Reader) (said string, took time.Duration) {
	h.t.Helper()
	cmd := exec.Command(h.program, "hook", "claude-code", event, "--data-dir", h.data)
	cmd.Dir, cmd.Stdin = h.cwd, in
	cmd.Env = append(slices.Clone(h.env), "ENGRAM_HOOK_WITHIN="+within)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	begun := time.Now()
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		h.t.Errorf("%s: %v, %s", event, err, errs.String())
	}
	return out.String(), time.Since(begun)
}

func asked(session, prompt string) io.Reader {
	b, _ := json.Marshal(map[string]string{"session_id": session, "prompt": prompt})
	return strings.NewReader(string(b))
}

// prompts returns the prompts, oldest first.
func (h *hooked) prompts() (all []string) {
	h.t.Helper()
	var doc struct{ Prompts []struct{ Content string } }
	if err := json.Unmarshal([]byte(h.engram("prompt", "list", "--all-projects", "--limit", "500", "--json")), &doc); err != nil {
		h.t.Fatal(err)
	}
	for _, p := range doc.Prompts {
		all = append(all, p.Content)
	}
	slices.Reverse(all)
	return all
}

// long is the time limit of hooks that must finish on a busy machine; soon is an upper bound for hooks with
// the default limit there.
const (
	long = "60000"
	soon = 5 * time.Second
)

// With thirty events of one session at once while another program locks the database, every agent continues
// in time, and later every prompt is stored once.
func TestAStormOfHooksLosesNothing(t *testing.T) {
	h := newHooked(t)
	h.engram("save", "Before", "What was here before")
	db, err := sql.Open("sqlite", filepath.Join(h.data, "engram.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	holder, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	const events = 30
	var want []string
	times := make([]time.Duration, events)
	var wg sync.WaitGroup
	for i := range events {
		prompt := fmt.Sprintf("step %02d: `touch pwned` $(touch pwned) ; touch pwned", i)
		want = append(want, prompt)
		wg.Go(func() { _, times[i] = h.hook("prompt", "", asked("s1", prompt)) })
	}
	wg.Wait()
	slices.Sort(times)
	t.Logf("with the database held: half took %v, the slowest %v", times[events/2], times[events-1])
	if times[events-1] > soon {
		t.Errorf("an agent waited %v", times[events-1])
	}
	if got := h.prompts(); len(got) > 0 {
		t.Errorf("they came past the lock: %q", got)
	}
	if _, err := holder.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	for i := range events { // now all of them write at once
		wg.Go(func() { h.hook("stop", long, strings.NewReader(`{"session_id":"s1"}`)) })
		if i%3 == 0 {
			wg.Go(func() { h.hook("session-start", long, strings.NewReader(fmt.Sprintf(`{"session_id":"s%d"}`, 2+i))) })
		}
	}
	wg.Wait()
	got := h.prompts()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		log, _ := os.ReadFile(filepath.Join(h.data, "hook.log"))
		t.Errorf("got %d prompts %q, want each of %d once; the log:\n%s", len(got), got, events, log)
	}
	if left, _ := filepath.Glob(filepath.Join(h.data, "notes", "*.wait")); len(left) > 0 {
		t.Errorf("still waiting: %v", left)
	}
	if _, err := os.Stat(filepath.Join(h.cwd, "pwned")); err == nil {
		t.Error("a prompt was executed")
	}
}

// Pending events are written in the order in which they occurred, by an event of another session or by a
// server that starts.
func TestWhatWaitsIsWrittenByWhoComesNext(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*hooked){
		"an event of another session": func(h *hooked) { h.hook("session-start", long, strings.NewReader(`{"session_id":"s2"}`)) },
		"an agent's server": func(h *hooked) {
			cmd := exec.Command("engram", "mcp", "--data-dir", h.data)
			cmd.Dir, cmd.Env = h.cwd, h.env
			in, err := cmd.StdinPipe()
			if err != nil {
				h.t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				h.t.Fatal(err)
			}
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mem_context","arguments":{}}}`)
			waittest.Until(h.t, "the server has written what waits", func() bool {
				left, _ := filepath.Glob(filepath.Join(h.data, "notes", "*.wait"))
				return len(left) == 0
			})
			_ = in.Close()
			if err := cmd.Wait(); err != nil {
				h.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t)
			h.engram("save", "Before", "What was here before")
			db, err := sql.Open("sqlite", filepath.Join(h.data, "engram.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			holder, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := holder.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
				t.Fatal(err)
			}
			var want []string
			for i := range 5 {
				want = append(want, fmt.Sprint("step ", i))
				h.hook("prompt", "300", asked("s1", want[i]))
			}
			h.hook("session-end", "300", strings.NewReader(`{"session_id":"s1"}`))
			if _, err := holder.ExecContext(t.Context(), "ROLLBACK"); err != nil {
				t.Fatal(err)
			}
			if got := h.prompts(); len(got) > 0 {
				t.Fatalf("they came past the lock: %q", got)
			}
			next(h)
			if got := h.prompts(); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestAHookLeavesWhateverComesIn(t *testing.T) {
	h := newHooked(t)
	forever, _ := io.Pipe()
	zeros, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zeros.Close()
	for name, in := range map[string]io.Reader{
		"nothing": nil, "an input that is closed": strings.NewReader(""), "an input that never ends": forever, "zeros without end": zeros,
		"ten megabytes": asked("s1", strings.Repeat("long ", 2<<20)),
		"deep":          strings.NewReader(strings.Repeat("[", 1<<20)),
	} {
		if f, ok := in.(*io.PipeReader); ok {
			// A file, since a pipe would make this process wait for the reader.
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			defer r.Close()
			_ = f.Close()
			in = r
		}
		if said, took := h.hook("prompt", "", in); said != "" || took > soon {
			t.Errorf("%s: said %q after %v", name, said, took)
		}
	}
	h.hook("stop", long, strings.NewReader(`{"session_id":"s1"}`))
	got := h.prompts()
	if len(got) != 1 || !strings.HasPrefix(got[0], "long long") {
		t.Errorf("of the long prompt %d are kept: %.60q", len(got), got)
	}
}

func TestAHookOnADiskThatIsFullOrMayNotBeWritten(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	h.engram("save", "Before", "What was here before")
	h.program, h.env = "engram-without-room", append(h.env, "ENGRAM_TEST_ROOM=0")
	for _, event := range []string{"session-start", "prompt", "stop", "session-end"} {
		h.hook(event, "", asked("s1", "what is asked"))
	}
	h.program, h.env = "engram", h.env[:len(h.env)-1]
	if os.Getuid() != 0 { // root can write anyway
		if err := os.Chmod(h.data, 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(h.data, 0o700) //nolint:errcheck // the test's own folder
		h.hook("prompt", "", asked("s1", "what is asked"))
	}
	if out := h.engram("list"); !strings.Contains(out, "Before") {
		t.Errorf("what was there: %s", out)
	}
}

// Private or secret text never gets into the data directory, neither while the database is locked nor
// afterwards.
func TestHooksWriteDownNothingPrivate(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	h.engram("save", "Before", "What was here before")
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	text := "use <private>hunter2</private> and " + token
	report := func(event string, more map[string]any) {
		more["session_id"], more["cwd"] = "s1", h.cwd
		b, err := json.Marshal(more)
		if err != nil {
			t.Fatal(err)
		}
		h.hook(event, "300", strings.NewReader(string(b)))
	}
	look := func(when string) {
		t.Helper()
		err := filepath.WalkDir(h.data, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			for _, secret := range []string{"hunter2", token} {
				if strings.Contains(string(b), secret) {
					t.Errorf("%s: %s has %q", when, filepath.Base(path), secret)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	all := func() {
		report("prompt", map[string]any{"prompt": text})
		report("after-tool", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "deploy " + text}, "error": "boom: " + text})
		report("after-tool", map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": "conf " + text}})
		report("after-tool", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "deploy " + text}, "tool_response": map[string]any{"stdout": text}})
		report("stop", map[string]any{"last_assistant_message": "## Key Learnings:\n1. The server is reached with the key " + text})
		report("after-compact", map[string]any{"compact_summary": "We used " + text})
	}
	db, err := sql.Open("sqlite", filepath.Join(h.data, "engram.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	holder, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	all()
	if _, err := holder.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	look("while it waits")
	all()
	h.hook("stop", long, strings.NewReader(`{"session_id":"s1"}`))
	look("when it is written")
	if got := h.prompts(); len(got) != 2 || !strings.Contains(got[0], "[REDACTED") {
		t.Errorf("prompts: %q", got)
	}
}

// An agent may treat a closed pipe as a failure, so unwanted input is read, too.
func TestAHookThatWantsNothingReadsWhatItIsTold(t *testing.T) {
	t.Parallel()
	large := `{"session_id":"s1","prompt":"` + strings.Repeat("long ", 1<<15) + `"}` // more than a pipe holds
	for name, args := range map[string][]string{
		"switched off": {"claude-code", "prompt"}, "an event that nobody knows": {"claude-code", "what-is-that"}, "half a command line": {"claude-code"},
		"another agent": {"hunter2", "prompt"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t)
			if name == "switched off" {
				h.engram("off")
			}
			cmd := exec.Command(h.program, append([]string{"hook", "--data-dir", h.data}, args...)...)
			cmd.Dir, cmd.Env = h.cwd, append(slices.Clone(h.env), "ENGRAM_HOOK_WITHIN="+long)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_, wrote := io.WriteString(in, large)
			_ = in.Close()
			if err := cmd.Wait(); err != nil || wrote != nil {
				t.Errorf("%v; writing: %v", err, wrote)
			}
			if log, _ := os.ReadFile(filepath.Join(h.data, "hook.log")); strings.Contains(string(log), "hunter2") {
				t.Errorf("the log has a word of the command line: %s", log)
			}
		})
	}
}

// If the hook's own folder is gone, the event's folder is used.
func TestAHookInAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	gone := filepath.Join(h.dir, "gone")
	cmd := exec.Command("sh", "-c", `mkdir "$1" && cd "$1" && rmdir "$1" && exec engram hook claude-code prompt --data-dir "$2"`, "sh", gone, h.data)
	b, err := json.Marshal(map[string]string{"session_id": "s1", "prompt": "what is asked", "cwd": h.cwd})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Env = strings.NewReader(string(b)), append(slices.Clone(h.env), "ENGRAM_HOOK_WITHIN="+long)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "rror") {
		t.Fatalf("%v, %s", err, out)
	}
	if got := h.prompts(); !slices.Equal(got, []string{"what is asked"}) {
		t.Errorf("got %q", got)
	}
}
