package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// FuzzBodies sends any bytes to every route with a body: the answer is JSON and never a 5xx, except for a scan
// without a judge, which older clients know as a 500.
func FuzzBodies(f *testing.F) {
	for _, tt := range routeCases() {
		if tt.body != "" {
			f.Add([]byte(tt.body))
		}
	}
	for _, s := range []string{"", "null", "[]", "{", `{"id":1}`, "{\"id\":\"\xff\"}", `{"content":"\ud800","title":"\u0000","session_id":"<private>"}`,
		`{"metadata":{"":[[],{}]},"tags":[""],"related":["topic:x",""],"importance":-0,"content":"x"}`, `{"old_project":"a/b","new_project":"\u202e"}`} {
		f.Add([]byte(s))
	}
	h := newAPI(f, httpapi.Options{})
	stocked(f, h)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, r := range h.Routes() {
			if r.Method == http.MethodGet || r.Method == http.MethodDelete {
				continue
			}
			var scan struct{ Semantic bool }
			if r.Path == "/conflicts/scan" && json.Unmarshal(body, &scan) == nil && scan.Semantic {
				continue
			}
			target := strings.NewReplacer("{id}", "1", "{ref...}", "2").Replace(r.Path)
			req := httptest.NewRequest(r.Method, target, strings.NewReader(string(body)))
			req.Host = host
			req.Header.Set("Content-Type", "application/json")
			sound(t, h, req, body)
		}
	})
}

// FuzzTargets asks for any path with any query: the answer is JSON and never a 5xx.
func FuzzTargets(f *testing.F) {
	for _, tt := range routeCases() {
		if _, target, _ := strings.Cut(tt.request, " "); strings.HasPrefix(tt.request, "GET") {
			path, query, _ := strings.Cut(target, "?")
			f.Add(path, query)
		}
	}
	f.Add("/sessions/\xff", "q=%zz&limit=99999999999999999999&since=9223372036854775807w")
	f.Add("/memories/mem_\x00", "metadata=x;y&offset=1099511627777")
	h := newAPI(f, httpapi.Options{Dir: "/nowhere"})
	stocked(f, h)
	f.Fuzz(func(t *testing.T, path, query string) {
		// Of /project/current only the parameter would be read: it looks at the disk.
		if strings.Contains(path, "current") {
			return
		}
		req := httptest.NewRequest("GET", "/", nil)
		req.Host, req.URL.Path, req.URL.RawQuery = host, "/"+strings.TrimPrefix(path, "/"), query
		sound(t, h, req, []byte(path+"?"+query))
	})
}

// sound fails unless the answer is valid JSON, valid UTF-8 and no 5xx.
func sound(t *testing.T, h http.Handler, req *http.Request, input []byte) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	if w.Code >= 500 || !json.Valid(w.Body.Bytes()) || !utf8.Valid(w.Body.Bytes()) {
		t.Errorf("%s %s with %q\n got %d %s\nwant JSON and no 5xx", req.Method, req.URL, input, w.Code, w.Body)
	}
}
