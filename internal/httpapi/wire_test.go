package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func dialled(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// healthy fails unless the server answers at once.
func healthy(t *testing.T, addr, beside string) {
	t.Helper()
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + addr + "/health")
	if err != nil {
		t.Errorf("GET /health beside %s: %v", beside, err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != 200 {
		t.Errorf("GET /health beside %s: got %s, want 200", beside, resp.Status)
	}
}

func TestTwoHundredBodiesOfAByteASecondAreEndedAndHealthAnswers(t *testing.T) {
	serving(t, httpapi.Options{}, func(t *testing.T, p *pipes, stop func() error) {
		start := time.Now()
		var all sync.WaitGroup
		for range 200 {
			c := p.dial()
			all.Go(func() {
				defer func() { _ = c.Close() }()
				_, _ = io.WriteString(c, postHead)
				answered := make(chan string, 1)
				go func() { answered <- status(t, c) }()
				for {
					select {
					case got := <-answered:
						if got != "408 Request Timeout" {
							t.Errorf("a byte a second: got %s, want 408", got)
						}
						return
					case <-time.After(time.Second):
						_, _ = io.WriteString(c, " ") // the server may have hung up
					}
				}
			})
		}
		elapse(20 * time.Second)
		c := p.dial()
		send(t, c, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if got := status(t, c); got != "200 OK" {
			t.Errorf("GET /health beside them: got %s, want 200", got)
		}
		_ = c.Close()
		all.Wait()
		if took := time.Since(start); took > 40*time.Second {
			t.Errorf("the last was ended after %v, want 40 s at most", took)
		}
		if err := stop(); err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
	})
}

func TestAChunkedBodyOverTheLimitIsRefusedOnTheWire(t *testing.T) {
	t.Parallel()
	addr := live(t, httpapi.Options{})
	c := dialled(t, addr)
	done := make(chan string, 1)
	go func() { done <- status(t, c) }()
	_, _ = io.WriteString(c, "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<16, strings.Repeat("x", 1<<16))
	for range 80 { // 5 MiB; the server may hang up before the end
		if _, err := io.WriteString(c, chunk); err != nil {
			break
		}
	}
	if got := <-done; got != "413 Request Entity Too Large" && !strings.Contains(got, "reset") {
		t.Errorf("5 MiB in chunks: got %s, want 413", got)
	}
	healthy(t, addr, "a body that was too large")
}

func TestHalfARequestWritesNothing(t *testing.T) {
	t.Parallel()
	addr := live(t, httpapi.Options{})
	body := `{"session_id":"s","project":"p","title":"half","content":"half a request"}`
	head := "POST /observations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	for _, request := range []string{
		"POST /obser", head, head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body[:40]),
		head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)+1, body), // whole to look at, and not what was announced
		head + "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(body), body),
		head + "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n", len(body), body)[:30],
	} {
		c := dialled(t, addr)
		send(t, c, request)
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c) // an answer or none
		_ = c.Close()
	}
	var stats struct {
		Observations int `json:"total_observations"`
	}
	if err := call("GET", "http://"+addr+"/stats", "", &stats); err != nil || stats.Observations != 0 {
		t.Errorf("half a request was saved: %+v, %v", stats, err)
	}
}

func TestClientsThatVanishInMidAnswerHarmNobody(t *testing.T) {
	addr := live(t, httpapi.Options{})
	before := runtime.NumGoroutine()
	for i := range 100 {
		c := dialled(t, addr)
		send(t, c, "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if _, err := io.ReadFull(c, make([]byte, 1+i)); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			_ = c.(*net.TCPConn).SetLinger(0) // a reset, as of a process that was killed
		}
		_ = c.Close()
	}
	healthy(t, addr, "a hundred clients that vanished")
	for range 1000 {
		if runtime.NumGoroutine() <= before+20 {
			return
		}
		healthy(t, addr, "clients that vanished") // which gives the others their turn
	}
	t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
}

func TestAThousandConnectionsAreAnswered(t *testing.T) {
	addr := live(t, httpapi.Options{})
	var all []net.Conn
	for range 1000 {
		c := dialled(t, addr)
		if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	const ask = "GET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for round := range 2 { // the second time over the same connections
		for _, c := range all {
			send(t, c, ask)
		}
		for i, c := range all {
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatalf("round %d, connection %d: %v", round, i, err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
				t.Fatalf("round %d, connection %d: got %s, %v", round, i, resp.Status, err)
			}
		}
	}
	healthy(t, addr, "a thousand connections")
}

// What a page can send without asking first never reaches a handler, whatever it says it is.
func TestAPageSendsNothingOverTheWire(t *testing.T) {
	t.Parallel()
	addr := live(t, httpapi.Options{})
	poison := `{"session_id":"s","project":"p","title":"poison","content":"from a page"}`
	for _, header := range []string{
		"Content-Type: text/plain", "Content-Type: text/plain;charset=UTF-8", "Content-Type: multipart/form-data; boundary=x",
		"Content-Type: application/x-www-form-urlencoded\r\nOrigin: http://evil.test", "Content-Type: application/x-www-form-urlencoded\r\nOrigin: null",
		"Content-Type: application/x-www-form-urlencoded\r\nReferer: http://evil.test/", "Content-Type: application/x-www-form-urlencoded\r\nReferer: ",
		"Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Mode: no-cors", "Content-Type: application/x-www-form-urlencoded\r\nCookie: a=b",
		"Content-Type: application/x-www-form-urlencoded\r\nUser-Agent: Mozilla/5.0", "Content-Type: application/x-www-form-urlencoded; charset=UTF-8",
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Type: text/plain", "Origin: http://evil.test", "User-Agent: Mozilla/5.0",
		"Content-Type: application/json\r\nOrigin: http://evil.test", "Content-Type: application/json\r\nSec-Fetch-Site: cross-site",
	} {
		c := dialled(t, addr)
		if header != "" {
			header += "\r\n"
		}
		send(t, c, fmt.Sprintf("POST /observations HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n%s", addr, header, len(poison), poison))
		if got := status(t, c); !strings.HasPrefix(got, "415") && !strings.HasPrefix(got, "403") {
			t.Errorf("%q: got %s, want 415 or 403", header, got)
		}
		_ = c.Close()
	}
	var stats struct {
		Observations int `json:"total_observations"`
	}
	if err := call("GET", "http://"+addr+"/stats", "", &stats); err != nil || stats.Observations != 0 {
		t.Errorf("a page wrote: %+v, %v", stats, err)
	}
}

// What curl -d sends: a body of JSON under the type of a form, or under none.
func TestAPlainToolNeedsNoContentType(t *testing.T) {
	t.Parallel()
	addr := live(t, httpapi.Options{})
	for i, header := range []string{"Content-Type: application/x-www-form-urlencoded\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n", "", "Content-Type: \r\n"} {
		body := fmt.Sprintf(`{"session_id":"s","project":"p","title":"From a tool %d","content":"number %d"}`, i, i)
		c := dialled(t, addr)
		send(t, c, fmt.Sprintf("POST /observations HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n%s", addr, header, len(body), body))
		if got := status(t, c); !strings.HasPrefix(got, "201") {
			t.Errorf("%q: got %s, want 201", header, got)
		}
		_ = c.Close()
	}
	c := dialled(t, addr)
	send(t, c, fmt.Sprintf("POST /observations HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\ntitle=x", addr))
	if got := status(t, c); !strings.HasPrefix(got, "400") {
		t.Errorf("a form: got %s, want 400, for it is no JSON", got)
	}
	_ = c.Close()
}
