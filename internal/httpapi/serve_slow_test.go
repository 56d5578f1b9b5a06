package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/httpapi"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

// A body that never arrives must not hold a connection open on any route: each is answered and soon closed.
func TestABodyThatNeverComesHoldsNoConnection(t *testing.T) {
	refused := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	for _, tt := range []struct {
		name, request, body, want string
		within                    time.Duration
	}{
		{"of a verb for commands", "POST /daemon/stop", "{", "408 Request Timeout", 31 * time.Second},
		{"of an import that is none from the beginning", "POST /import", "nonsense", "400 Bad Request", time.Second},
		{"of an import with a parameter that says nothing", "POST /import?dry_run=perhaps", "{", "400 Bad Request", time.Second},
		{"of an import that stops", "POST /import", "{", "408 Request Timeout", 31 * time.Second},
		{"of a verb that may take minutes", "POST /sleep", "{", "408 Request Timeout", 31 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			serving(t, httpapi.Options{Engine: enginetest.New(t), Daemon: refused}, func(t *testing.T, p *pipes, stop func() error) {
				c := p.dial()
				start := time.Now()
				send(t, c, tt.request+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"+tt.body)
				in := bufio.NewReader(c)
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatalf("no answer: %v", err)
				}
				if waited := time.Since(start); resp.Status != tt.want || waited > tt.within {
					t.Errorf("got %s after %v, want %s within %v", resp.Status, waited, tt.want, tt.within)
				}
				_, err = io.Copy(io.Discard, in)
				if waited := time.Since(start); err != nil || waited > tt.within+10*time.Second {
					t.Errorf("closed after %v with %v, want it within %v", waited, err, tt.within+10*time.Second)
				}
				if err := stop(); err != nil {
					t.Errorf("Serve: got %v, want nil", err)
				}
			})
		})
	}
}

func TestASlowVerbHasTheGraceOfAStop(t *testing.T) {
	serving(t, httpapi.Options{MCP: slow(3 * time.Second)}, func(t *testing.T, p *pipes, stop func() error) {
		c := p.dial()
		send(t, c, mcpCall)
		synctest.Wait()
		stopped := make(chan error, 1)
		go func() { stopped <- stop() }()
		if got := status(t, c); got != "200 OK" {
			t.Errorf("a call that takes three seconds more: got %s, want 200", got)
		}
		if err := <-stopped; err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
	})
}

// stuck is a store that answers nothing until it need not.
type stuck struct{ engram.Store }

func (stuck) View(ctx context.Context, _ func(engram.Reader) error) error {
	<-ctx.Done()
	return fmt.Errorf("read: %w", ctx.Err())
}

// A slow operation that a stop cuts off reports the stop, not an internal error.
func TestASlowVerbIsToldThatTheServerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o := httpapi.Options{Engine: engine.New(engine.Options{Now: time.Now, Store: stuck{}}), Log: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, stop := context.WithCancel(t.Context())
		p, done := newPipes(), make(chan error, 1)
		go func() { done <- route.Serve(ctx, p, httpapi.New(o), nil) }()
		c := p.dial()
		send(t, c, "GET /diagnostics HTTP/1.1\r\nHost: localhost\r\n\r\n")
		synctest.Wait()
		stop()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("no answer: %v", err)
		}
		body, err := io.ReadAll(resp.Body)
		const want = `{"error":{"code":"unavailable","message":"the server is stopping","hint":"repeat the request later"}}`
		if err != nil || resp.StatusCode != 503 || strings.TrimSpace(string(body)) != want || resp.Header.Get("Retry-After") == "" {
			t.Errorf("got %s %s %v, want 503 %s with Retry-After", resp.Status, body, err, want)
		}
		if err := <-done; err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
		if log.Len() > 0 {
			t.Errorf("log: got %s, want nothing", log.String())
		}
	})
}
