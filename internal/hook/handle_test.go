package hook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/hook"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
)

const cookies = "Access tokens of the login live 15 minutes, in an httpOnly cookie that auth/session.go sets"

func TestASessionFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.says(d.report("session-start", "source", "startup"), `"hookEventName":"SessionStart"`, "Login tokens live 15 minutes")
	d.quiet(d.report("session-start", "source", "resume"))
	d.quiet(d.report("prompt", "prompt", "how long do access tokens of the login live?")) // it was told already
	d.quiet(d.report("before-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": filepath.Join(d.dir, "auth/session.go")}))
	d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": filepath.Join(d.dir, "auth/session.go")}))
	d.says(d.report("session-start", "source", "compact"), "Login tokens live 15 minutes")
	d.quiet(d.report("stop", "last_assistant_message", "done"))
	d.quiet(d.report("session-end", "reason", "other"))
	s, err := d.e.Session(t.Context(), "s1")
	if err != nil || s.EndedAt.IsZero() || s.Project != "shop" || s.Directory != d.dir {
		t.Errorf("session: %+v, %v", s, err)
	}
	if got := d.prompts(); fmt.Sprint(got) != "[how long do access tokens of the login live?]" {
		t.Errorf("prompts: %v", got)
	}
	if n, _ := d.notes.All("s1"); len(n) > 0 {
		t.Errorf("notes stay: %v", n)
	}
	if len(d.logged) > 0 {
		t.Errorf("logged: %v", d.logged)
	}
}

func TestAPromptIsAnsweredWithWhatIsKnownAndNeverTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.quiet(d.report("session-start"))
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.crowd()
	ask := func(prompt string) string {
		return d.report("UserPromptSubmit", "hook_event_name", "UserPromptSubmit", "prompt", prompt)
	}
	d.says(ask("how long do access tokens of the login live in their httpOnly cookie?"), `"hookEventName":"UserPromptSubmit"`, "httpOnly")
	d.quiet(ask("and how long do access tokens of the login live in the cookie?"))
	d.quiet(ask("yes please"))
	if got := d.prompts(); len(got) != 3 {
		t.Errorf("prompts: %v", got)
	}
}

func TestAFileIsRemindedOfOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	open := func(session string) string {
		return d.report("before-tool", "session_id", session, "tool_name", "Read", "tool_input", map[string]any{"file_path": filepath.Join(d.dir, "auth/session.go")})
	}
	d.says(open("s1"), `"hookEventName":"PreToolUse"`, "httpOnly")
	opened := d.opened
	d.quiet(open("s1"))
	if d.opened != opened {
		t.Error("the store was asked a second time")
	}
	d.says(open("s2"), "httpOnly")
}

// What Gemini CLI cannot be told before a tool it is told after.
func TestAnAgentThatIsToldAfterwards(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	in := []any{"tool_name", "read_file", "tool_input", map[string]any{"absolute_path": filepath.Join(d.dir, "auth/session.go")}}
	d.quiet(d.tellAs("gemini-cli", "BeforeTool", in...))
	d.says(d.tellAs("gemini-cli", "AfterTool", in...), `"hookEventName":"AfterTool"`, "httpOnly")
	d.quiet(d.tellAs("gemini-cli", "AfterTool", in...))
}

func TestAnErrorIsRemindedOfOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Fixed: SQLITE_BUSY database is locked in the nightly billing worker", "The nightly billing worker held a transaction open across a call to the bank: database is locked (SQLITE_BUSY) in billing/worker.go", engram.TypeBugfix)
	fail := func() string {
		return d.report("PostToolUseFailure", "hook_event_name", "PostToolUseFailure", "tool_name", "Bash", "tool_input", map[string]any{"command": "go run ./billing"},
			"error", "Exit code 1\nerror: nightly billing worker: database is locked (SQLITE_BUSY)")
	}
	d.says(fail(), `"hookEventName":"PostToolUseFailure"`, "SQLITE_BUSY")
	d.quiet(fail())
}

func TestAFolderOfSeveralProjectsIsToldNothingButLosesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, child := range []string{"a", "b"} {
		if out, err := exec.Command("git", "init", "-q", filepath.Join(d.dir, child)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	d.quiet(d.report("session-start"))
	d.quiet(d.report("prompt", "prompt", "what is here?"))
	if got := d.prompts(); fmt.Sprint(got) != "[what is here?]" {
		t.Errorf("prompts: %v", got)
	}
	d.quiet(d.report("prompt", "prompt", "work on a", "cwd", filepath.Join(d.dir, "a")))
	if s, err := d.e.Session(t.Context(), "s1"); err != nil || s.Project != "a" {
		t.Errorf("the session: %+v, %v", s, err)
	}
}

func TestAProjectThatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.o.Off = func(project string) bool { return project == "shop" }
	for _, kind := range dialect.Kinds() {
		d.quiet(d.report(string(kind), "prompt", "how long do access tokens live?", "compact_summary", "much", "tool_name", "Bash", "tool_input", map[string]any{"command": "x"},
			"last_assistant_message", "## Key Learnings:\n1. one two three four five six seven"))
	}
	if n, _ := d.notes.All("s1"); len(n)+len(d.notes.waiting)+len(d.prompts()) > 0 {
		t.Errorf("got notes %v, waiting %v, prompts %v", n, d.notes.waiting, d.prompts())
	}
}

func TestAnAgentWithoutSessionsHasOneADay(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	text := fmt.Sprintf(`{"hook_event_name":"userPromptSubmit","cwd":%q,"prompt":"fix it now"}`, d.dir)
	for range 2 {
		hook.Handle(t.Context(), d.o, "kiro", "userPromptSubmit", strings.NewReader(text))
	}
	all, err := d.e.Sessions(t.Context(), "shop", engram.Page{})
	if err != nil || len(all) != 1 || !strings.HasPrefix(all[0].ID, "kiro-20260612-") || len(d.prompts()) != 2 {
		t.Errorf("sessions %+v, %v; prompts %v", all, err, d.prompts())
	}
}

// A store that cannot be written does not prevent work, and nothing is lost, doubled or
// turned around when it can be again.
func TestWhatCannotBeWrittenIsWrittenLater(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.o.Engine = func() *engine.Engine { return busy(t) }
	var want []string
	for i := range 5 {
		prompt := fmt.Sprintf("step %d of the work", i)
		want = append(want, prompt)
		d.quiet(d.report("prompt", "prompt", prompt))
	}
	d.quiet(d.report("session-end"))
	if len(d.notes.waiting) != 6 {
		t.Fatalf("waiting: %+v", d.notes.waiting)
	}
	d.o.Engine = d.engine
	half := d.notes.waiting[:3:3] // somebody has written some of it, and went without saying so
	for _, w := range half {
		if _, err := d.e.SavePrompt(t.Context(), remember.PromptInput{Content: w.Text, SessionID: w.Session, NewSession: true, Project: w.Project, Key: w.Key, At: w.At}); err != nil {
			t.Fatal(err)
		}
	}
	d.report("session-start", "session_id", "another")
	if got := d.prompts(); fmt.Sprint(got) != fmt.Sprint(want) || len(d.notes.waiting) > 0 {
		t.Errorf("got %q, want %q; still waiting %v", got, want, d.notes.waiting)
	}
	if s, err := d.e.Session(t.Context(), "s1"); err != nil || s.EndedAt.IsZero() {
		t.Errorf("the session did not end: %+v, %v", s, err)
	}
}

// busy is an engine whose store cannot be opened.
func busy(t *testing.T) *engine.Engine {
	t.Helper()
	return engine.New(engine.Options{Store: awayStore{}, Now: enginetest.Start, NewID: enginetest.IDs()})
}

type awayStore struct{}

var errAway = engram.Errorf(engram.CodeUnavailable, "the database is locked")

func (awayStore) View(context.Context, func(engram.Reader) error) error { return errAway }
func (awayStore) Update(context.Context, func(engram.Tx) error) error   { return errAway }
func (awayStore) UpdateAfter(context.Context, func(engram.Reader) error, func(engram.Tx) error) error {
	return errAway
}
func (awayStore) Close() error { return nil }

func TestWhatCanNeverBeWrittenDoesNotBlockTheRest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.notes.waiting = []attend.Pending{
		{Key: "1", What: attend.PendingPrompt, Session: "s1", Text: "\xff"},
		{Key: "2", What: "of a later version", Session: "s1"},
		{Key: "3", What: attend.PendingOutcome, Session: "s1"},
		{Key: "4", What: attend.PendingPrompt, Session: "s1", Project: "elsewhere", Text: "kept"},
	}
	d.report("stop")
	if got := d.prompts(); fmt.Sprint(got) != "[kept]" || len(d.notes.waiting) != 1 || d.notes.waiting[0].Key != "2" {
		t.Errorf("got %v, still waiting %+v, want only what a later version has to write", got, d.notes.waiting)
	}
}

func TestWriteIsForServersThatStart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.notes.waiting = []attend.Pending{{Key: "1", What: attend.PendingPrompt, Session: "s1", Project: "shop", Text: "one"}, {Key: "2", What: attend.PendingPrompt, Session: "s2", Text: "two"}}
	if err := hook.Write(t.Context(), d.e, d.notes); err != nil || len(d.notes.waiting) > 0 || len(d.prompts()) != 2 {
		t.Errorf("got %v, %v, still waiting %v", d.prompts(), err, d.notes.waiting)
	}
	d.notes.waiting = []attend.Pending{{Key: "3", What: attend.PendingPrompt, Session: "s1", Text: "three"}}
	if err := hook.Write(t.Context(), busy(t), d.notes); !errors.Is(err, errAway) || len(d.notes.waiting) != 1 {
		t.Errorf("got %v, still waiting %v", err, d.notes.waiting)
	}
}

func TestAPromptThatIsTooLongIsCut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.report("prompt", "prompt", "read this: "+strings.Repeat("word ", 2<<20))
	d.report("prompt", "prompt", "<private>"+strings.Repeat("4711 ", 100<<10)+"</private>and that: "+strings.Repeat("ü", 100<<10))
	got := d.prompts()
	if len(got) != 2 || len(got[0]) > 130<<10 || !strings.HasPrefix(got[0], "read this: word") || !strings.HasSuffix(got[0], "was cut]") || strings.Contains(got[1], "4711") {
		t.Errorf("got %d prompts", len(got))
		for _, p := range got {
			t.Errorf("%d bytes: %.60q", len(p), p)
		}
	}
}

func TestNotesThatCannotBeKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.notes.broken = true
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.says(d.report("session-start"), "httpOnly")
	d.quiet(d.report("prompt", "prompt", "what the store has room for is kept"))
	if got := d.prompts(); len(got) != 1 {
		t.Errorf("prompts: %v", got)
	}
	for _, kind := range dialect.Kinds() {
		d.report(string(kind))
	}
}

func TestNobodyIsAskedToWaitForABug(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.o.Engine = func() *engine.Engine { return nil } // every verb of it panics
	for _, kind := range dialect.Kinds() {
		d.report(string(kind), "prompt", "why is that so?", "compact_summary", "much")
	}
	if got := strings.Join(d.logged, "\n"); !strings.Contains(got, "panic") {
		t.Errorf("logged %q", got)
	}
}

func TestAnEventThatDoesNotEndIsLeftInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		for event, want := range map[string]time.Duration{
			"before-tool": 150 * time.Millisecond,
			"prompt":      750 * time.Millisecond, // which does not come again
		} {
			begun := time.Now()
			got := hook.Handle(t.Context(), hook.Options{Notes: &notes{}, Now: time.Now}, "claude-code", event, in)
			if took := time.Since(begun); got != nil || took != want {
				t.Errorf("%s: got %q after %v, want silence after %v", event, got, took, want)
			}
		}
		if err := out.Close(); err != nil { // lets the reader end with the test
			t.Fatal(err)
		}
		synctest.Wait()
	})
}

// What was said before the time was over is answered, whatever is still to be written.
func TestWhatWasSaidInTimeIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &slowNotes{notes: notes{}, until: make(chan struct{})}
		begun := time.Now()
		o := hook.Options{Notes: n, Now: time.Now, Engine: func() *engine.Engine { return busy(t) }, Folder: "/", Within: 80 * time.Millisecond,
			Project: "shop", NewID: enginetest.IDs()}
		got := hook.Handle(t.Context(), o, "claude-code", "before-compact", strings.NewReader(`{"session_id":"s1"}`))
		if took := time.Since(begun); !strings.Contains(string(got), "Key Learnings") || took != 80*time.Millisecond {
			t.Errorf("got %q after %v", got, took)
		}
		close(n.until)
		synctest.Wait()
	})
}

// slowNotes withholds pending items until released.
type slowNotes struct {
	notes
	until chan struct{}
}

func (n *slowNotes) Pending(session string) ([]attend.Pending, error) {
	<-n.until
	return n.notes.Pending(session)
}

func TestWhatNobodyKnowsIsSilence(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, tt := range [][3]string{
		{"claude-code", "notification", `{"session_id":"s1"}`}, {"claude-code", "", `{}`}, {"claude-code", "stop", ``}, {"claude-code", "prompt", `[]`},
		{"claude-code", "prompt", `{"session_id":"s1","prompt":`}, {"", "stop", `{}`}, {"$(touch x)", "prompt", `{"session_id":7,"prompt":{"a":1}}`},
	} {
		if got := hook.Handle(t.Context(), d.o, tt[0], tt[1], strings.NewReader(tt[2])); got != nil {
			t.Errorf("%q: got %q", tt, got)
		}
	}
}

func FuzzHandle(f *testing.F) {
	const event = `{"session_id":"s1","cwd":"/w/shop","source":"compact","prompt":"why is it slow?","compact_summary":"s","last_assistant_message":"done",` +
		`"tool_name":"Bash","tool_input":{"command":"go test","file_path":"/w/shop/a.go"},"tool_response":{"stderr":"a.go:1: undefined: x","success":false}}`
	for _, kind := range dialect.Kinds() {
		for _, agent := range []string{"claude-code", "codex", "gemini-cli", "copilot", "antigravity", "cursor", "cline", "kiro", "windsurf", "opencode", "any"} {
			f.Add(agent, string(kind), []byte(event))
		}
	}
	f.Fuzz(func(t *testing.T, agent, event string, text []byte) {
		var logged []error
		o := hook.Options{Notes: &notes{}, Now: enginetest.Start, NewID: enginetest.IDs(), Engine: func() *engine.Engine { return busy(t) }, Folder: "/",
			Project: "shop", Within: time.Minute, Log: func(trouble hook.Trouble) { logged = append(logged, trouble.Err) }}
		for range 2 {
			hook.Handle(t.Context(), o, agent, event, strings.NewReader(string(text)))
		}
		for _, err := range logged {
			if strings.Contains(err.Error(), "panic") {
				t.Fatalf("%q %q %q: %v", agent, event, text, err)
			}
		}
	})
}

// On a machine that has no time for it, what was asked is kept all the same.
func TestAPromptIsKeptWhenTheTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		n := &lateNotes{after: 300 * time.Millisecond}
		o := hook.Options{Notes: n, Now: time.Now, Engine: func() *engine.Engine { return busy(t) }, Folder: "/", Project: "shop", NewID: enginetest.IDs()}
		go func() {
			_, _ = out.Write([]byte(`{"session_id":"s1","prompt":"what is asked"}`))
			_ = out.Close()
		}()
		begun := time.Now()
		hook.Handle(t.Context(), o, "claude-code", "prompt", in)
		if took := time.Since(begun); took != 300*time.Millisecond || len(n.waiting) != 1 {
			t.Errorf("after %v there are %d; want one after 300ms", took, len(n.waiting))
		}
		n.after = time.Hour // which is too long
		begun = time.Now()
		hook.Handle(t.Context(), o, "claude-code", "prompt", strings.NewReader(`{"session_id":"s1","prompt":"what is asked"}`))
		if took := time.Since(begun); took != 750*time.Millisecond {
			t.Errorf("it took %v, want 750ms", took)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
	})
}

// lateNotes add pending items with a delay.
type lateNotes struct {
	notes
	after time.Duration
}

func (n *lateNotes) AddPending(w attend.Pending) error {
	time.Sleep(n.after)
	return n.notes.AddPending(w)
}
