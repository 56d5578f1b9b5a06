package hook_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
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

	mu       sync.Mutex
	logged   []string
	troubles []hook.Trouble
	opened   int // how often the engine was asked for
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
		Log: func(trouble hook.Trouble) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.troubles = append(d.troubles, trouble)
			d.logged = append(d.logged, fmt.Sprintf("%s: %v", trouble.What, trouble.Err))
		}}
	return d
}

func (d *desk) engine() *engine.Engine {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened++
	return d.e
}

// report is an event of Claude Code in session s1; pairs are fields and their values.
func (d *desk) report(event string, pairs ...any) string {
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
	res, err := d.e.Save(d.t.Context(), remember.SaveInput{Title: title, Content: content, Type: typ, Project: "shop", Origin: engram.OriginHuman})
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

// What no person has typed is neither kept nor answered, but a session that begins with it is
// told what it should know.
func TestAPromptOfTheAgentsOwnIsNotKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.says(d.report("prompt", "prompt", "/compact"), "httpOnly")
	d.crowd()
	if _, err := d.e.Save(t.Context(), remember.SaveInput{Title: "The till opens by a pulse", Content: "The drawer of the till opens by a pulse of 200 ms", Project: "shop", Origin: engram.OriginHuman}); err != nil {
		t.Fatal(err)
	}
	d.quiet(d.report("prompt", "prompt", "<task-notification>the drawer of the till opens by a pulse of how many ms?</task-notification>"))
	if got := d.prompts(); len(got) > 0 {
		t.Errorf("prompts: %q", got)
	}
	d.says(d.report("prompt", "prompt", "the drawer of the till opens by a pulse of how many ms?"), "200 ms")
	if got := d.prompts(); len(got) != 1 {
		t.Errorf("prompts: %q", got)
	}
}
