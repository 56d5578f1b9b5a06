package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/httpapi"
)

const (
	host  = "127.0.0.1:7437"
	token = "open-sesame"
)

// newAPI is an API over a real engine on an empty store.
func newAPI(t testing.TB, o httpapi.Options) *httpapi.API {
	t.Helper()
	if o.Engine == nil {
		o.Engine = enginetest.New(t)
	}
	o.Version = "1.2.3"
	return httpapi.New(o)
}

// ask sends one request as a well-behaved client does; header lines are "Name: value".
func ask(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, in)
	r.Host = host
	if strings.HasPrefix(target, "/events") {
		// A stream ends with its client, and this one leaves at once.
		ctx, leave := context.WithCancel(r.Context())
		leave()
		r = r.WithContext(ctx)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// told is the answer's body without what differs from run to run: times become T and
// sync ids keep their prefix alone. What a save says of its reasons is the rules' own.
func told(w *httptest.ResponseRecorder) string {
	times := regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z"`)
	syncs := regexp.MustCompile(`"(obs|prompt|rel)-[0-9a-f]{16}"`)
	s := times.ReplaceAllString(strings.TrimSuffix(w.Body.String(), "\n"), "T")
	return syncs.ReplaceAllString(s, `"$1-X"`)
}

// load sends requests that must succeed: "METHOD target" and a body.
func load(t testing.TB, h http.Handler, requests ...[2]string) {
	t.Helper()
	for _, r := range requests {
		method, target, _ := strings.Cut(r[0], " ")
		if w := ask(h, method, target, r[1]); w.Code >= 300 {
			t.Fatalf("%s %s\n got %d %s\nwant success", r[0], r[1], w.Code, w.Body)
		}
	}
}

// want compares one answer with the status and the body it should have.
func want(t *testing.T, w *httptest.ResponseRecorder, request string, status int, body string) {
	t.Helper()
	if got := told(w); w.Code != status || got != body {
		t.Errorf("%s\n got %d %s\nwant %d %s", request, w.Code, got, status, body)
	}
	if kind := w.Header().Get("Content-Type"); kind != "application/json" {
		t.Errorf("%s: got Content-Type %q, want application/json", request, kind)
	}
}
