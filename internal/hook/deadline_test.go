package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/hook"
)

// A time that ends is never silence: the session is told what is ready, or with its next event.
func TestAStartWhoseTimeIsOverIsTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	w := enginetest.NewParts(t)
	d.e = w.Engine
	d.save("Login tokens live 15 minutes", cookies, engram.TypeDecision)
	told, later := 0, 0
	for n := 1; ; n++ {
		ctx, end := context.WithCancel(t.Context())
		calls := 0
		store := &enginetest.Counting{Store: w.Store, Before: func(string) {
			if calls++; calls == n {
				end()
			}
		}}
		d.e = engine.New(engine.Options{Store: store, Embedder: enginetest.Embedder(), Now: w.Clock.Now, NewID: enginetest.IDs()})
		session := fmt.Sprint("s", n)
		event := func(ctx context.Context, name string, pairs map[string]any) string {
			pairs["session_id"], pairs["cwd"] = session, d.dir
			b, err := json.Marshal(pairs)
			if err != nil {
				t.Fatal(err)
			}
			return string(hook.Handle(ctx, d.o, "claude-code", name, strings.NewReader(string(b))))
		}
		answer := event(ctx, "session-start", map[string]any{"source": "startup"})
		over := ctx.Err() != nil
		end()
		d.e = w.Engine
		switch {
		case strings.Contains(answer, "httpOnly"):
			told++
		default:
			w.Clock.Add(time.Minute)
			later++
			d.says(event(t.Context(), "prompt", map[string]any{"prompt": "how long do access tokens of the login live?"}), "httpOnly")
		}
		if !over {
			break
		}
	}
	if told <= later {
		t.Errorf("told at once %d times, later %d times; want it at once as a rule", told, later)
	}
	for _, line := range d.logged {
		if strings.Contains(line, "panic") {
			t.Error(line)
		}
	}
}
