package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// newServer returns a server of every tool on an empty store.
func newServer(t testing.TB) *mcp.Server {
	t.Helper()
	s, err := mcp.New(mcp.Options{Engine: enginetest.New(t), Version: "1.2.3", Tools: "all", Instructions: protocol(), Dir: filepath.Join(t.TempDir(), "demo"),
		ReadAfter: time.Minute}) // no other process locks these stores, and the race detector makes saves slow
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connectStdio joins the SDK's own client to s over pipes.
func connectStdio(t testing.TB, s *mcp.Server, version string) *sdk.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.ServeStdio(context.Background(), inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		if err := <-ended; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
	})
	return connect(t, &sdk.IOTransport{Reader: outR, Writer: inW}, version)
}

// connectHTTP joins the SDK's own client to s over HTTP.
func connectHTTP(t testing.TB, s *mcp.Server, version string) *sdk.ClientSession {
	t.Helper()
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	return connect(t, &sdk.StreamableClientTransport{Endpoint: web.URL}, version)
}

func connect(t testing.TB, transport sdk.Transport, version string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test client", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect with %s: %v", version, err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestRealClientsOfBothErasSaveAndFind(t *testing.T) {
	t.Parallel()
	transports := map[string]func(testing.TB, *mcp.Server, string) *sdk.ClientSession{"stdio": connectStdio, "http": connectHTTP}
	for name, join := range transports {
		for _, version := range sdk.SupportedProtocolVersions() {
			t.Run(name+" "+version, func(t *testing.T) {
				c := join(t, newServer(t), version)
				init := c.InitializeResult()
				if init.ProtocolVersion != version || init.ServerInfo.Name != "engram" || init.ServerInfo.Version != "1.2.3" {
					t.Errorf("asked for %s, got %s of %+v", version, init.ProtocolVersion, init.ServerInfo)
				}
				//lint:ignore SA1019 what is checked is that the deprecated capability is not offered
				if caps := init.Capabilities; caps.Tools == nil || caps.Logging != nil || caps.Resources == nil || caps.Prompts == nil || caps.Completions == nil {
					t.Errorf("capabilities: got %+v, want tools, resources, prompts and completions", caps)
				}
				if !strings.Contains(init.Instructions, "mem_search") {
					t.Errorf("instructions: got %q", init.Instructions)
				}
				list, err := c.ListTools(t.Context(), nil)
				if want := len(toolsOf(t, listing(t, "all"))); err != nil || len(list.Tools) != want {
					t.Fatalf("list of %d tools, error %v, want %d", len(list.Tools), err, want)
				}
				saved := use(t, c, "mem_save", `{"title":"Chose Postgres","type":"decision","content":"because of pgvector"}`)
				if saved.IsError {
					t.Fatalf("mem_save: %s", text(saved))
				}
				found := use(t, c, "mem_search", `{"query":"which database did we choose, postgres?"}`)
				if !strings.Contains(text(found), "Chose Postgres") {
					t.Errorf("mem_search: got %s", text(found))
				}
				if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "mem_nothing"}); err == nil {
					t.Error("an unknown tool is answered")
				}
			})
		}
	}
}

func use(t testing.TB, c *sdk.ClientSession, name, args string) *sdk.CallToolResult {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return r
}

func text(r *sdk.CallToolResult) string {
	if len(r.Content) != 1 {
		return fmt.Sprintf("%d blocks of content", len(r.Content))
	}
	block, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		return fmt.Sprintf("a block of type %T", r.Content[0])
	}
	return block.Text
}

func TestParallelCallsOverBothTransports(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	sessions := []*sdk.ClientSession{connectStdio(t, s, "2025-11-25"), connectHTTP(t, s, "2026-07-28")}
	var wg sync.WaitGroup
	for i, c := range sessions {
		for j := range 20 {
			wg.Go(func() {
				if r := use(t, c, "mem_save", fmt.Sprintf(`{"title":"n%d-%d","content":"memory %d of client %d"}`, i, j, j, i)); r.IsError {
					t.Errorf("save %d-%d: %s", i, j, text(r))
				}
				if r := use(t, c, "mem_search", `{"query":"memory"}`); r.IsError {
					t.Errorf("search %d-%d: %s", i, j, text(r))
				}
			})
		}
	}
	wg.Wait()
	if r := use(t, sessions[0], "mem_stats", `{}`); !strings.Contains(text(r), "Observations: 40") {
		t.Errorf("after 40 saves: %s", text(r))
	}
}

func TestOldClientsAreAnsweredOverHTTPWithoutASession(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(newServer(t).Handler())
	defer web.Close()
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"a call without a handshake", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mem_stats","arguments":{}}}`, 200, `Memory System Stats`},
		{"parameters of the wrong form", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["<private>x</private>"]}`, 200, `{"code":-32602,"message":"the params of tools/call do not match the protocol"}`},
		{"no JSON", `nonsense`, 400, ""},
		{"nothing", ``, 400, ""},
		{"very deep", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + strings.Repeat("[", 1<<20), 400, ""},
		{"too long", strings.Repeat(" ", 5<<20), 413, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			res, err := web.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != tt.status || !strings.Contains(string(body), tt.want) {
				t.Errorf("got %d %s, error %v, want %d with %s", res.StatusCode, body, err, tt.status, tt.want)
			}
		})
	}
}

func TestSubscriptionEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(newServer(t).Handler())
	defer web.Close() // waits for requests that are under way
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"} {
		req.Header.Set(k, v)
	}
	res, err := web.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 512)
	n, err := res.Body.Read(first)
	if !bytes.Contains(first[:n], []byte("acknowledged")) {
		t.Errorf("got %d %s, error %v, want an acknowledgement", res.StatusCode, first[:n], err)
	}
	cancel()
	res.Body.Close()
}

func TestLogTellsNothingOfWhatIsSaved(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s, err := mcp.New(mcp.Options{Engine: enginetest.New(t), Dir: "/demo",
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	c := connectStdio(t, s, "2025-06-18")
	use(t, c, "mem_save", `{"title":"hunter2","content":"hunter2"}`)
	use(t, c, "mem_search", `{"query":"hunter2","project":"hunter2"}`)
	use(t, c, "mem_get_observation", `{"id":"hunter2"}`)
	if log.Len() > 0 {
		t.Errorf("calls that went as they should are logged:\n%s", log.String())
	}
}
