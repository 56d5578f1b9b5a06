package hook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/hook"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
)

// Half of a key is not recognised as one: the cut must not leave it.
func TestNoSecretIsCutInHalf(t *testing.T) {
	t.Parallel()
	const kept = 128 << 10
	line := strings.Repeat("QmFzZTY0", 8)
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(line+"\n", 190) + "-----END RSA PRIVATE KEY-----\n"
	const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a" //nolint:gosec // not a real key
	for name, tt := range map[string]struct {
		secret string
		inside int // bytes of it before the cut
	}{
		"a key, nearly all of it": {key, len(key) - 40}, "half a key": {key, len(key) / 2}, "the head of a key": {key, 100}, "half a token": {token, 20},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			head := strings.Repeat("word ", kept/5+1)[:kept-tt.inside-30] + "\n\nthe key is "
			d.quiet(d.report("prompt", "prompt", head+tt.secret+strings.Repeat(" and more", 10<<10)))
			got := d.prompts()
			if len(got) != 1 || len(got[0]) < kept/2 || len(got[0]) > kept || !strings.HasPrefix(got[0], "word word") {
				t.Fatalf("got %d prompts %.80q", len(got), got)
			}
			if end := got[0][len(got[0])-200:]; strings.Contains(got[0], tt.secret[:20]) || strings.Contains(got[0], line[:16]) {
				t.Errorf("a part of it is left: %q", end)
			}
		})
	}
}

// What is left of an event that was too long ends anywhere: half a key there is not kept.
func TestNoSecretIsHalvedByTheEndOfWhatIsRead(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("QmFzZTY0", 8)
	key := `-----BEGIN RSA PRIVATE KEY-----\n` + strings.Repeat(line+`\n`, 100) + `-----END RSA PRIVATE KEY-----\n`
	event := `{"session_id":"s1","cwd":"/w","tool_name":"Bash","tool_input":{"command":"make"},"error":"`
	for _, inside := range []int{200, len(key) / 2, len(key) - 10} {
		head := event + strings.Repeat(`error: no cart\n`, 400<<10/16)
		text := head + strings.Repeat("x", 512<<10-(len(head)-len(event))-inside-1) + key + strings.Repeat("y", 9<<20)
		e, err := dialect.Decode("claude-code", dialect.AfterTool, "PostToolUseFailure", []byte(text[:8<<20]))
		if err != nil || !strings.Contains(e.Tool.Error, "no cart") || strings.Contains(e.Tool.Error, line) {
			t.Errorf("%d bytes inside: %v, the error ends in %.100q", inside, err, e.Tool.Error[max(0, len(e.Tool.Error)-100):])
		}
	}
}

// blindNotes can neither be read nor written, as in a path that is not a folder.
type blindNotes struct{ notes }

func (n *blindNotes) All(string) ([]attend.Note, error)        { return nil, errFull }
func (n *blindNotes) Add(string, attend.Note) error            { return errFull }
func (n *blindNotes) AddPending(attend.Pending) error          { return errFull }
func (n *blindNotes) Pending(string) ([]attend.Pending, error) { return nil, errFull }
func (n *blindNotes) Written(string, []string) error           { return errFull }
func (n *blindNotes) Unwritten() ([]string, error)             { return nil, errFull }

func TestNotesThatCannotBeReadCostNoPrompt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.o.Notes = &blindNotes{}
	d.quiet(d.report("prompt", "prompt", "what the database has room for is kept"))
	if got := d.prompts(); len(got) != 1 {
		t.Errorf("prompts: %v; logged %v", got, d.logged)
	}
}

// Notes are kept without secrets: a command that has one is known by what was kept of it.
func TestACommandWithASecretInItHasAnOutcome(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.o.Notes = enginetest.Notebook(filepath.Join(t.TempDir(), "notes"))
	const command = "deploy --token ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a ./cart" //nolint:gosec // not a real key
	in := []any{"tool_name", "Bash", "tool_input", map[string]any{"command": command}}
	d.quiet(d.report("after-tool", append(in, "hook_event_name", "PostToolUseFailure", "error", "Exit code 1\ncart.go:7: undefined: total")...))
	d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "cart/cart.go"}))
	d.quiet(d.report("after-tool", append(in, "tool_response", map[string]any{"stdout": "ok"})...))
	ms := d.memories(engram.Filter{})
	if len(ms) != 1 || !strings.Contains(ms[0].Content, "undefined: total") || strings.Contains(ms[0].Content+ms[0].Title, "ghp_") {
		t.Errorf("got %+v", ms)
	}
}

// A store that is late once must not keep a file, or an error, silent for a whole session.
func TestWhatWasLateIsToldTheNextTime(t *testing.T) {
	t.Parallel()
	for event, in := range map[string][]any{
		"before-tool": {"tool_name", "Read", "tool_input", map[string]any{"file_path": "auth/session.go"}},
		"after-tool": {"hook_event_name", "PostToolUseFailure", "tool_name", "Bash", "tool_input", map[string]any{"command": "go run ./auth"},
			"error", "Exit code 1\nerror: Login tokens expired in auth/session.go, an httpOnly cookie"},
	} {
		t.Run(event, func(t *testing.T) {
			d := newDesk(t)
			d.save("Login tokens live 15 minutes", cookies, engram.TypeBugfix)
			d.report("session-start", "session_id", "s0")
			d.o.Project = "shop" // so that the store is asked for what is told alone
			d.o.Engine = func() *engine.Engine { return busy(t) }
			for range 2 {
				d.quiet(d.report(event, in...))
			}
			d.o.Engine = d.engine
			d.says(d.report(event, in...), "httpOnly")
			d.quiet(d.report(event, in...))

			d.o.Engine = func() *engine.Engine { d.opened++; return busy(t) }
			for range 10 { // but it must not cost each use its time
				d.quiet(d.report(event, append([]any{"session_id", "s2"}, in...)...))
			}
			opened := d.opened
			d.quiet(d.report(event, append([]any{"session_id", "s2"}, in...)...))
			if d.opened != opened {
				t.Error("a store that never answers is asked for ever")
			}
		})
	}
}

// oddStore fails in unexpected ways.
type oddStore struct {
	engram.Store
	fails func() bool
}

var errOdd = errors.New("malformed page 7")

func (s oddStore) Update(ctx context.Context, f func(engram.Tx) error) error {
	if s.fails() {
		return errOdd
	}
	return s.Store.Update(ctx, f)
}

// What fails for no known reason is tried again, and nothing waits for it: neither the rest of
// its session nor that of others.
func TestWhatFailsForNoKnownReasonBlocksNothingAndStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	d := newDesk(t)
	store, err := enginetest.OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	calls := 0
	odd := engine.New(engine.Options{Store: oddStore{store, func() bool { calls++; return calls == 1 }}, Now: enginetest.Start, NewID: enginetest.IDs()})
	for i, session := range []string{"s1", "s1", "s2"} {
		d.notes.waiting = append(d.notes.waiting, attend.Pending{Key: fmt.Sprint("k", i), What: attend.PendingPrompt, Session: session, Project: "shop", Text: fmt.Sprint("prompt ", i)})
	}
	d.o.Engine = func() *engine.Engine { return odd }
	d.o.Project = "shop"
	d.quiet(d.tellAs("windsurf", "session-start")) // which is told nothing: all that is done is to write
	if len(d.notes.waiting) != 1 || d.notes.waiting[0].Key != "k0" || !strings.Contains(strings.Join(d.logged, "\n"), "malformed") {
		t.Errorf("still waiting %+v; logged %v", d.notes.waiting, d.logged)
	}
	d.quiet(d.report("stop"))
	ps, err := odd.Prompts(t.Context(), "", engram.Page{})
	if err != nil || len(ps) != 3 || len(d.notes.waiting) != 0 {
		t.Errorf("got %d prompts, %v; still waiting %+v", len(ps), err, d.notes.waiting)
	}
}

// Late items are waited for, because they do not come again.
func TestAPromptThatComesSlowlyIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		n := &notes{}
		o := hook.Options{Notes: n, Now: time.Now, Engine: func() *engine.Engine { return busy(t) }, Folder: "/", Project: "shop", NewID: enginetest.IDs()}
		go func() {
			for _, part := range []string{`{"session_id":"s1",`, `"prompt":"what `, `is asked"`, `}`} {
				time.Sleep(100 * time.Millisecond)
				_, _ = io.WriteString(out, part)
			}
		}()
		begun := time.Now()
		hook.Handle(t.Context(), o, "claude-code", "prompt", in)
		if took := time.Since(begun); took != 400*time.Millisecond || len(n.waiting) != 1 || n.waiting[0].Text != "what is asked" {
			t.Errorf("after %v there is %+v; want the prompt after 400ms", took, n.waiting)
		}

		in, out = io.Pipe() // and one that stops in the middle is left all the same
		go func() { _, _ = io.WriteString(out, `{"session_id":"s1",`) }()
		begun = time.Now()
		hook.Handle(t.Context(), o, "claude-code", "prompt", in)
		if took := time.Since(begun); took != 750*time.Millisecond {
			t.Errorf("it took %v, want 750ms", took)
		}
		_ = out.Close()
		synctest.Wait()
	})
}

// What is written hours later is dated when it happened.
func TestWhatIsWrittenLateHasTheTimeAtWhichItHappened(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	now := enginetest.Start().Add(-5 * time.Hour)
	d.o.Now = func() time.Time { now = now.Add(time.Minute); return now }
	d.o.Engine = func() *engine.Engine { return busy(t) }
	d.o.Project = "shop" // which needs no store to be known
	at := map[string]time.Time{}
	report := func(what, event string, pairs ...any) {
		t.Helper()
		d.quiet(d.report(event, pairs...))
		at[what] = now
	}
	report("begin", "prompt", "prompt", "mend the cart")
	in := []any{"tool_name", "Bash", "tool_input", map[string]any{"command": "go test ./cart/..."}}
	report("failure", "after-tool", append(in, "hook_event_name", "PostToolUseFailure", "error", "Exit code 1\ncart.go:7: undefined: total")...)
	report("edit", "after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "cart/cart.go"})
	report(string(attend.OutcomeType), "after-tool", append(in, "tool_response", map[string]any{"stdout": "ok"})...)
	report(string(engram.TypePassive), "stop", "last_assistant_message", "## Key Learnings:\n1. The cart rounds each line and not the sum, as the tax office wants it\n")
	report(string(engram.TypeSessionSummary), "after-compact", "compact_summary", "we mended the cart")
	report("end", "session-end")
	d.o.Engine, now = d.engine, enginetest.Start()
	d.report("session-start", "session_id", "another")

	if ps, err := d.e.Prompts(t.Context(), "", engram.Page{}); err != nil || len(ps) != 1 || !ps[0].CreatedAt.Equal(at["begin"]) {
		t.Errorf("prompts %+v, %v, want one of %v", ps, err, at["begin"])
	}
	ms := d.memories(engram.Filter{})
	if len(ms) != 3 {
		t.Errorf("got %d memories; logged %v", len(ms), d.logged)
	}
	for _, m := range ms {
		if want := at[string(m.Type)]; !m.CreatedAt.Equal(want) || !m.UpdatedAt.Equal(want) {
			t.Errorf("%s: created %v, updated %v, want %v", m.Type, m.CreatedAt, m.UpdatedAt, want)
		}
	}
	if s, err := d.e.Session(t.Context(), "s1"); err != nil || !s.StartedAt.Equal(at["begin"]) || !s.EndedAt.Equal(at["end"]) {
		t.Errorf("the session lasted from %v to %v, %v, want from %v to %v", s.StartedAt, s.EndedAt, err, at["begin"], at["end"])
	}
}
