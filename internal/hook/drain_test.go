package hook_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram/internal/hook"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
)

// endless gives spaces for ever, and counts them.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.given += len(p)
	return len(p), nil
}

func TestAnEventThatNobodyWantsIsReadAway(t *testing.T) {
	large := strings.NewReader(`{"prompt":"` + strings.Repeat("word ", 4<<20) + `"}`)
	dialect.Drain(large, time.Minute)
	if large.Len() > 0 {
		t.Errorf("%d bytes were left", large.Len())
	}
	broken := strings.NewReader("no event" + strings.Repeat(" at all", 1<<20))
	hook.Handle(t.Context(), hook.Options{Notes: &notes{}, Now: time.Now, Within: time.Minute}, "claude-code", "prompt", broken)
	if broken.Len() > 0 {
		t.Errorf("of what is no event %d bytes were left", broken.Len())
	}
	e := &endless{}
	dialect.Drain(e, time.Minute)
	if e.given > 100<<20 {
		t.Errorf("%d bytes were read", e.given)
	}
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		go func() { _, _ = io.WriteString(out, `{"session_id":"s1"}`) }()
		begun := time.Now()
		dialect.Drain(in, time.Second) // which does not end, but says all that it says
		if took := time.Since(begun); took != 0 {
			t.Errorf("an event that is whole took %v", took)
		}
		dialect.Drain(in, time.Second)
		if took := time.Since(begun); took != time.Second {
			t.Errorf("nothing took %v, want a second", took)
		}
		_ = out.Close()
		synctest.Wait()
	})
}

func TestTheAgentsThatAreKnown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"claude-code": true, "kiro": true, "windsurf": true, "cursor": true, "": false, "hunter2": false} {
		if got := dialect.Knows(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}
