package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// diary is a set of tools that write down what happens, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) write(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, ", ")
}

type diaryArgs struct {
	What string `json:"what"`
}

// heard is what a tool was told by the person.
type heard struct {
	CanAsk bool   `json:"can_ask"`
	OK     bool   `json:"ok"`
	Choice string `json:"choice"`
	Reason string `json:"reason"`
}

// server offers judge, which writes, asks and writes again; save, which writes; and
// look, which reads.
func (d *diary) server(o Options) *Server {
	return newServer(o, []tool.Tool{
		tool.New(tool.Def{Name: "judge", Effect: tool.Writes}, func(ctx context.Context, by tool.Caller, a diaryArgs) (heard, error) {
			d.write("saved %s", a.What)
			if by.Ask == nil {
				return heard{}, nil
			}
			answer, ok := by.Ask(ctx, tool.Question{Message: "Does <private>hunter2</private> \x1b[1m" + a.What + " hold?",
				Choices: []string{"supersedes", "later"}, Reason: "Why?"})
			if ok {
				d.write("judged %s", a.What)
			}
			return heard{true, ok, answer.Choice, answer.Reason}, nil
		}),
		tool.New(tool.Def{Name: "save", Effect: tool.Writes}, func(_ context.Context, _ tool.Caller, a diaryArgs) (heard, error) {
			d.write("saved %s", a.What)
			return heard{}, nil
		}),
		tool.New(tool.Def{Name: "look", Effect: tool.Reads}, func(context.Context, tool.Caller, diaryArgs) (heard, error) { return heard{}, nil }),
	})
}

// form answers the questions of a server in the person's place.
type form func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)

// connectPerson joins a client whose person answers with f to s; a nil f is a client
// that cannot ask.
func connectPerson(t *testing.T, transport mcp.Transport, version string, f form, capabilities *mcp.ClientCapabilities) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "asker", Version: "1"}, &mcp.ClientOptions{ElicitationHandler: f, Capabilities: capabilities})
	c, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect with %s: %v", version, err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// stdio serves s over pipes until the test ends.
func stdio(t *testing.T, s *Server) mcp.Transport {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.ServeStdio(context.Background(), inR, outW)
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		if err := <-ended; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
	})
	return &mcp.IOTransport{Reader: outR, Writer: inW}
}

func callTool(t *testing.T, c *mcp.ClientSession, name, what string) heard {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: diaryArgs{what}})
	if err != nil || r.IsError {
		t.Errorf("%s %s: %+v, %v", name, what, r, err)
		return heard{}
	}
	var h heard
	b, err := json.Marshal(r.StructuredContent)
	if err != nil || json.Unmarshal(b, &h) != nil {
		t.Errorf("%s %s: got %s, %v", name, what, b, err)
	}
	return h
}

func TestAPersonIsAskedWhileACallRuns(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3000)
	for _, tt := range []struct {
		name string
		form form
		want heard
	}{
		{"a choice", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"choice": "supersedes"}}, nil
		}, heard{true, true, "supersedes", ""}},
		{"a choice with a reason, of which the private part is nobody's", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"choice": "later", "reason": " <private>x</private> busy "}}, nil
		}, heard{true, true, "later", "[REDACTED] busy"}},
		{"a reason without end is cut", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"choice": "later", "reason": long}}, nil
		}, heard{true, true, "later", long[:999] + "…"}},
		{"declined", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}, heard{CanAsk: true}},
		{"closed", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "cancel"}, nil
		}, heard{CanAsk: true}},
		{"no choice", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"choice": "whatever"}}, nil
		}, heard{CanAsk: true}},
		{"a client that fails", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, fmt.Errorf("no window to show it in")
		}, heard{CanAsk: true}},
	} {
		for _, version := range []string{"2025-06-18", "2025-11-25"} {
			t.Run(tt.name+" "+version, func(t *testing.T) {
				var asked *mcp.ElicitParams
				d := &diary{}
				c := connectPerson(t, stdio(t, d.server(Options{})), version, func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked = r.Params
					return tt.form(ctx, r)
				}, nil)
				if got := callTool(t, c, "judge", "14"); got != tt.want {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
				if got, want := d.String(), "saved 14"; got != want && got != want+", judged 14" {
					t.Errorf("diary: got %s", got)
				}
				if want := `Does [REDACTED] \x1b[1m14 hold?`; asked.Message != want {
					t.Errorf("question: got %q, want %q", asked.Message, want)
				}
				form, _ := json.Marshal(asked.RequestedSchema)
				if want := `"required":["choice"]`; !strings.Contains(string(form), want) || !strings.Contains(string(form), `"enum":["supersedes","later"]`) {
					t.Errorf("form: got %s, want %s and the choices", form, want)
				}
			})
		}
	}
}

func TestAPersonWhoIsAwayIsAskedOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	takenAway := make(chan struct{})
	d := &diary{}
	c := connectPerson(t, stdio(t, d.server(Options{AskWithin: 50 * time.Millisecond})), "2025-11-25",
		func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			<-ctx.Done()
			close(takenAway)
			return nil, ctx.Err()
		}, nil)
	for _, what := range []string{"1", "2"} {
		if got, want := callTool(t, c, "judge", what), (heard{CanAsk: true}); got != want {
			t.Errorf("judge %s: got %+v, want %+v", what, got, want)
		}
	}
	<-takenAway // the client is told that the question is over
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}

func TestACallThatTheClientGivesUpIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	open := make(chan struct{}, 2)
	c := connectPerson(t, stdio(t, new(diary).server(Options{})), "2025-11-25",
		func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			open <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}, nil)
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		<-open
		giveUp()
	}()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "judge", Arguments: diaryArgs{"1"}}); err == nil {
		t.Fatal("the call was answered although nobody answered the question")
	}
	// The server hears of it a little later than the client.
	for range 100 {
		if got := callTool(t, c, "judge", "2"); got.OK {
			t.Fatalf("got %+v", got)
		}
	}
	if len(open) > 0 {
		t.Error("asked again")
	}
}

func TestWhoCannotBeAskedIsNot(t *testing.T) {
	t.Parallel()
	never := form(func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		t.Error("asked")
		return &mcp.ElicitResult{Action: "decline"}, nil
	})
	http := func(t *testing.T, s *Server) mcp.Transport {
		t.Helper()
		web := httptest.NewServer(s.Handler())
		t.Cleanup(web.Close)
		return &mcp.StreamableClientTransport{Endpoint: web.URL}
	}
	for _, tt := range []struct {
		name         string
		join         func(*testing.T, *Server) mcp.Transport
		version      string
		form         form
		capabilities *mcp.ClientCapabilities
	}{
		{"a client that does not elicit", stdio, "2025-11-25", nil, nil},
		{"a client of before there was such a thing", stdio, "2024-11-05", nil, nil},
		{"a client that only opens pages", stdio, "2025-11-25", never,
			&mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}}},
		{"the stateless revision", stdio, "2026-07-28", never, nil},
		{"over HTTP", http, "2025-11-25", never, nil},
		{"the stateless revision over HTTP", http, "2026-07-28", never, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := connectPerson(t, tt.join(t, new(diary).server(Options{})), tt.version, tt.form, tt.capabilities)
			if got := callTool(t, c, "judge", "1"); got != (heard{}) {
				t.Errorf("got %+v, want that nobody can be asked", got)
			}
		})
	}
}

func TestWritesGoOnWhileAPersonThinks(t *testing.T) {
	t.Parallel()
	open, answer := make(chan struct{}, 2), make(chan struct{})
	d := &diary{}
	c := connectPerson(t, stdio(t, d.server(Options{AskWithin: 20 * time.Second})), "2025-11-25", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		open <- struct{}{}
		<-answer
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"choice": "later"}}, nil
	}, nil)
	judged := make(chan heard)
	go func() { judged <- callTool(t, c, "judge", "1") }()
	<-open
	for i := range 100 {
		callTool(t, c, "save", fmt.Sprint(i+2))
	}
	callTool(t, c, "look", "")
	if got, want := callTool(t, c, "judge", "other"), (heard{CanAsk: true}); got != want {
		t.Errorf("a second question while the first is open: got %+v, want %+v", got, want)
	}
	close(answer)
	if got := <-judged; !got.OK {
		t.Errorf("judge: got %+v", got)
	}
	if got := d.String(); !strings.HasPrefix(got, "saved 1, saved 2, saved 3, ") || !strings.HasSuffix(got, ", saved other, judged 1") {
		t.Errorf("got %s", got)
	}
	callTool(t, c, "save", "last") // the slot is free again
	if len(open) != 0 {
		t.Errorf("%d more questions were put", len(open))
	}
}

// The lines of a client with a person, up to the call that asks.
const untilAsked = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"judge","arguments":{"what":"14"}}}
`

func TestNobodyIsWaitedForWhenTheInputHasEnded(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := new(diary).server(Options{}).ServeStdio(t.Context(), strings.NewReader(untilAsked), &out); err != nil {
		t.Fatal(err)
	}
	if want := `"ok":false`; !strings.Contains(out.String(), want) {
		t.Errorf("the call was not answered with %s:\n%s", want, out.String())
	}
}

// An answer that stands on the last line counts, every time.
func TestTheLastLineMayBeTheAnswer(t *testing.T) {
	t.Parallel()
	for range 200 {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- new(diary).server(Options{}).ServeStdio(t.Context(), inR, outW)
			_ = outW.Close()
		}()
		go func() { _, _ = io.WriteString(inW, untilAsked) }()
		var last string
		for lines := bufio.NewScanner(outR); lines.Scan(); {
			last = lines.Text()
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if json.Unmarshal(lines.Bytes(), &m) == nil && m.Method == "elicitation/create" {
				_, _ = fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"choice":"supersedes"}}}`+"\n", m.ID)
				_ = inW.Close()
			}
		}
		if err := <-ended; err != nil || !strings.Contains(last, `"choice":"supersedes"`) {
			t.Fatalf("got %s, %v, want the choice", last, err)
		}
	}
}

func TestNobodyIsWaitedForWhenTheServerIsToStop(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	inR, inW := io.Pipe()
	defer func() { _ = inW.Close() }()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- new(diary).server(Options{}).ServeStdio(ctx, inR, outW)
		_ = outW.Close()
	}()
	go func() { _, _ = io.WriteString(inW, untilAsked) }()
	for lines := bufio.NewScanner(outR); lines.Scan(); {
		if strings.Contains(lines.Text(), "elicitation/create") {
			stop()
		}
	}
	if err := <-ended; err != nil {
		t.Errorf("got %v, want no error: the stop was asked for", err)
	}
}
