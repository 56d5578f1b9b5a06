package hook_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/hook"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
)

// A timeout is logged with the step in progress and the project.
func TestWhatWasUnderWayIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &slowNotes{until: make(chan struct{})}
		var told []hook.Trouble
		o := hook.Options{Notes: n, Now: time.Now, Engine: func() *engine.Engine { return busy(t) }, Folder: "/", Project: "shop", NewID: enginetest.IDs(),
			Log: func(trouble hook.Trouble) { told = append(told, trouble) }}
		hook.Handle(t.Context(), o, "claude-code", "before-compact", strings.NewReader(`{"session_id":"s1"}`))
		want := hook.Trouble{Kind: dialect.BeforeCompact, Project: "shop", What: "event", During: "write", Err: context.DeadlineExceeded}
		if len(told) != 1 || told[0] != want {
			t.Errorf("got %+v, want %+v", told, want)
		}
		close(n.until)
		in, out := io.Pipe()
		told = nil
		hook.Handle(t.Context(), o, "claude-code", "before-tool", in)
		if len(told) != 1 || told[0].During != "read" || told[0].Project != "" {
			t.Errorf("of an event that does not end: %+v", told)
		}
		_ = out.Close()
		synctest.Wait()
	})
}

func TestABugIsToldWithItsPlace(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.o.Engine = func() *engine.Engine { panic(errors.New("with a word of somebody's")) }
	d.quiet(d.report("prompt", "prompt", "what is here?"))
	if len(d.troubles) != 1 {
		t.Fatalf("got %+v", d.troubles)
	}
	got, plain := hook.Plain(d.troubles[0].Err)
	if !plain || !strings.HasPrefix(got, "panic: *errors.errorString at internal/hook") || strings.Contains(got, "somebody") || d.troubles[0].What != "panic" {
		t.Errorf("got %q, %+v", got, d.troubles[0])
	}
}
