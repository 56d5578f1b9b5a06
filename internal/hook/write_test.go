package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/notebook"
)

// Half of a key is no key to whoever looks for keys: it must not be left by the cut.
func TestNoSecretIsCutInHalf(t *testing.T) {
	const kept = 128 << 10
	line := strings.Repeat("QmFzZTY0", 8)
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(line+"\n", 190) + "-----END RSA PRIVATE KEY-----\n"
	const token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a" //nolint:gosec // nobody's
	for name, tt := range map[string]struct {
		secret string
		inside int // bytes of it before the cut
	}{
		"a key, nearly all of it": {key, len(key) - 40}, "half a key": {key, len(key) / 2}, "the head of a key": {key, 100}, "half a token": {token, 20},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			head := strings.Repeat("word ", kept/5+1)[:kept-tt.inside-30] + "\n\nthe key is "
			d.quiet(d.tell("prompt", "prompt", head+tt.secret+strings.Repeat(" and more", 10<<10)))
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

// blindNotes can neither be read nor written, as in a folder that is none.
type blindNotes struct{ notes }

func (n *blindNotes) All(string) ([]attend.Note, error)        { return nil, errFull }
func (n *blindNotes) Add(string, attend.Note) error            { return errFull }
func (n *blindNotes) Wait(attend.Waiting) error                { return errFull }
func (n *blindNotes) Waiting(string) ([]attend.Waiting, error) { return nil, errFull }
func (n *blindNotes) Written(string, []string) error           { return errFull }
func (n *blindNotes) Unwritten() ([]string, error)             { return nil, errFull }

func TestNotesThatCannotBeReadCostNoPrompt(t *testing.T) {
	d := newDesk(t)
	d.o.Notes = &blindNotes{}
	d.quiet(d.tell("prompt", "prompt", "what the database has room for is kept"))
	if got := d.prompts(); len(got) != 1 {
		t.Errorf("prompts: %v; logged %v", got, d.logged)
	}
}

// Notes are kept without secrets: a command that has one is known by what was kept of it.
func TestACommandWithASecretInItHasAnOutcome(t *testing.T) {
	d := newDesk(t)
	d.o.Notes = notebook.New(notebook.Options{Dir: filepath.Join(t.TempDir(), "notes"), Lock: func(*os.File) (bool, error) { return true, nil }})
	const command = "deploy --token ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a ./cart" //nolint:gosec // nobody's
	in := []any{"tool_name", "Bash", "tool_input", map[string]any{"command": command}}
	d.quiet(d.tell("after-tool", append(in, "hook_event_name", "PostToolUseFailure", "error", "Exit code 1\ncart.go:7: undefined: total")...))
	d.quiet(d.tell("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "cart/cart.go"}))
	d.quiet(d.tell("after-tool", append(in, "tool_response", map[string]any{"stdout": "ok"})...))
	ms := d.memories(engram.Filter{})
	if len(ms) != 1 || !strings.Contains(ms[0].Content, "undefined: total") || strings.Contains(ms[0].Content+ms[0].Title, "ghp_") {
		t.Errorf("got %+v", ms)
	}
}

// A store that is late once must not keep a file, or an error, silent for a whole session.
func TestWhatWasLateIsToldTheNextTime(t *testing.T) {
	for event, in := range map[string][]any{
		"before-tool": {"tool_name", "Read", "tool_input", map[string]any{"file_path": "auth/session.go"}},
		"after-tool": {"hook_event_name", "PostToolUseFailure", "tool_name", "Bash", "tool_input", map[string]any{"command": "go run ./auth"},
			"error", "Exit code 1\nerror: Login tokens expired in auth/session.go, an httpOnly cookie"},
	} {
		t.Run(event, func(t *testing.T) {
			d := newDesk(t)
			d.save("Login tokens live 15 minutes", cookies, engram.TypeBugfix)
			d.tell("session-start", "session_id", "s0")
			d.o.Project = "shop" // so that the store is asked for what is told alone
			d.o.Engine = func() *engine.Engine { return busy(t) }
			for range 2 {
				d.quiet(d.tell(event, in...))
			}
			d.o.Engine = d.engine
			d.says(d.tell(event, in...), "httpOnly")
			d.quiet(d.tell(event, in...))

			d.o.Engine = func() *engine.Engine { d.opened++; return busy(t) }
			for range 10 { // but it must not cost each use its time
				d.quiet(d.tell(event, append([]any{"session_id", "s2"}, in...)...))
			}
			opened := d.opened
			d.quiet(d.tell(event, append([]any{"session_id", "s2"}, in...)...))
			if d.opened != opened {
				t.Error("a store that never answers is asked for ever")
			}
		})
	}
}
