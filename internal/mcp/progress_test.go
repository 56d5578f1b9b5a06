package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// notes are the notifications of progress that a client got.
type notes struct {
	mu   sync.Mutex
	list []mcp.ProgressNotificationParams
	more chan struct{}
}

// watcher joins a client that keeps the notifications of progress.
func watcher(t *testing.T, transport mcp.Transport, version string) (*mcp.ClientSession, *notes) {
	t.Helper()
	n := &notes{more: make(chan struct{}, 100)}
	client := mcp.NewClient(&mcp.Implementation{Name: "watcher", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.list = append(n.list, *r.Params)
			n.more <- struct{}{}
		}})
	c, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, n
}

// of returns those of one call that came until now, in order.
func (n *notes) of(token any) []mcp.ProgressNotificationParams {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(n.list), func(p mcp.ProgressNotificationParams) bool { return p.ProgressToken != token })
}

// until waits for one of a call that says done; the client handles them beside the answer.
func (n *notes) until(t *testing.T, token any, done float64) {
	t.Helper()
	for !slices.ContainsFunc(n.of(token), func(p mcp.ProgressNotificationParams) bool { return p.Progress == done }) {
		select {
		case <-n.more:
		case <-time.After(20 * time.Second):
			t.Fatalf("of %v came %+v, want one of %v", token, n.of(token), done)
		}
	}
}

// counter is a server with one tool that reads and one that writes, both of which count
// to three twice.
type counter struct {
	*Server
	mu   sync.Mutex
	kept []tool.Progress
}

func newCounter() *counter {
	c := &counter{}
	count := func(_ context.Context, by tool.Caller, _ diaryArgs) (heard, error) {
		if by.Progress == nil {
			return heard{}, nil
		}
		for _, what := range []string{"looking", "writing"} {
			for i := range 3 {
				by.Progress(what, i+1, 3)
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.kept = append(c.kept, by.Progress)
		return heard{CanAsk: true}, nil
	}
	c.Server = newServer(Options{}, []tool.Tool{tool.New(tool.Def{Name: "look", Effect: tool.Reads}, count), tool.New(tool.Def{Name: "save", Effect: tool.Writes}, count)})
	return c
}

// tooLate counts on in the name of the calls that were answered.
func (c *counter) tooLate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.kept {
		p("too late", 9, 9)
	}
}

// overHTTP is a transport to s over HTTP.
func overHTTP(t *testing.T, s *Server) mcp.Transport {
	t.Helper()
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	return &mcp.StreamableClientTransport{Endpoint: web.URL}
}

func TestProgressIsToldOverBothTransportsInBothEras(t *testing.T) {
	t.Parallel()
	for name, join := range map[string]func(*testing.T, *Server) mcp.Transport{"stdio": stdio, "http": overHTTP} {
		for _, version := range mcp.SupportedProtocolVersions() {
			t.Run(name+" "+version, func(t *testing.T) {
				s := newCounter()
				c, got := watcher(t, join(t, s.Server), version)
				if asked := callTool(t, c, "look", "x"); asked.CanAsk {
					t.Error("without a token a tool can tell of its progress")
				}
				for _, name := range []string{"look", "save"} {
					p := &mcp.CallToolParams{Name: name, Arguments: diaryArgs{"x"}}
					p.SetProgressToken(name)
					if r, err := c.CallTool(t.Context(), p); err != nil || r.IsError {
						t.Fatalf("%s: %+v, %v", name, r, err)
					}
					s.tooLate()
					got.until(t, name, 6)
				}
				callTool(t, c, "look", "x")
				_ = c.Close()
				for _, name := range []string{"look", "save"} {
					checkRising(t, got.of(name))
				}
				if all := len(got.of("look")) + len(got.of("save")); all != len(got.list) {
					t.Errorf("%d notifications are nobody's: %+v", len(got.list)-all, got.list)
				}
			})
		}
	}
}

// checkRising checks the notifications of one call.
func checkRising(t *testing.T, got []mcp.ProgressNotificationParams) {
	t.Helper()
	last := 0.0
	for _, p := range got {
		if p.Progress <= last || p.Total < p.Progress || p.Message == "" || p.Message == "too late" {
			t.Errorf("%+v after %v, want a greater number, a total not below it and a message", p, last)
		}
		last = p.Progress
	}
	if len(got) == 0 {
		t.Error("nothing was told")
	}
}

func TestClientsAreSparedProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		tl := newReporter(func() error { return nil }, func(p *mcp.ProgressNotificationParams) error {
			sent = append(sent, fmt.Sprintf("%s %v/%v", p.Message, p.Progress, p.Total))
			return nil
		})
		report := func(what string, done, total int) {
			tl.report(what, done, total)
			synctest.Wait()
		}
		for i := range 1000 {
			report("scanning", i+1, 5000)
		}
		time.Sleep(2 * progressEvery)
		report("scanning", 999, 5000) // less than what was said before
		report("scanning", 1200, 5000)
		report("scanning", 1300, 5000) // too soon
		report("scanning", 5000, 5000)
		report("judging", 0, 7) // nothing is done yet, and the number must rise
		report("judging", 1, 7)
		report("tidying", 4, 0)
		report("tidying", 5, 0) // too soon, but the last
		tl.end()
		tl.report("tidying", 6, 0)
		want := "[scanning 1/5000 scanning 1000/5000 scanning 1200/5000 scanning 5000/5000 judging 5001/5007 tidying 5005/0 tidying 5006/0]"
		if got := fmt.Sprint(sent); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		time.Sleep(2 * progressEvery)
	})
}

func TestOnlyTokensOfTheProtocolAskForProgress(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]bool{`"a"`: true, `7`: true, `0`: true, `1.5`: true, `null`: false, `true`: false, `[]`: false, `{}`: false} {
		req := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{},"_meta":{"progressToken":%s}}}`, token)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(req))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		newCounter().Handler().ServeHTTP(w, r)
		if got := strings.Contains(w.Body.String(), `"method":"notifications/progress"`); got != want || !strings.Contains(w.Body.String(), `"result":`) {
			t.Errorf("token %s: got %s, want progress %v and an answer", token, w.Body, want)
		}
	}
}

// A verb's own count over a real store.
func TestSleepScanAndDiagnosticsTellTheirProgress(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	fill(t, e, "demo", 600)
	s, err := New(Options{Engine: e, Tools: "all", Dir: "/demo", Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	c, got := watcher(t, stdio(t, s), "2025-11-25")
	for i, call := range []struct{ name, args string }{
		{"mem_conflicts", `{"action":"scan"}`}, {"mem_diagnostics", `{}`}, {"mem_sleep", `{"dry_run":true}`}, {"mem_sleep", `{}`},
	} {
		p := &mcp.CallToolParams{Name: call.name, Arguments: json.RawMessage(call.args)}
		p.SetProgressToken(fmt.Sprint(i))
		if r, err := c.CallTool(t.Context(), p); err != nil || r.IsError {
			t.Fatalf("%+v: %+v, %v", call, r, err)
		}
		for len(got.of(fmt.Sprint(i))) == 0 {
			<-got.more
		}
		checkRising(t, got.of(fmt.Sprint(i)))
	}
}

// fill saves n memories of a project in batches, each about something else.
func fill(t testing.TB, e *engine.Engine, project string, n int) {
	t.Helper()
	syllables := []string{"ka", "lo", "mi", "nu", "pe", "ro", "sa", "ti", "vu", "we", "xa", "yo", "ze"}
	word := func(i int) string {
		var b strings.Builder
		for range 4 {
			b.WriteString(syllables[i%len(syllables)])
			i = i/len(syllables) + 7*i%31
		}
		return b.String()
	}
	for from := 0; from < n; from += remember.MaxBatch {
		var ins []remember.SaveInput
		for i := from; i < min(n, from+remember.MaxBatch); i++ {
			ins = append(ins, remember.SaveInput{Project: project, Title: word(i) + " " + word(i+n),
				Content: fmt.Sprintf("%s %s %s: the words of memory %d", word(2*i), word(3*i+1), word(5*i+2), i)})
		}
		if _, err := e.SaveBatch(t.Context(), ins); err != nil {
			t.Fatal(err)
		}
	}
}
