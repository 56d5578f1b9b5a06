package hook_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

func TestACommandThatFailsAndPassesIsAnOutcome(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	bash := func(fails bool) {
		t.Helper()
		in := []any{"tool_name", "Bash", "tool_input", map[string]any{"command": "go test ./cart/..."}}
		if fails {
			d.quiet(d.report("after-tool", append(in, "hook_event_name", "PostToolUseFailure", "error", "Exit code 1\n--- FAIL: TestTotal\ncart.go:7: undefined: total")...))
			return
		}
		d.quiet(d.report("after-tool", append(in, "tool_response", map[string]any{"stdout": "ok"})...))
	}
	edit := func() {
		t.Helper()
		d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": filepath.Join(d.dir, "cart/cart.go")}))
	}
	bash(false)
	bash(true)
	edit()
	if ms := d.memories(engram.Filter{}); len(ms) > 0 {
		t.Errorf("it is too early: %+v", ms)
	}
	bash(false)
	bash(false)
	ms := d.memories(engram.Filter{})
	if len(ms) != 1 || ms[0].Type != attend.OutcomeType || ms[0].Origin != engram.OriginTool || ms[0].ToolName != "claude-code" || ms[0].SessionID != "s1" ||
		ms[0].Project != "shop" || !strings.Contains(ms[0].Content, "undefined: total") || !strings.Contains(ms[0].Content, "passed: cart/cart.go") {
		t.Fatalf("got %+v", ms)
	}
	bash(true)
	edit()
	bash(false)
	if again := d.memories(engram.Filter{}); len(again) != 1 || again[0].RevisionCount != 2 {
		t.Errorf("the second time: got %+v", again)
	}
}

// Notes are appended to a file: most events of a tool must not cost an opened database.
func TestANoteNeedsNoStore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.report("session-start")
	opened := d.opened
	for range 3 {
		d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "a.go"}))
		d.quiet(d.report("after-tool", "tool_name", "Bash", "tool_input", map[string]any{"command": "make"}, "tool_response", map[string]any{"stdout": "ok"}))
		d.quiet(d.report("after-tool", "tool_name", "WebSearch", "tool_input", map[string]any{"query": "x"}))
		d.quiet(d.report("stop", "last_assistant_message", "done"))
	}
	if d.opened != opened {
		t.Errorf("the engine was asked for %d times", d.opened-opened)
	}
}

func TestLearningsAreKeptWhenTheAgentStops(t *testing.T) {
	t.Parallel()
	said := "All done.\n\n## Key Learnings:\n1. The cart rounds each line and not the sum, as the tax office wants it\n"
	for name, tt := range map[string]struct {
		event string
		more  []any
	}{
		"a stop":                 {"stop", []any{"last_assistant_message", said}},
		"a stop that goes on":    {"stop", []any{"last_assistant_message", said, "stop_hook_active", true}},
		"a summary":              {"after-compact", []any{"compact_summary", said}},
		"a transcript's last":    {"stop", []any{"transcript_path", transcript(t, said)}},
		"a helper's transcript":  {"subagent-stop", []any{"agent_id", "a", "agent_transcript_path", transcript(t, said)}},
		"a helper's last words ": {"subagent-stop", []any{"agent_id", "a", "last_assistant_message", said}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			for range 2 {
				d.quiet(d.report(tt.event, tt.more...))
			}
			ms := d.memories(engram.Filter{Types: []engram.Type{engram.TypePassive}})
			if len(ms) != 1 || !strings.Contains(ms[0].Content, "tax office") || ms[0].Origin != engram.OriginTool || ms[0].SessionID != "s1" {
				t.Errorf("got %+v", ms)
			}
			off := newDesk(t)
			off.o.NoCapture = true
			off.quiet(off.report(tt.event, tt.more...))
			if ms := off.memories(engram.Filter{Types: []engram.Type{engram.TypePassive}}); len(ms) > 0 {
				t.Errorf("switched off: got %+v", ms)
			}
		})
	}
}

// transcript is a file of a session that ends in what the agent said.
func transcript(t *testing.T, said string) string {
	t.Helper()
	line := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	text := line(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": strings.Repeat("x", 300<<10)}}) +
		line(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": said}}}}) +
		line(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "content": "ok"}}}}) +
		line(map[string]any{"type": "system", "content": "hooks"}) + "{half"
	path := filepath.Join(t.TempDir(), "transcript.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestATranscriptThatIsNoFileIsNotOpened(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d.o.Within = 10 * time.Second
	for _, path := range []string{pipe, d.dir, "/dev/zero", "/no/such/file"} {
		d.quiet(d.report("stop", "transcript_path", path))
	}
	if got := strings.Join(d.logged, "\n"); strings.Count(got, "transcript: ") != 4 || strings.Contains(got, "event") {
		t.Errorf("logged %s", got)
	}
}

func TestWhoDidMuchAndSavedNothingIsAskedOnce(t *testing.T) {
	t.Parallel()
	work := func(d *desk) {
		for i := range 7 {
			d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": fmt.Sprintf("f%d.go", i)}))
		}
	}
	d := newDesk(t)
	work(d)
	d.quiet(d.report("stop", "stop_hook_active", true))
	d.quiet(d.report("subagent-stop", "agent_id", "a"))
	d.quiet(d.tellAs("cline", "stop")) // which cannot be asked
	d.says(d.report("stop"), `"decision":"block"`, "mem_save")
	d.quiet(d.report("stop"))

	saved := newDesk(t)
	if _, err := saved.e.Save(t.Context(), remember.SaveInput{Content: "what was learned", Project: "shop", SessionID: "s1", NewSession: true}); err != nil {
		t.Fatal(err)
	}
	work(saved)
	saved.quiet(saved.report("stop"))
}

func TestAHelpersPromptsAreNotThePersons(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	for _, event := range []string{"session-start", "prompt", "before-tool", "before-compact", "session-end"} {
		d.quiet(d.report(event, "agent_id", "a7", "prompt", "how long do access tokens of the login live?", "tool_name", "Read",
			"tool_input", map[string]any{"file_path": "auth/session.go"}))
	}
	if got := d.prompts(); len(got) > 0 {
		t.Errorf("prompts: %v", got)
	}
}

func TestASummaryOfCompactionIsKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.says(d.report("PreCompact", "hook_event_name", "PreCompact", "trigger", "auto"), "Key Learnings")
	d.quiet(d.tellAs("codex", "PreCompact", "trigger", "auto"))
	d.quiet(d.report("PostCompact", "compact_summary", "we built the cart"))
	d.quiet(d.report("PostCompact", "compact_summary", "we built the cart and the till"))
	ms := d.memories(engram.Filter{})
	if len(ms) != 1 || ms[0].Type != engram.TypeSessionSummary || ms[0].Content != "we built the cart and the till" || ms[0].Origin != engram.OriginTool || ms[0].RevisionCount != 2 {
		t.Errorf("got %+v", ms)
	}
}

// Learnings that are listed are saved: an agent that lists them has neglected nothing.
func TestWhoListsLearningsIsNotAskedToSave(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range 12 {
		d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": fmt.Sprintf("f%d.go", i)}))
	}
	d.quiet(d.report("stop", "last_assistant_message", "## Key Learnings:\n- The cart rounds each line and not the sum, as the tax office wants it\n"))
	d.quiet(d.report("stop", "last_assistant_message", "done"))
	if ms := d.memories(engram.Filter{}); len(ms) != 1 {
		t.Errorf("got %+v", ms)
	}
}

// Some agents tell a prompt in parts.
func TestAPromptInPartsIsKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	part := func(s string) map[string]string { return map[string]string{"type": "text", "text": s} }
	d.quiet(d.report("prompt", "prompt", []any{part("fix it"), map[string]string{"type": "image"}, part("today")}))
	if got := d.prompts(); len(got) != 1 || got[0] != "fix it\ntoday" {
		t.Errorf("got %q", got)
	}
}

// What another session has left is written when an agent stops: there may be no new session today.
func TestAStopWritesWhatOthersHaveLeft(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.notes.waiting = []attend.Pending{{Key: "k", What: attend.PendingPrompt, Session: "gone", Project: "shop", Text: "left"}}
	d.quiet(d.report("stop"))
	if got := d.prompts(); len(got) != 1 || len(d.notes.waiting) > 0 {
		t.Errorf("got %v, still waiting %v", got, d.notes.waiting)
	}
}
