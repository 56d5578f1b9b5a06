package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/hook"
)

// desk is where an agent works: a folder of the project shop, and what hooks work with.
type desk struct {
	t     *testing.T
	o     hook.Options
	e     *engine.Engine
	notes *notes
	dir   string

	mu     sync.Mutex
	logged []string
	opened int // how often the engine was asked for
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	e, clock := enginetest.Open(t, filepath.Join(t.TempDir(), "engram.db"))
	d := &desk{t: t, e: e, notes: &notes{}, dir: filepath.Join(t.TempDir(), "shop")}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ids := enginetest.IDs()
	d.o = hook.Options{Engine: d.engine, Notes: d.notes, Now: clock.Now, NewID: func() engram.ID { return "key-" + ids() }, Folder: d.dir,
		Within: time.Minute, // the time of a machine that does other things, too, is tested where it matters
		Log: func(what string, err error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.logged = append(d.logged, fmt.Sprintf("%s: %v", what, err))
		}}
	return d
}

func (d *desk) engine() *engine.Engine {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened++
	return d.e
}

// tell is an event of Claude Code in session s1; pairs are fields and their values.
func (d *desk) tell(event string, pairs ...any) string {
	d.t.Helper()
	return d.tellAs("claude-code", event, pairs...)
}

func (d *desk) tellAs(agent, event string, pairs ...any) string {
	d.t.Helper()
	f := map[string]any{"session_id": "s1", "cwd": d.dir}
	for i := 0; i+1 < len(pairs); i += 2 {
		f[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(f)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(hook.Handle(d.t.Context(), d.o, agent, event, strings.NewReader(string(b))))
}

func (d *desk) save(title, content string, typ engram.Type) engram.Memory {
	d.t.Helper()
	res, err := d.e.Save(d.t.Context(), engine.SaveInput{Title: title, Content: content, Type: typ, Project: "shop", Origin: engram.OriginHuman})
	if err != nil {
		d.t.Fatal(err)
	}
	return res.Memory
}

// crowd saves memories about other things: what stands out is told, and where there is
// nothing else nothing does.
func (d *desk) crowd() {
	d.t.Helper()
	for i, thing := range strings.Fields("boats trains horses bricks lamps clocks shoes bread cheese kites drums tents ropes nails doors pipes " +
		"roofs gates wells mills ovens forks bells coins stamps maps masks rings saws tiles") {
		d.save("The "+thing, fmt.Sprintf("All %s stand in hall %d beside the %s of the year before", thing, i, thing), engram.TypeFact)
	}
}

func (d *desk) memories(f engram.Filter) []engram.Memory {
	d.t.Helper()
	ms, err := d.e.List(d.t.Context(), f, engram.Page{})
	if err != nil {
		d.t.Fatal(err)
	}
	return ms
}

// prompts are what was asked in session s1, oldest first.
func (d *desk) prompts() (all []string) {
	d.t.Helper()
	ps, err := d.e.Prompts(d.t.Context(), "", engram.Page{Limit: 100})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, p := range ps {
		all = append([]string{p.Content}, all...)
	}
	return all
}

func (d *desk) quiet(answer string) {
	d.t.Helper()
	if answer != "" {
		d.t.Errorf("it said %s", answer)
	}
}

func (d *desk) says(answer string, words ...string) {
	d.t.Helper()
	for _, w := range words {
		if !strings.Contains(answer, w) {
			d.t.Errorf("got %q, which does not say %q", answer, w)
		}
	}
}

const cookies = "Access tokens of the login live 15 minutes, in an httpOnly cookie that auth/session.go sets"

func TestASessionFromItsBeginningToItsEnd(t *testing.T) {
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.says(d.tell("session-start", "source", "startup"), `"hookEventName":"SessionStart"`, "Login tokens live 15 minutes")
	d.quiet(d.tell("session-start", "source", "resume"))
	d.quiet(d.tell("prompt", "prompt", "how long do access tokens of the login live?")) // it was told already
	d.quiet(d.tell("before-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": filepath.Join(d.dir, "auth/session.go")}))
	d.quiet(d.tell("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": filepath.Join(d.dir, "auth/session.go")}))
	d.says(d.tell("session-start", "source", "compact"), "Login tokens live 15 minutes")
	d.quiet(d.tell("stop", "last_assistant_message", "done"))
	d.quiet(d.tell("session-end", "reason", "other"))
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
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.crowd()
	ask := func(prompt string) string {
		return d.tell("UserPromptSubmit", "hook_event_name", "UserPromptSubmit", "prompt", prompt)
	}
	d.says(ask("how long do access tokens of the login live in their httpOnly cookie?"), `"hookEventName":"UserPromptSubmit"`, "httpOnly")
	d.quiet(ask("and how long do access tokens of the login live in the cookie?"))
	d.quiet(ask("yes please"))
	if got := d.prompts(); len(got) != 3 {
		t.Errorf("prompts: %v", got)
	}
}

func TestAFileIsRemindedOfOnce(t *testing.T) {
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	open := func(session string) string {
		return d.tell("before-tool", "session_id", session, "tool_name", "Read", "tool_input", map[string]any{"file_path": filepath.Join(d.dir, "auth/session.go")})
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
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	in := []any{"tool_name", "read_file", "tool_input", map[string]any{"absolute_path": filepath.Join(d.dir, "auth/session.go")}}
	d.quiet(d.tellAs("gemini-cli", "BeforeTool", in...))
	d.says(d.tellAs("gemini-cli", "AfterTool", in...), `"hookEventName":"AfterTool"`, "httpOnly")
	d.quiet(d.tellAs("gemini-cli", "AfterTool", in...))
}

func TestAnErrorIsRemindedOfOnce(t *testing.T) {
	d := newDesk(t)
	d.save("Fixed: SQLITE_BUSY database is locked in the nightly billing worker", "The nightly billing worker held a transaction open across a call to the bank: database is locked (SQLITE_BUSY) in billing/worker.go", engram.TypeBugfix)
	fail := func() string {
		return d.tell("PostToolUseFailure", "hook_event_name", "PostToolUseFailure", "tool_name", "Bash", "tool_input", map[string]any{"command": "go run ./billing"},
			"error", "Exit code 1\nerror: nightly billing worker: database is locked (SQLITE_BUSY)")
	}
	d.says(fail(), `"hookEventName":"PostToolUseFailure"`, "SQLITE_BUSY")
	d.quiet(fail())
}

func TestACommandThatFailsAndPassesIsAnOutcome(t *testing.T) {
	d := newDesk(t)
	bash := func(fails bool) {
		t.Helper()
		in := []any{"tool_name", "Bash", "tool_input", map[string]any{"command": "go test ./cart/..."}}
		if fails {
			d.quiet(d.tell("after-tool", append(in, "hook_event_name", "PostToolUseFailure", "error", "Exit code 1\n--- FAIL: TestTotal\ncart.go:7: undefined: total")...))
			return
		}
		d.quiet(d.tell("after-tool", append(in, "tool_response", map[string]any{"stdout": "ok"})...))
	}
	edit := func() {
		t.Helper()
		d.quiet(d.tell("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "cart/cart.go"}))
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
		ms[0].Project != "shop" || !strings.Contains(ms[0].Content, "undefined: total") || !strings.Contains(ms[0].Content, "cart/cart.go") {
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
	d := newDesk(t)
	d.tell("session-start")
	opened := d.opened
	for range 3 {
		d.quiet(d.tell("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "a.go"}))
		d.quiet(d.tell("after-tool", "tool_name", "Bash", "tool_input", map[string]any{"command": "make"}, "tool_response", map[string]any{"stdout": "ok"}))
		d.quiet(d.tell("after-tool", "tool_name", "WebSearch", "tool_input", map[string]any{"query": "x"}))
		d.quiet(d.tell("stop", "last_assistant_message", "done"))
	}
	if d.opened != opened {
		t.Errorf("the engine was asked for %d times", d.opened-opened)
	}
}

func TestLearningsAreKeptWhenTheAgentStops(t *testing.T) {
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
				d.quiet(d.tell(tt.event, tt.more...))
			}
			ms := d.memories(engram.Filter{Types: []engram.Type{engram.TypePassive}})
			if len(ms) != 1 || !strings.Contains(ms[0].Content, "tax office") || ms[0].Origin != engram.OriginTool || ms[0].SessionID != "s1" {
				t.Errorf("got %+v", ms)
			}
			off := newDesk(t)
			off.o.NoCapture = true
			off.quiet(off.tell(tt.event, tt.more...))
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
	d := newDesk(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d.o.Within = 10 * time.Second
	for _, path := range []string{pipe, d.dir, "/dev/zero", "/no/such/file"} {
		d.quiet(d.tell("stop", "transcript_path", path))
	}
	if got := strings.Join(d.logged, "\n"); strings.Count(got, "transcript: ") != 4 || strings.Contains(got, "event") {
		t.Errorf("logged %s", got)
	}
}

func TestWhoDidMuchAndSavedNothingIsAskedOnce(t *testing.T) {
	work := func(d *desk) {
		for i := range 7 {
			d.quiet(d.tell("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": fmt.Sprintf("f%d.go", i)}))
		}
	}
	d := newDesk(t)
	work(d)
	d.quiet(d.tell("stop", "stop_hook_active", true))
	d.quiet(d.tell("subagent-stop", "agent_id", "a"))
	d.quiet(d.tellAs("cline", "stop")) // which cannot be asked
	d.says(d.tell("stop"), `"decision":"block"`, "mem_save")
	d.quiet(d.tell("stop"))

	saved := newDesk(t)
	if _, err := saved.e.Save(t.Context(), engine.SaveInput{Content: "what was learned", Project: "shop", SessionID: "s1", NewSession: true}); err != nil {
		t.Fatal(err)
	}
	work(saved)
	saved.quiet(saved.tell("stop"))
}

func TestAHelpersPromptsAreNotThePersons(t *testing.T) {
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	for _, event := range []string{"session-start", "prompt", "before-tool", "before-compact", "session-end"} {
		d.quiet(d.tell(event, "agent_id", "a7", "prompt", "how long do access tokens of the login live?", "tool_name", "Read",
			"tool_input", map[string]any{"file_path": "auth/session.go"}))
	}
	if got := d.prompts(); len(got) > 0 {
		t.Errorf("prompts: %v", got)
	}
}

func TestASummaryOfCompactionIsKept(t *testing.T) {
	d := newDesk(t)
	d.says(d.tell("PreCompact", "hook_event_name", "PreCompact", "trigger", "auto"), "Key Learnings")
	d.quiet(d.tellAs("codex", "PreCompact", "trigger", "auto"))
	d.quiet(d.tell("PostCompact", "compact_summary", "we built the cart"))
	d.quiet(d.tell("PostCompact", "compact_summary", "we built the cart and the till"))
	ms := d.memories(engram.Filter{})
	if len(ms) != 1 || ms[0].Type != engram.TypeSessionSummary || ms[0].Content != "we built the cart and the till" || ms[0].Origin != engram.OriginTool || ms[0].RevisionCount != 2 {
		t.Errorf("got %+v", ms)
	}
}

func TestAFolderOfSeveralProjectsIsToldNothingButLosesNothing(t *testing.T) {
	d := newDesk(t)
	for _, child := range []string{"a", "b"} {
		if out, err := exec.Command("git", "init", "-q", filepath.Join(d.dir, child)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	d.quiet(d.tell("session-start"))
	d.quiet(d.tell("prompt", "prompt", "what is here?"))
	if got := d.prompts(); fmt.Sprint(got) != "[what is here?]" {
		t.Errorf("prompts: %v", got)
	}
	d.quiet(d.tell("prompt", "prompt", "work on a", "cwd", filepath.Join(d.dir, "a")))
	if s, err := d.e.Session(t.Context(), "s1"); err != nil || s.Project != "a" {
		t.Errorf("the session: %+v, %v", s, err)
	}
}

func TestAProjectThatIsSwitchedOff(t *testing.T) {
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.o.Off = func(project string) bool { return project == "shop" }
	for _, kind := range hook.Kinds() {
		d.quiet(d.tell(string(kind), "prompt", "how long do access tokens live?", "compact_summary", "much", "tool_name", "Bash", "tool_input", map[string]any{"command": "x"},
			"last_assistant_message", "## Key Learnings:\n1. one two three four five six seven"))
	}
	if n, _ := d.notes.All("s1"); len(n)+len(d.notes.waiting)+len(d.prompts()) > 0 {
		t.Errorf("got notes %v, waiting %v, prompts %v", n, d.notes.waiting, d.prompts())
	}
}

func TestAnAgentWithoutSessionsHasOneADay(t *testing.T) {
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

// A store that cannot be written keeps nobody from working, and nothing is lost, doubled or
// turned around when it can be again.
func TestWhatCannotBeWrittenIsWrittenLater(t *testing.T) {
	d := newDesk(t)
	d.o.Engine = func() *engine.Engine { return busy(t) }
	var want []string
	for i := range 5 {
		prompt := fmt.Sprintf("step %d of the work", i)
		want = append(want, prompt)
		d.quiet(d.tell("prompt", "prompt", prompt))
	}
	d.quiet(d.tell("session-end"))
	if len(d.notes.waiting) != 6 {
		t.Fatalf("waiting: %+v", d.notes.waiting)
	}
	d.o.Engine = d.engine
	half := d.notes.waiting[:3:3] // somebody has written some of it, and went without saying so
	for _, w := range half {
		if _, err := d.e.SavePrompt(t.Context(), engine.PromptInput{Content: w.Text, SessionID: w.Session, NewSession: true, Project: w.Project, Key: w.Key, At: w.At}); err != nil {
			t.Fatal(err)
		}
	}
	d.tell("session-start", "session_id", "another")
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
func (awayStore) Close() error                                          { return nil }

func TestWhatCanNeverBeWrittenDoesNotBlockTheRest(t *testing.T) {
	d := newDesk(t)
	d.notes.waiting = []attend.Waiting{
		{Key: "1", What: attend.WaitPrompt, Session: "s1", Text: "\xff"},
		{Key: "2", What: "of a later version", Session: "s1"},
		{Key: "3", What: attend.WaitOutcome, Session: "s1"},
		{Key: "4", What: attend.WaitPrompt, Session: "s1", Project: "elsewhere", Text: "kept"},
	}
	d.tell("stop")
	if got := d.prompts(); fmt.Sprint(got) != "[kept]" || len(d.notes.waiting) > 0 {
		t.Errorf("got %v, still waiting %+v", got, d.notes.waiting)
	}
}

func TestWriteIsForServersThatStart(t *testing.T) {
	d := newDesk(t)
	d.notes.waiting = []attend.Waiting{{Key: "1", What: attend.WaitPrompt, Session: "s1", Project: "shop", Text: "one"}, {Key: "2", What: attend.WaitPrompt, Session: "s2", Text: "two"}}
	if err := hook.Write(t.Context(), d.e, d.notes); err != nil || len(d.notes.waiting) > 0 || len(d.prompts()) != 2 {
		t.Errorf("got %v, %v, still waiting %v", d.prompts(), err, d.notes.waiting)
	}
	d.notes.waiting = []attend.Waiting{{Key: "3", What: attend.WaitPrompt, Session: "s1", Text: "three"}}
	if err := hook.Write(t.Context(), busy(t), d.notes); !errors.Is(err, errAway) || len(d.notes.waiting) != 1 {
		t.Errorf("got %v, still waiting %v", err, d.notes.waiting)
	}
}

func TestAPromptThatIsTooLongIsCut(t *testing.T) {
	d := newDesk(t)
	d.tell("prompt", "prompt", "read this: "+strings.Repeat("word ", 2<<20))
	d.tell("prompt", "prompt", "<private>"+strings.Repeat("4711 ", 100<<10)+"</private>and that: "+strings.Repeat("ü", 100<<10))
	got := d.prompts()
	if len(got) != 2 || len(got[0]) > 130<<10 || !strings.HasPrefix(got[0], "read this: word") || !strings.HasSuffix(got[0], "was cut]") || strings.Contains(got[1], "4711") {
		t.Errorf("got %d prompts", len(got))
		for _, p := range got {
			t.Errorf("%d bytes: %.60q", len(p), p)
		}
	}
}

func TestNotesThatCannotBeKept(t *testing.T) {
	d := newDesk(t)
	d.notes.broken = true
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.says(d.tell("session-start"), "httpOnly")
	d.quiet(d.tell("prompt", "prompt", "what the store has room for is kept"))
	if got := d.prompts(); len(got) != 1 {
		t.Errorf("prompts: %v", got)
	}
	for _, kind := range hook.Kinds() {
		d.tell(string(kind))
	}
}

func TestNobodyIsAskedToWaitForABug(t *testing.T) {
	d := newDesk(t)
	d.o.Engine = func() *engine.Engine { return nil } // every verb of it panics
	for _, kind := range hook.Kinds() {
		d.tell(string(kind), "prompt", "why is that so?", "compact_summary", "much")
	}
	if got := strings.Join(d.logged, "\n"); !strings.Contains(got, "panic") {
		t.Errorf("logged %q", got)
	}
}

func TestAnEventThatDoesNotEndIsLeftInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		begun := time.Now()
		got := hook.Handle(t.Context(), hook.Options{Notes: &notes{}, Now: time.Now}, "claude-code", "prompt", in)
		if took := time.Since(begun); got != nil || took != 150*time.Millisecond {
			t.Errorf("got %q after %v, want silence after 150ms", got, took)
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

// slowNotes does not answer what waits until it may.
type slowNotes struct {
	notes
	until chan struct{}
}

func (n *slowNotes) Waiting(session string) ([]attend.Waiting, error) {
	<-n.until
	return n.notes.Waiting(session)
}

func TestWhatNobodyKnowsIsSilence(t *testing.T) {
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
	for _, tt := range events() {
		f.Add(tt.agent, tt.event, []byte(tt.text))
	}
	f.Fuzz(func(t *testing.T, agent, event string, text []byte) {
		var logged []error
		o := hook.Options{Notes: &notes{}, Now: enginetest.Start, NewID: enginetest.IDs(), Engine: func() *engine.Engine { return busy(t) }, Folder: "/",
			Project: "shop", Within: time.Minute, Log: func(_ string, err error) { logged = append(logged, err) }}
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

// lateNotes keep what waits after some time.
type lateNotes struct {
	notes
	after time.Duration
}

func (n *lateNotes) Wait(w attend.Waiting) error {
	time.Sleep(n.after)
	return n.notes.Wait(w)
}
