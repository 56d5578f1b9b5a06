package hook_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/hook"
)

const howLong = "how long do access tokens of the login live in their httpOnly cookie?"

// Whatever runs at once: what is known is told by one event, and by no later one.
func TestEventsAtOnceTellNothingTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.crowd()
	events := map[string][]any{
		"session-start": {"source", "startup"},
		"prompt":        {"prompt", howLong},
		"before-tool":   {"tool_name", "Read", "tool_input", map[string]any{"file_path": "auth/session.go"}},
	}
	var mu sync.Mutex
	var said strings.Builder
	var wg sync.WaitGroup
	for range 3 {
		for event, more := range events {
			wg.Go(func() {
				got := d.report(event, more...)
				mu.Lock()
				defer mu.Unlock()
				said.WriteString(got + "\n")
			})
		}
	}
	wg.Wait()
	for event, more := range events {
		said.WriteString(d.report(event, more...))
	}
	if got := said.String(); strings.Count(got, "httpOnly") != 1 {
		t.Errorf("told %d times, want once:\n%s", strings.Count(got, "httpOnly"), got)
	}
}

// slowClaims takes its time to claim.
type slowClaims struct {
	*notes
	takes time.Duration
}

func (n slowClaims) Claim(session string, kinds []string, choose func([]attend.Note) []attend.Note) error {
	defer time.Sleep(n.takes) // within a bubble
	return n.notes.Claim(session, kinds, choose)
}

// What is claimed is waited for; what comes after the last moment is given back, and told by the
// next event.
func TestWhatIsClaimedIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		takes time.Duration
		told  bool
	}{
		"in time":                    {0, true},
		"when the time is over":      {400 * time.Millisecond, true},
		"when nobody waits any more": {2 * time.Second, false},
	} {
		for _, event := range []string{"session-start", "prompt"} {
			t.Run(name+", "+event, func(t *testing.T) {
				d := newDesk(t)
				d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
				d.crowd()
				if event == "prompt" { // that is not the first one
					d.notes.noted = map[string][]attend.Note{"s1": {{Kind: "brief"}}}
				}
				d.o.Folder, d.o.Project = d.dir, "shop"
				var got string
				var took time.Duration
				synctest.Test(t, func(t *testing.T) {
					o := d.o
					o.Within, o.Notes = 150*time.Millisecond, slowClaims{d.notes, tt.takes}
					begun := time.Now()
					got = string(hook.Handle(t.Context(), o, "claude-code", event, strings.NewReader(`{"session_id":"s1","prompt":"`+howLong+`"}`)))
					took = time.Since(begun)
					time.Sleep(time.Minute) // until what was late is done, too
				})
				if strings.Contains(got, "httpOnly") != tt.told || took > 750*time.Millisecond || tt.takes < 750*time.Millisecond && took != tt.takes && took != 150*time.Millisecond {
					t.Errorf("after %v: got %q, want told %v", took, got, tt.told)
				}
				if again := d.report("prompt", "prompt", howLong); strings.Contains(again, "httpOnly") == tt.told {
					t.Errorf("the next event: got %q", again)
				}
			})
		}
	}
}

// Where no notes can be kept the store says what was told, and where that cannot be written
// nothing is injected that might be injected twice.
func TestWithoutNotesTheStoreClaims(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.notes.broken = true
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	d.crowd()
	d.says(d.report("session-start"), "httpOnly")
	d.quiet(d.report("prompt", "prompt", howLong))
	d.save("Refunds go by the card", "Refunds go to the card that paid, in the pfennig rounding of the bank", engram.TypeDecision)
	refunds := "which pfennig rounding do refunds to the card have?"
	d.says(d.report("prompt", "prompt", refunds), "Refunds go")
	d.quiet(d.report("prompt", "prompt", refunds))
	if got := strings.Join(d.logged, "\n"); !strings.Contains(got, "claim: ") {
		t.Errorf("logged %s", got)
	}
}
