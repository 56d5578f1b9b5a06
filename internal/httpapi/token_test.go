package httpapi_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func TestWhatChangesNeedsTheToken(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{MCP: reached(), Token: func() string { return token }})
	guarded := map[string]bool{}
	for _, r := range h.Routes() {
		if open := r.Method == "GET" && r.Path != "/export"; r.Token == open {
			t.Errorf("%s %s: Token is %v; what reads is open and the rest is not", r.Method, r.Path, r.Token)
		}
		guarded[r.Method+" "+r.Path] = r.Token
	}
	if !guarded[" /mcp"] {
		t.Error("/mcp is open")
	}
	for _, r := range everyRoute(h) {
		wrong := []string{"", "Bearer", "Bearer ", "Bearer x", "Bearer " + token[1:], "Bearer " + token[:4], "Bearer " + token + "x", "Bearer  " + token,
			"Basic " + token, token, "Bearer " + strings.ToUpper(token), "Bearer " + token + ", Bearer x", "Bearer\t" + token}
		for _, given := range wrong {
			w := ask(h, r[0], r[1]+"?token="+token+"&access_token="+token, "", "Authorization: "+given, "Cookie: token="+token)
			open := (r[0] == "GET" || r[0] == "HEAD") && r[1] != "/mcp" && r[1] != "/export" || w.Code == 404 || w.Code == 405
			if (w.Code == 401) == open {
				t.Errorf("%s %s with Authorization %q: got %d %s", r[0], r[1], given, w.Code, w.Body)
			}
		}
		if w := ask(h, r[0], r[1], "", "Authorization: Bearer "+token); w.Code == 401 {
			t.Errorf("%s %s with the right token: got %d %s, want another", r[0], r[1], w.Code, w.Body)
		}
	}
}

func TestTheTokenIsAskedForInWords(t *testing.T) {
	t.Parallel()
	now := token
	h := newAPI(t, httpapi.Options{Token: func() string { return now }})
	const hint = `"code":"forbidden","hint":"send Authorization: Bearer and the token in ENGRAM_HTTP_TOKEN"}`
	w := ask(h, "DELETE", "/observations/1", "")
	want(t, w, "no token", 401, `{"error":"authorization required",`+hint)
	if got := w.Header().Get("WWW-Authenticate"); got != `Bearer realm="engram"` {
		t.Errorf("got WWW-Authenticate %q, want %q", got, `Bearer realm="engram"`)
	}
	want(t, ask(h, "DELETE", "/observations/1", "", "Authorization: Bearer no"), "a wrong token", 401, `{"error":"invalid token",`+hint)
	want(t, ask(h, "DELETE", "/memories/1", "", "Authorization: Bearer no"), "a wrong token on a newer route", 401,
		`{"error":{"code":"forbidden","message":"invalid token","hint":"send Authorization: Bearer and the token in ENGRAM_HTTP_TOKEN"}}`)
	now = ""
	want(t, ask(h, "DELETE", "/observations/1", ""), "no token is set any more", 404, `{"error":"observation not found","code":"not_found"}`)
}

// A body is not even read before the token was seen.
func TestTheTokenComesBeforeTheBody(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{Token: func() string { return token }})
	if w := ask(h, "POST", "/sessions", strings.Repeat("x", 5<<20)); w.Code != 401 {
		t.Errorf("a body that is too large and no token: got %d, want 401", w.Code)
	}
}
