package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// wire is a client of lines.
type wire struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

// wired joins a client of lines to s and shakes hands. The server must end when the test
// does.
func wired(t *testing.T, s *Server) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.ServeStdio(context.Background(), inR, outW)
		_ = outW.Close()
	}()
	w := &wire{t: t, in: inW, out: bufio.NewReaderSize(outR, 16)} // the smallest: what is not read, is not written
	t.Cleanup(func() {
		_ = inW.Close()
		rest, err := io.ReadAll(w.out)
		if err := <-ended; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
		if len(rest) > 0 || err != nil {
			t.Errorf("after the last answer that was awaited came %s, error %v", rest, err)
		}
	})
	w.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	w.wants(`"id":"hello"`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

func (w *wire) send(format string, args ...any) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.in, format+"\n", args...); err != nil {
		w.t.Fatal(err)
	}
}

// wants reads one line, which must have all of these.
func (w *wire) wants(parts ...string) string {
	w.t.Helper()
	line, err := w.out.ReadString('\n')
	for _, part := range parts {
		if err != nil || !strings.Contains(line, part) {
			w.t.Fatalf("got %.300s, error %v, want %s", line, err, part)
		}
	}
	return line
}

func (w *wire) cancel(id int) {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"enough"}}`, id)
}

// A cancelled slow operation ends without writing and without an answer, and the session continues.
func TestACancelledScanWritesNothing(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	fill(t, e, "demo", 1500)
	before, err := e.ConflictStats(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Engine: e, Tools: "all", Dir: "/demo", Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	w := wired(t, s)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mem_conflicts","arguments":{"action":"scan","apply":true},"_meta":{"progressToken":1}}}`)
	// The scan waits while its first notification is not read to its end, so that it runs
	// and is not done when it is cancelled.
	if _, err := w.out.Peek(1); err != nil {
		t.Fatal(err)
	}
	w.cancel(1)
	w.send(`{"jsonrpc":"2.0","method":"notifications/unheard"}`)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mem_conflicts","arguments":{"action":"stats"}}}`)
	w.wants(`"notifications/progress"`, `"total":1500`)
	w.wants(`"id":2`)
	after, err := e.ConflictStats(t.Context(), "demo")
	if err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("got %v, %v, want what was before, %v", after, err, before)
	}
}

// patient is a server over a real store whose tool save saves once its context has ended,
// or when it is let go, and whose tool look waits for the same.
type patient struct {
	*Server
	engine *engine.Engine
	begun  chan string   // the name of a tool that runs
	ended  chan error    // what became of it
	letGo  chan struct{} // lets one go on
}

func newPatient(t *testing.T) *patient {
	p := &patient{engine: enginetest.New(t), begun: make(chan string, 9), ended: make(chan error, 9), letGo: make(chan struct{}, 9)}
	wait := func(name string, then func(context.Context, string) error) func(context.Context, tool.Caller, diaryArgs) (heard, error) {
		return func(ctx context.Context, _ tool.Caller, a diaryArgs) (heard, error) {
			p.begun <- name
			select {
			case <-ctx.Done():
			case <-p.letGo:
			}
			err := then(ctx, a.What)
			p.ended <- err
			return heard{}, err
		}
	}
	p.Server = newServer(Options{}, []tool.Tool{
		tool.New(tool.Def{Name: "save", Effect: tool.Writes}, wait("save", func(ctx context.Context, what string) error {
			_, err := p.engine.Save(ctx, remember.SaveInput{Project: "demo", Title: what, Content: what})
			return err
		})),
		tool.New(tool.Def{Name: "look", Effect: tool.Reads}, wait("look", func(ctx context.Context, _ string) error { return ctx.Err() })),
	})
	return p
}

func (p *patient) titles(t *testing.T) []string {
	t.Helper()
	ms, err := p.engine.List(t.Context(), engram.Filter{Project: "demo"}, engram.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, m := range ms {
		titles = append(titles, m.Title)
	}
	return titles
}

const callSave = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"save","arguments":{"what":"%d"}}}`

func TestCancelledCallsEndWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	w := wired(t, p.Server)
	for i := range 3 {
		w.send(callSave, i+1, i+1)
	}
	<-p.begun // the first
	w.cancel(2)
	w.cancel(1)
	if err := <-p.ended; err == nil {
		t.Error("a save whose call was cancelled was made")
	}
	<-p.begun // must be the third: the second never runs
	w.cancel(77)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	p.letGo <- struct{}{}
	w.wants(`"id":3`, `"result"`)
	w.cancel(3) // too late: there is nothing to cancel
	w.send(callSave, 1, 4)
	p.letGo <- struct{}{}
	w.wants(`"id":1`, `"result"`) // an id may be used again
	if got := fmt.Sprint(p.titles(t)); got != "[4 3]" && got != "[3 4]" {
		t.Errorf("got %s, want the third and the fourth memory alone", got)
	}
	w.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	w.wants(`"id":9`)
}

// Over HTTP a client cancels by going away. In the stateless revision that ends every
// call; in those before it, where it is not said to be a cancellation, those that only read.
func TestAClientThatLeavesEndsItsCall(t *testing.T) {
	t.Parallel()
	const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	for _, tt := range []struct {
		name, tool, version, meta string
		ends                      bool
	}{
		{"a read of the stateless revision", "look", "2026-07-28", meta, true},
		{"a write of the stateless revision", "save", "2026-07-28", meta, true},
		{"a read of an earlier one", "look", "2025-11-25", "", true},
		{"a write of an earlier one goes on", "save", "2025-11-25", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPatient(t)
			noticed, handler := make(chan struct{}), p.Handler()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				context.AfterFunc(r.Context(), func() { close(noticed) })
				handler.ServeHTTP(w, r)
			}))
			defer web.Close()
			ctx, leave := context.WithCancel(t.Context())
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"what":"1"}%s}}`, tt.tool, tt.meta)
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"Mcp-Protocol-Version": tt.version, "Mcp-Method": "tools/call", "Mcp-Name": tt.tool} {
				req.Header.Set(k, v)
			}
			gone := make(chan error, 1)
			go func() {
				res, err := web.Client().Do(req)
				if err == nil {
					err = fmt.Errorf("an answer of status %s", res.Status)
					_ = res.Body.Close()
				}
				gone <- err
			}()
			select {
			case <-p.begun:
			case err := <-gone:
				t.Fatalf("the call did not begin: %v", err)
			}
			leave()
			<-gone
			<-noticed
			if !tt.ends {
				p.letGo <- struct{}{} // its context has ended before, if its client can end it
			}
			err = <-p.ended
			if (err != nil) != tt.ends || (len(p.titles(t)) == 1) != (tt.tool == "save" && !tt.ends) {
				t.Errorf("the call ended with %v and %q are saved", err, p.titles(t))
			}
		})
	}
}

// What a tool says of a cancelled call is no fault of ours and nothing for the log.
func TestACancelledCallIsNoInternalError(t *testing.T) {
	t.Parallel()
	s := newServer(Options{}, nil)
	raw, err := json.Marshal(s.failure("x", fmt.Errorf("read memory: %w", context.Canceled)).StructuredContent)
	if err != nil || !strings.Contains(string(raw), `"code":"conflict"`) || !strings.Contains(string(raw), "cancelled") {
		t.Errorf("got %s, %v", raw, err)
	}
}
