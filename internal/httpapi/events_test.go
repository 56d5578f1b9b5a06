package httpapi_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/httpapi"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

// event is one event of a stream; one without a name is a comment or the retry.
type event struct{ id, name, data string }

// watching is a client of GET /events.
type watching struct {
	t    *testing.T
	body io.ReadCloser
	in   *bufio.Reader
}

// watch opens a stream that must succeed.
func watch(t *testing.T, url string, header ...string) *watching {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("Content-Encoding") != "" {
		t.Fatalf("GET %s: got %s with %v", url, resp.Status, resp.Header)
	}
	return &watching{t, resp.Body, bufio.NewReader(resp.Body)}
}

// next reads up to the next event that has a name; "" when the stream ended.
func (w *watching) next() (e event) {
	w.t.Helper()
	for {
		line, err := w.in.ReadString('\n')
		if err != nil {
			return event{}
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				return e
			}
		}
	}
}

// want reads the next event, which must have this name and these parts in its data.
func (w *watching) want(name string, parts ...string) event {
	w.t.Helper()
	e := w.next()
	if e.name != name {
		w.t.Fatalf("got the event %+v, want %s", e, name)
	}
	for _, part := range parts {
		if !strings.Contains(e.data, part) {
			w.t.Errorf("got %s\nwant in it %s", e.data, part)
		}
	}
	return e
}

func TestAWatcherSeesWhatIsWrittenAndNoText(t *testing.T) {
	t.Parallel()
	parts := enginetest.NewParts(t)
	base := "http://" + live(t, httpapi.Options{Engine: parts.Engine})
	w := watch(t, base+"/events")
	w.want("begin", `{"op":0}`)
	saved := `{"title":"Cookies over tokens","content":"A cookie survives a reload.","project":"demo","session_id":"s1","tags":["secret-tag"]}`
	if err := call("POST", base+"/memories", saved, new(any)); err != nil {
		t.Fatal(err)
	}
	e := w.want("operation", `"verb":"save"`, `"project":"demo"`, `"memories":[{"num":1,"id":"mem_`, `"created":true`, `"entity":"session"`)
	if strings.Contains(e.data, "ookie") || strings.Contains(e.data, "secret-tag") {
		t.Errorf("the event tells a text: %s", e.data)
	}
	// Another process on the same file.
	other := "http://" + live(t, httpapi.Options{Engine: parts.Again(t).Engine})
	if err := call("PATCH", other+"/memories/1", `{"title":"Else"}`, new(any)); err != nil {
		t.Fatal(err)
	}
	second := w.want("operation", `"verb":"update"`, `"created":false`)

	// Who comes back is told what came after the last event that it saw, the header before
	// the address.
	for _, from := range []*watching{watch(t, base+"/events?since="+e.id), watch(t, base+"/events?since=0", "Last-Event-ID: "+e.id)} {
		from.want("begin", `{"op":`+e.id+`}`)
		if got := from.want("operation"); got != second {
			t.Errorf("resumed: got %+v, want %+v", got, second)
		}
	}
	if err := call("POST", base+"/sessions", `{"id":"other","project":"other"}`, new(any)); err != nil {
		t.Fatal(err)
	}
	narrowed := watch(t, base+"/events?since=0&project=OTHER")
	narrowed.want("begin")
	narrowed.want("operation", `"project":"other"`)
	lost := watch(t, base+"/events?since=4711")
	lost.want("begin")
	lost.want("missed")
}

func TestWhatIsNoWatchIsToldInJSON(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	bad := func(message string) string {
		return `{"error":{"code":"invalid","message":"` + message + `","hint":"GET /log lists the numbers; 0 is the beginning"}}`
	}
	want(t, ask(h, "GET", "/events?since=soon", ""), "since a word", 400, bad(`since \"soon\" is not the number of an operation`))
	want(t, ask(h, "GET", "/events?since=-1", ""), "since less than nothing", 400, bad(`since \"-1\" is not the number of an operation`))
	want(t, ask(h, "GET", "/events", "", "Last-Event-ID: x"), "a header that is no number", 400, bad(`since \"x\" is not the number of an operation`))
	if w := ask(h, "GET", "/events?sinse=1", ""); w.Code != 400 || !strings.Contains(w.Body.String(), "did you mean since?") {
		t.Errorf("a misspelt parameter: got %d %s", w.Code, w.Body)
	}
	if w := ask(h, "HEAD", "/events", ""); w.Code != 200 || w.Body.Len() > 0 {
		t.Errorf("HEAD /events: got %d %q, want 200 and an end", w.Code, w.Body)
	}
	live := "http://" + live(t, httpapi.Options{})
	resp, err := http.Get(live + "/events?project=nobody")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != 404 {
		t.Errorf("a project that nobody knows: got %s, want 404", resp.Status)
	}
}

func TestThereAreOnlySoManyWatchers(t *testing.T) {
	t.Parallel()
	base := "http://" + live(t, httpapi.Options{})
	var all []*watching
	for range 32 {
		all = append(all, watch(t, base+"/events"))
	}
	tooMany := func() int {
		resp, err := http.Get(base + "/events")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		return resp.StatusCode
	}
	if got := tooMany(); got != 503 {
		t.Errorf("the 33rd: got %d, want 503", got)
	}
	if err := call("GET", base+"/health", "", new(any)); err != nil {
		t.Errorf("the health beside them: %v", err)
	}
	_ = all[0].body.Close()
	for range 2000 { // its place is free when the server has noticed, which asking gives it time for
		if got := tooMany(); got == 200 {
			return
		}
	}
	t.Error("a watcher left and its place stays taken")
}

// watchPipe opens a stream over a pipe, inside a bubble, where sockets do not work.
func watchPipe(t *testing.T, p *pipes) net.Conn {
	t.Helper()
	c := p.dial()
	send(t, c, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	return c
}

func TestAWatcherIsShownThatTheServerLives(t *testing.T) {
	silent(t, func(t *testing.T, p *pipes, stop func() error) {
		c := watchPipe(t, p)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		in, start := bufio.NewReader(resp.Body), time.Now()
		for beats := 0; beats < 3; {
			line, err := in.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(line, ":") {
				beats++
			}
		}
		if took := time.Since(start); took < 40*time.Second || took > 50*time.Second {
			t.Errorf("three signs of life took %v, want 45 s", took)
		}
		// It lived longer than any deadline of the server, and ends with it at once.
		start = time.Now()
		ended := make(chan error, 1)
		go func() { // a pipe has no room: the end waits for its reader
			_, err := io.Copy(io.Discard, in)
			ended <- err
		}()
		if err := stop(); err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
		if took := time.Since(start); took > 500*time.Millisecond {
			t.Errorf("the server took %v to stop beside a watcher, want no time", took)
		}
		if err := <-ended; err != nil {
			t.Errorf("the stream broke off: %v, want an end", err)
		}
		_ = c.Close()
	})
}

func TestAWatcherThatReadsNothingIsLeft(t *testing.T) {
	silent(t, func(t *testing.T, p *pipes, stop func() error) {
		c := watchPipe(t, p)
		start := time.Now()
		time.Sleep(5 * time.Minute)
		// A pipe holds nothing: the first line already waits for its reader.
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Logf("the connection: %v", err)
		}
		if err := stop(); err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
		if took := time.Since(start); took > 6*time.Minute {
			t.Errorf("a client that reads nothing was kept for %v", took)
		}
		_ = c.Close()
	})
}

// silent is serving with an engine whose journal is empty: a real store does not live in a
// bubble, for its connections wait on clocks of their own.
func silent(t *testing.T, test func(t *testing.T, p *pipes, stop func() error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, done := newPipes(), make(chan error, 1)
		h := httpapi.New(httpapi.Options{Engine: enginetest.New(t)})
		go func() { done <- route.Serve(ctx, p, h, nil) }()
		test(t, p, func() error { cancel(); return <-done })
	})
}
