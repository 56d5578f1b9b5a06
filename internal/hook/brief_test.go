package hook_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// slowStore does not answer who says until when he waits.
type slowStore struct{ engram.Store }

func (s slowStore) View(ctx context.Context, fn func(engram.Reader) error) error {
	if _, bounded := ctx.Deadline(); bounded {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.Store.View(ctx, fn)
}

// slowly runs fn with a store that answers no event in time.
func (d *desk) slowly(fn func()) {
	d.t.Helper()
	was := d.o
	p := enginetest.NewParts(d.t)
	slow := engine.New(engine.Options{Store: slowStore{p.Store}, Now: p.Clock.Now, NewID: enginetest.IDs()})
	d.o.Engine, d.o.Within = func() *engine.Engine { return slow }, 50*time.Millisecond
	fn()
	d.o = was
}

func TestABriefThatWasMissedIsToldWithTheNextEvent(t *testing.T) {
	t.Parallel()
	edit := []any{"tool_name", "Edit", "tool_input", map[string]any{"file_path": "cart/cart.go"}}
	for name, tt := range map[string]struct {
		event string
		more  []any
	}{
		"a prompt":          {"prompt", []any{"prompt", "go on"}},
		"before a tool":     {"before-tool", edit},
		"after a tool":      {"after-tool", edit},
		"a failing command": {"after-tool", []any{"tool_name", "Bash", "tool_input", map[string]any{"command": "make"}, "error", "error: no rule"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
			d.slowly(func() { d.quiet(d.report("session-start", "source", "startup")) })
			d.quiet(d.report(tt.event, append(tt.more, "agent_id", "a")...)) // a helper
			d.says(d.report(tt.event, tt.more...), "httpOnly", "Memory of shop")
			d.quiet(d.report(tt.event, tt.more...))
			d.quiet(d.report("prompt", "prompt", "how long do access tokens of the login live in their httpOnly cookie?")) // nothing twice
		})
	}
}

// Agents without a hook for the start of a session, or with one that never ran, have prompts.
func TestASessionWithoutAStartIsBriefedWithItsFirstPrompt(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*desk){
		"none": func(*desk) {},
		"in a folder of several": func(d *desk) {
			several(d.t, d.dir)
			d.quiet(d.report("session-start", "cwd", filepath.Join(d.dir, "all")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
			start(d)
			d.o.Engine = d.engine
			d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "cart/cart.go"}))
			d.says(d.report("prompt", "prompt", "go on"), "Memory of shop", "httpOnly")
			d.quiet(d.report("prompt", "prompt", "how long do access tokens of the login live?"))
		})
	}
}

// several makes a folder all with two repositories in dir.
func several(t *testing.T, dir string) {
	t.Helper()
	for _, child := range []string{"a", "b"} {
		if out, err := exec.Command("git", "init", "-q", filepath.Join(dir, "all", child)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// A project of which nothing is known has nothing to be told, and then a prompt is answered.
func TestAnEmptyBriefLeavesRoomForAReminder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.slowly(func() { d.quiet(d.report("session-start", "source", "startup")) })
	d.quiet(d.report("prompt", "prompt", "what is known of the login here?"))
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.crowd()
	if got := d.report("prompt", "prompt", "how long do access tokens of the login live in their httpOnly cookie?"); !strings.Contains(got, "httpOnly") || strings.Contains(got, "Memory of shop") {
		t.Errorf("got %s", got)
	}
}

func TestWhatCompactionMadeForgottenIsToldLate(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.says(d.report("session-start", "source", "startup"), "httpOnly")
	d.slowly(func() { d.quiet(d.report("session-start", "source", "compact")) })
	d.says(d.report("before-tool", "tool_name", "Bash", "tool_input", map[string]any{"command": "make"}), "httpOnly")
	d.quiet(d.report("prompt", "prompt", "how long do access tokens of the login live?"))
}

// A store that never answers in time must not take that time of each event.
func TestABriefIsGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	var asked atomic.Int32 // an event that was given up may ask while the next one does
	d.slowly(func() {
		within := d.o.Engine
		d.o.Engine = func() *engine.Engine { asked.Add(1); return within() }
		d.quiet(d.report("session-start"))
		for i := range 10 {
			d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": fmt.Sprintf("f%d.go", i)}))
		}
	})
	if n := asked.Load(); n > 10 { // the project, four briefs and what each of them looks up
		t.Errorf("the store was asked for %d times by 11 events", n)
	}
	d.quiet(d.report("after-tool", "tool_name", "Edit", "tool_input", map[string]any{"file_path": "a.go"}))
	d.says(d.report("session-start", "source", "resume"), "httpOnly")
}
