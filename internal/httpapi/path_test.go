package httpapi_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// What is no route is told so as JSON, in the place that was asked: no page of HTML and
// no redirect, which would lose a body and the reason.
func TestNoPathIsRedirectedOrAnsweredInHTML(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{MCP: reached()})
	for _, tt := range []struct {
		name, request string
		status        int
		allow         string
	}{
		{"a slash at the end", "GET /health/", 404, ""},
		{"a slash at the end of a change", "POST /sessions/", 404, ""},
		{"two slashes", "GET //health", 404, ""},
		{"two slashes inside", "GET /sessions//s1", 404, ""},
		{"two slashes of a change", "POST //sessions", 404, ""},
		{"a dot", "GET /./health", 404, ""},
		{"two dots", "GET /memories/../health", 404, ""},
		{"two dots of a change", "DELETE /memories/../observations/1", 404, ""},
		{"dots that are escaped", "GET /memories/%2e%2e/health", 400, ""},
		{"a slash that is escaped", "GET /sessions%2Frecent", 404, ""},
		{"a path of nothing but slashes", "GET ////", 404, ""},
		{"a path in capitals", "GET /HEALTH", 404, ""},
		{"an escaped letter", "GET /h%65alth", 200, ""},
		{"half a subtree", "GET /history", 404, ""},
		{"half a subtree of a change", "PATCH /memories", 405, "GET, HEAD, POST"},
		{"bytes that are no UTF-8", "GET /%ff%fe", 404, ""},
		{"a NUL", "GET /health%00", 404, ""},
		{"a page", "GET /index.html", 404, ""},
		{"a method nobody knows", "BREW /health", 405, "GET, HEAD"},
		{"a method in small letters", "get /health", 405, "GET, HEAD"},
		{"a head of a change", "HEAD /sessions", 405, "POST"},
		{"options", "OPTIONS /memories/1", 405, "GET, HEAD, PATCH, DELETE"},
		{"options of nothing", "OPTIONS /nope", 404, ""},
		{"a trace", "TRACE /health", 405, "GET, HEAD"},
		{"a put of a newer route", "PUT /graph", 405, "GET, HEAD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			method, target, _ := strings.Cut(tt.request, " ")
			w := ask(h, method, target, "")
			if w.Code != tt.status || w.Header().Get("Allow") != tt.allow || w.Header().Get("Location") != "" {
				t.Errorf("%s\n got %d, Allow %q, Location %q: %s\nwant %d and Allow %q", tt.request, w.Code, w.Header().Get("Allow"), w.Header().Get("Location"), w.Body, tt.status, tt.allow)
			}
			if w.Header().Get("Content-Type") != "application/json" || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s: got %s %q, want JSON", tt.request, w.Header().Get("Content-Type"), w.Body)
			}
		})
	}
}

// A name in a path may hold what a path may not, when it is escaped.
func TestNamesInPathsMayHoldAnything(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	load(t, h,
		[2]string{"POST /sessions", `{"id":"a/b","project":"p"}`},
		[2]string{"POST /memories", `{"content":"x","topic_key":"a/b","project":"p"}`},
	)
	for target, status := range map[string]int{
		"/sessions/a%2Fb": 200, "/sessions/a/b": 404, "/memories/topic:a/b": 200, "/memories/topic:a%2Fb": 200, "/memories/topic:a//b": 404,
		"/history/topic:a/b": 200, "/memories/topic:a/../b": 404,
	} {
		if w := ask(h, "GET", target, ""); w.Code != status {
			t.Errorf("GET %s: got %d %s, want %d", target, w.Code, w.Body, status)
		}
	}
	w := ask(h, "GET", "/memories//topic:a", "")
	if !strings.Contains(w.Body.String(), `"hint":"/memories/topic:a is not the same; write a / inside a name as %2F"`) {
		t.Errorf("two slashes: got %s, want a hint that names the tidy path", w.Body)
	}
}

func TestTheGuardComesBeforeThePath(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	for _, target := range []string{"//health", "/nope", "/history", "/health/", "/memories/../health"} {
		for _, method := range []string{"GET", "POST", "OPTIONS", "HEAD"} {
			r := httptest.NewRequest(method, target, nil)
			r.Host = "evil.test"
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != 421 || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s %s of a foreign host: got %d %s, want 421 as JSON", method, target, w.Code, w.Body)
			}
		}
	}
}
