package httpapi_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// everyRoute is one harmless-looking request for each route of the table, those of
// MCP and of no route at all among them.
func everyRoute(h *httpapi.API) [][2]string {
	requests := [][2]string{{"GET", "/nope"}, {"POST", "/nope"}, {"OPTIONS", "/observations"}, {"GET", "//health"}, {"PUT", "/memories"}, {"GET", "/memories/../health"}}
	for _, r := range h.Routes() {
		target := strings.NewReplacer("{id}", "1", "{ref...}", "1").Replace(r.Path)
		for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "DELETE"} {
			if r.Method == "" || r.Method == method || r.Method == "GET" && method == "HEAD" {
				requests = append(requests, [2]string{method, target})
			}
		}
	}
	return requests
}

// reached is an MCP endpoint that says it was reached.
func reached() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
}

func TestNoRouteIsReachedByAPage(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{MCP: reached(), Hosts: []string{"box.lan", "fe80::1"}})
	stocked(t, h)
	before := ask(h, "GET", "/stats", "").Body.String()
	attacks := []struct {
		name   string
		status int
		header []string
	}{
		{"a foreign host", 421, []string{"Host: evil.test"}},
		{"a foreign host on the right port", 421, []string{"Host: evil.test:7437"}},
		{"a port that is a name", 421, []string{"Host: localhost:80.evil.test"}},
		{"an invalid port", 421, []string{"Host: localhost:"}},
		{"a port out of range", 421, []string{"Host: localhost:65536"}},
		{"a port of zero", 421, []string{"Host: localhost:0"}},
		{"a port with a sign", 421, []string{"Host: localhost:+80"}},
		{"two ports", 421, []string{"Host: localhost:80:80"}},
		{"a sub-domain of a foreign name", 421, []string{"Host: localhost.evil.test"}},
		{"a foreign name that ends like ours", 421, []string{"Host: evil.test.localhost"}},
		{"a name before ours", 421, []string{"Host: evil@localhost"}},
		{"our name with a dot", 421, []string{"Host: localhost."}},
		{"our name in capitals", 421, []string{"Host: LOCALHOST"}},
		{"our name in other letters", 421, []string{"Host: localho\u017ft"}},
		{"another loopback address", 421, []string{"Host: 127.0.0.2"}},
		{"our address as a number", 421, []string{"Host: 2130706433"}},
		{"our address inside another", 421, []string{"Host: 127.0.0.1.nip.io"}},
		{"IPv6 without brackets", 421, []string{"Host: ::1"}},
		{"IPv6 with a foreign port", 421, []string{"Host: [::1]:80.evil.test"}},
		{"IPv6 with a tail", 421, []string{"Host: [::1]evil.test"}},
		{"every address", 421, []string{"Host: 0.0.0.0:7437"}},
		{"a host like one of the configured", 421, []string{"Host: box.lan.evil.test"}},
		{"no host", 421, []string{"Host: "}},
		{"a foreign origin", 403, []string{"Origin: http://evil.test"}},
		{"an origin without a name", 403, []string{"Origin: null"}},
		{"an origin of another port", 403, []string{"Origin: http://127.0.0.1:3000"}},
		{"an origin of another scheme", 403, []string{"Origin: https://" + host}},
		{"an origin of another name for us", 403, []string{"Origin: http://localhost:7437"}},
		{"an empty origin", 403, []string{"Origin: "}},
		{"a rebound name that is its own origin", 421, []string{"Host: evil.test:7437", "Origin: http://evil.test:7437"}},
		{"a script of another site", 403, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"}},
		{"a frame of another site", 403, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"}},
		{"a page of another local port", 403, []string{"Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"}},
	}
	for _, attack := range attacks {
		t.Run(attack.name, func(t *testing.T) {
			for _, r := range everyRoute(h) {
				w := ask(h, r[0], r[1], "", attack.header...)
				if w.Code != attack.status {
					t.Errorf("%s %s with %q\n got %d %s\nwant %d", r[0], r[1], attack.header, w.Code, w.Body, attack.status)
				}
				noCORS(t, r, w)
			}
		})
	}
	if after := ask(h, "GET", "/stats", "").Body.String(); after != before {
		t.Errorf("the attacks changed the store: got %s, want %s", after, before)
	}
}

func noCORS(t *testing.T, r [2]string, w *httptest.ResponseRecorder) {
	t.Helper()
	for name := range w.Header() {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s %s: got the header %s, want none of CORS", r[0], r[1], name)
		}
	}
}

func TestNoRouteTakesWhatAFormCanSend(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{MCP: reached()})
	stocked(t, h)
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain; application/json",
		"application/json; charset=utf-16", "application/jsonp", "application/json, text/plain", "json", ""} {
		for _, r := range everyRoute(h) {
			w := ask(h, r[0], r[1], `{"id":"x","project":"p","title":"poison"}`, "Content-Type: "+kind)
			if w.Code != http.StatusUnsupportedMediaType {
				t.Errorf("%s %s as %q\n got %d %s\nwant 415", r[0], r[1], kind, w.Code, w.Body)
			}
		}
	}
	// Chunked: a body of unknown length is a body.
	r := httptest.NewRequest("POST", "/sessions", strings.NewReader(`{"id":"x","project":"p"}`))
	r.Host, r.ContentLength = host, -1
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("a chunked body without a type: got %d %s, want 415", w.Code, w.Body)
	}
}

func TestTheRightCallersAreLetIn(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{Hosts: []string{"box.lan", "fe80::1", "[fe80::2]"}})
	for _, header := range [][]string{
		{"Host: localhost"}, {"Host: localhost:7437"}, {"Host: 127.0.0.1"}, {"Host: [::1]"}, {"Host: [::1]:1"}, {"Host: localhost:65535"},
		{"Host: box.lan"}, {"Host: box.lan:7437"}, {"Host: [fe80::1]:7437"}, {"Host: [fe80::2]"},
		{"Origin: http://" + host}, {"Host: localhost:7437", "Origin: http://localhost:7437"},
		{"Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"}, {"Sec-Fetch-Site: none"},
		{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"},
	} {
		if w := ask(h, "GET", "/health", "", header...); w.Code != 200 {
			t.Errorf("GET /health with %q: got %d %s, want 200", header, w.Code, w.Body)
		}
	}
	for _, kind := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"} {
		if w := ask(h, "POST", "/sessions", `{"id":"a","project":"b"}`, "Content-Type: "+kind); w.Code != 201 {
			t.Errorf("POST /sessions as %q: got %d %s, want 201", kind, w.Code, w.Body)
		}
	}
	r := httptest.NewRequest("GET", "https://localhost/health", nil)
	r.TLS = &tls.ConnectionState{}
	r.Header.Set("Origin", "https://localhost")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 200 {
		t.Errorf("the same origin over TLS: got %d %s, want 200", w.Code, w.Body)
	}
}

func TestTwoOfAHeaderAreRefused(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{Token: func() string { return token }})
	for name, tt := range map[string]struct {
		values []string
		status int
	}{
		"Origin":        {[]string{"http://" + host, "http://evil.test"}, 403},
		"Content-Type":  {[]string{"application/json", "text/plain"}, 415},
		"Authorization": {[]string{"Bearer " + token, "Bearer x"}, 401},
	} {
		r := httptest.NewRequest("POST", "/sessions", strings.NewReader(`{"id":"a","project":"b"}`))
		r.Host = host
		r.Header["Content-Type"] = []string{"application/json"}
		r.Header[name] = tt.values
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("two %s headers: got %d %s, want %d", name, w.Code, w.Body, tt.status)
		}
	}
}

func TestGetChangesNothing(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	dump := func() string {
		var b strings.Builder
		for _, target := range []string{"/memories", "/memories?forgotten=true", "/prompts/recent", "/sessions/recent?limit=100", "/stats", "/projects", "/sessions/s1"} {
			b.WriteString(ask(h, "GET", target, "").Body.String())
		}
		return b.String()
	}
	before := dump()
	for _, r := range everyRoute(h) {
		if r[0] == "GET" || r[0] == "HEAD" {
			ask(h, r[0], r[1]+"?q=login&observation_id=1&hard=true&id=1&old_project=demo&new_project=x", "")
		}
	}
	if after := dump(); after != before {
		t.Errorf("got after all GETs\n%s\nwant\n%s", after, before)
	}
}
