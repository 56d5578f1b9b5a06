package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/httpapi"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

// pipes is a listener whose connections are pipes: inside a synctest bubble they wait
// on its clock, which sockets do not.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
}

func newPipes() *pipes { return &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.incoming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.incoming <- there
	return here
}

// serving runs test in a bubble against a server, and tells what Serve returned once
// stop was called. No handler here reaches the engine.
func serving(t *testing.T, o httpapi.Options, test func(t *testing.T, p *pipes, stop func() error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Engine == nil {
			o.Engine = engine.New(engine.Options{Now: time.Now})
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, done := newPipes(), make(chan error, 1)
		go func() { done <- route.Serve(ctx, p, httpapi.New(o), nil) }()
		test(t, p, func() error { cancel(); return <-done })
	})
}

// elapse lets time pass in a bubble.
func elapse(d time.Duration) { time.Sleep(d) }

// status reads an answer's status line and throws the rest away.
func status(t *testing.T, c net.Conn) string {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "no answer: " + err.Error()
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return "half an answer: " + err.Error()
	}
	return resp.Status
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Errorf("send %q: %v", text, err)
	}
}

const postHead = "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"

func TestASlowHeaderLosesItsConnection(t *testing.T) {
	serving(t, httpapi.Options{}, func(t *testing.T, p *pipes, stop func() error) {
		c := p.dial()
		start := time.Now()
		var drip sync.WaitGroup
		drip.Go(func() {
			for {
				if _, err := io.WriteString(c, "G"); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		})
		got := status(t, c)
		if waited := time.Since(start); waited > 15*time.Second {
			t.Errorf("a byte a second: got %s after %v, want an end within 15 s", got, waited)
		}
		_ = c.Close()
		drip.Wait()
		if err := stop(); err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
	})
}

func TestASlowBodyIsAnswered408(t *testing.T) {
	serving(t, httpapi.Options{}, func(t *testing.T, p *pipes, stop func() error) {
		c := p.dial()
		start := time.Now()
		send(t, c, postHead+`{"id":`)
		if got := status(t, c); got != "408 Request Timeout" {
			t.Errorf("a body that stops half-way: got %s, want 408", got)
		}
		if waited := time.Since(start); waited > 40*time.Second {
			t.Errorf("got an answer after %v, want it within 40 s", waited)
		}
		_ = c.Close()
		if err := stop(); err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
	})
}

func TestAnIdleConnectionIsClosed(t *testing.T) {
	serving(t, httpapi.Options{}, func(t *testing.T, p *pipes, stop func() error) {
		c := p.dial()
		send(t, c, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if got := status(t, c); got != "200 OK" {
			t.Errorf("GET /health: got %s, want 200", got)
		}
		start := time.Now()
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("read from an idle connection: got %v, want EOF", err)
		}
		if waited := time.Since(start); waited < time.Minute || waited > 3*time.Minute {
			t.Errorf("closed after %v, want it between one and three minutes", waited)
		}
		if err := stop(); err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
	})
}

// slow is an endpoint that answers after d, or says that its client went away.
func slow(d time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			_, _ = io.WriteString(w, "done")
		case <-r.Context().Done():
			w.WriteHeader(http.StatusTeapot)
		}
	})
}

const mcpCall = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

func TestStoppingLetsWhatIsUnderWayFinish(t *testing.T) {
	serving(t, httpapi.Options{MCP: slow(500 * time.Millisecond)}, func(t *testing.T, p *pipes, stop func() error) {
		c := p.dial()
		send(t, c, mcpCall)
		synctest.Wait() // the handler has the request
		stopped := make(chan error, 1)
		go func() { stopped <- stop() }()
		if got := status(t, c); got != "200 OK" {
			t.Errorf("a request under way while the server stops: got %s, want 200", got)
		}
		if err := <-stopped; err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
		select {
		case <-p.closed:
		default:
			t.Error("the listener is still open")
		}
	})
}

func TestStoppingDoesNotWaitForever(t *testing.T) {
	serving(t, httpapi.Options{MCP: slow(time.Hour)}, func(t *testing.T, p *pipes, stop func() error) {
		c := p.dial()
		send(t, c, mcpCall)
		synctest.Wait()
		start := time.Now()
		if err := stop(); err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
		if waited := time.Since(start); waited > 6*time.Second {
			t.Errorf("stopped after %v, want 5 s", waited)
		}
		_ = c.Close()
	})
}

func TestAStreamOutlivesTheDeadlines(t *testing.T) {
	serving(t, httpapi.Options{MCP: slow(10 * time.Minute)}, func(t *testing.T, p *pipes, stop func() error) {
		c := p.dial()
		send(t, c, mcpCall)
		if got := status(t, c); got != "200 OK" {
			t.Errorf("a stream of ten minutes: got %s, want 200", got)
		}
		_ = c.Close()
		if err := stop(); err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
	})
}

func TestServeSaysWhyItCouldNotGoOn(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := route.Serve(t.Context(), l, http.NotFoundHandler(), slog.New(slog.DiscardHandler)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve on a closed listener: got %v, want net.ErrClosed", err)
	}
}

// live starts a server on a socket and returns its address.
func live(t *testing.T, o httpapi.Options) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	h := newAPI(t, o)
	go func() { done <- route.Serve(ctx, l, h, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
	})
	return l.Addr().String()
}

func TestHalfOpenConnectionsDoNotStopTheRest(t *testing.T) {
	t.Parallel()
	addr := live(t, httpapi.Options{})
	for i := range 300 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		// A third says nothing, a third half a header, a third half a body.
		send(t, c, []string{"", "POST /sessions HTTP/1.1\r\nHo", postHead + `{"id"`}[i%3])
	}
	client := http.Client{Timeout: time.Second}
	for range 5 {
		resp, err := client.Get("http://" + addr + "/health")
		if err != nil {
			t.Fatalf("GET /health beside 300 half-open connections: %v", err)
		}
		_ = resp.Body.Close()
	}
}

func TestBrokenRequestsOnTheWire(t *testing.T) {
	addr := live(t, httpapi.Options{})
	for _, tt := range []struct {
		name, request string
		want          []string // one of these begins the status; "" is a closed connection
	}{
		{"no HTTP", "hello\r\n\r\n", []string{"400"}},
		{"no host", "GET /health HTTP/1.1\r\n\r\n", []string{"400"}},
		{"two hosts", "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n", []string{"400"}},
		{"an old client without a host", "GET /health HTTP/1.0\r\n\r\n", []string{"421"}},
		{"a foreign address in the request line", "GET http://evil.test/health HTTP/1.1\r\nHost: localhost\r\n\r\n", []string{"421"}},
		{"options for everything of a foreign host", "OPTIONS * HTTP/1.1\r\nHost: evil.test\r\n\r\n", []string{"421"}},
		{"two lengths", "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", []string{"400"}},
		{"a length and chunks", "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []string{"400"}},
		{"a negative length", "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", []string{"400"}},
		{"chunks that are none", "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", []string{"400"}},
		{"a length of 80 MB", "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 83886080\r\n\r\n{}", []string{"413"}},
		{"a header of 1 MB", "GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", []string{"431"}},
		{"a tunnel", "CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n", []string{"421"}},
		{"an upgrade", "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", []string{"200"}},
		{"HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"505", "400", "421"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if err := c.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(c, tt.request) // the server may hang up before the end
			got := status(t, c)
			for _, w := range tt.want {
				if strings.HasPrefix(got, w) {
					return
				}
			}
			t.Errorf("%.80q\n got %s\nwant %s", tt.request, got, tt.want)
		})
	}
}

func TestALargeBodyOverASocketIsRefusedAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	addr := live(t, httpapi.Options{})
	resp, err := http.Post("http://"+addr+"/sessions", "application/json", strings.NewReader(strings.Repeat("x", 20<<20)))
	if err == nil { // the client may also have been cut off while it sent
		if resp.StatusCode != 413 {
			t.Errorf("20 MiB: got %s, want 413", resp.Status)
		}
		_ = resp.Body.Close()
	}
	resp, err = http.Post("http://"+addr+"/sessions", "application/json", strings.NewReader(`{"id":"a","project":"b"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != 201 {
		t.Errorf("a request after it: got %s, want 201", fmt.Sprint(resp.Status))
	}
}
