package httpapi_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func relationCases() []routeCase {
	bad := func(message, hint string) string {
		return `{"error":{"code":"invalid","message":"` + message + `","hint":"` + hint + `"}}`
	}
	const (
		verbs = "use one of relates_to, derived_from, evolved_from, caused_by, supersedes, contradicts, compatible, scoped, not_conflict"
		node3 = `{"id":"mem_00000000000000000000000004","num":3,"type":"manual","title":"Else","project":"other","scope":"project","state":"active","depth":0,"superseded":false}`
	)
	return []routeCase{
		{"two memories are related", "POST /relations", "POST /relations", `{"source":"2","target":"topic:decision/cookies","relation":"related","strength":0.5,"reason":"both"}`, 201,
			`{"action":"linked","relation":{"id":"rel-X","source":2,"relation":"relates_to","target":1,"status":"judged","strength":0.5,"reason":"both","actor":"engram","created_at":T,"updated_at":T},"source":{"id":"mem_00000000000000000000000002","num":2,"title":"Login fix"},"target":{"id":"mem_00000000000000000000000001","num":1,"title":"Cookies over tokens"}}`},
		{"a relation that does not exist", "POST /relations", "POST /relations", `{"source":"2","target":"1","relation":"likes"}`, 400, bad(`relation \"likes\" does not exist`, verbs)},
		{"a memory is not related to itself", "POST /relations", "POST /relations", `{"source":"2","target":"2","relation":"related"}`, 400, bad("memory #2 cannot be related to itself", "")},
		{"a relation to a memory nobody knows", "POST /relations", "POST /relations", `{"source":"2","target":"99","relation":"related"}`, 404, ""},
		{"a relation without a target", "POST /relations", "POST /relations", `{"source":"2","relation":"related"}`, 400, bad("source and target are required", "give a number, an id or topic:KEY for each")},
		{"a relation of nothing is not removed", "DELETE /relations", "DELETE /relations?target=1", "", 400, bad("source and target are required", "give a number, an id or topic:KEY for each")},
		{"a graph of nothing", "GET /graph", "GET /graph", "", 400, bad("ref is required", "a number, an id or topic:KEY")},
		{"a strength out of range", "POST /relations", "POST /relations", `{"source":"2","target":"1","relation":"related","strength":2}`, 400, bad("strength 2 is out of range", "use a number from 0 to 1")},
		{"nothing to take away", "DELETE /relations", "DELETE /relations?source=1&target=2", "", 404, ""},
		{"an invalid relation to take away", "DELETE /relations", "DELETE /relations?source=1&target=2&relation=+", "", 400, bad("relation is empty", "leave it out to remove every relation")},

		{"a graph of one", "GET /graph", "GET /graph?ref=3", "", 200, `{"nodes":[` + node3 + `],"edges":[],"cut":false}`},
		{"a graph of a memory nobody knows", "GET /graph", "GET /graph?ref=99", "", 404, ""},
		{"a graph of nothing", "GET /graph", "GET /graph", "", 400, ""},
		{"a graph too deep", "GET /graph", "GET /graph?ref=3&depth=6", "", 400, bad("depth 6 is out of range", "use a number from 1 to 5")},
		{"a graph by a relation that does not exist", "GET /graph", "GET /graph?ref=3&relation=likes", "", 400, bad(`relation \"likes\" does not exist`, verbs)},
		{"a graph in a format that does not exist", "GET /graph", "GET /graph?ref=3&format=svg", "", 400, bad(`format \"svg\" does not exist`, "use json, text, dot or mermaid")},
	}
}

func TestRelationsAreMadeShownAndTakenAway(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	load(t, h, [2]string{"POST /relations", `{"source":"2","target":"1","relation":"supersedes"}`})
	want(t, ask(h, "POST", "/relations", `{"source":"1","target":"2","relation":"supersedes"}`), "the circle", 409,
		`{"error":{"code":"conflict","message":"#2 supersedes #1 already, and both would be hidden","hint":"run DELETE /relations?source=2\u0026relation=supersedes\u0026target=1 first"}}`)
	if w := ask(h, "POST", "/relations", `{"source":"2","target":"1","relation":"supersedes"}`); w.Code != 200 || !strings.Contains(w.Body.String(), `"action":"known"`) {
		t.Errorf("the same again: got %d %s, want 200 and that it is known", w.Code, w.Body)
	}
	for _, tt := range []struct{ format, media, want string }{
		{"text", "text/plain; charset=utf-8", "#1 [decision] Cookies over tokens (superseded)\n└─ supersedes ← #2 [bugfix] Login fix\n"},
		{"dot", "text/vnd.graphviz; charset=utf-8", "  n2 -> n1 [label=\"supersedes\"];\n}\n"},
		{"mermaid", "text/vnd.mermaid; charset=utf-8", "  n2 -->|\"supersedes\"| n1\n"},
		{"json", "application/json", `"relation":"supersedes","target":1`},
	} {
		w := ask(h, "GET", "/graph?ref=1&format="+tt.format, "")
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != tt.media || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("format %s: got %d, %s\n%s\nwant %s and in it\n%s", tt.format, w.Code, got, w.Body, tt.media, tt.want)
		}
	}
	w := ask(h, "DELETE", "/relations?source=1&target=2&relation=supersedes", "")
	if w.Code != 200 || !strings.Contains(w.Body.String(), `{"removed":[{"action":"removed",`) {
		t.Errorf("DELETE /relations: got %d %s", w.Code, w.Body)
	}
	want(t, ask(h, "GET", "/graph?ref=1&relation=supersedes", ""), "afterwards", 200,
		`{"nodes":[{"id":"mem_00000000000000000000000001","num":1,"type":"decision","title":"Cookies over tokens","project":"demo","scope":"project","state":"active","depth":0,"superseded":false}],"edges":[],"cut":false}`)
}

// Every way to find or list hides what is superseded; superseded=true shows it.
func TestWhatIsSupersededIsShownWhenAskedFor(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	load(t, h,
		[2]string{"POST /memories", `{"title":"Token lifetime","content":"The token lifetime is an hour.","project":"demo"}`},
		[2]string{"POST /memories", `{"title":"Audit","content":"Since the audit it is fifteen minutes.","project":"demo"}`},
		[2]string{"POST /relations", `{"source":"2","target":"1","relation":"supersedes"}`})
	const old = "is an hour"
	for _, target := range []string{"/search?q=token+lifetime", "/search?q=", "/memories?q=token+lifetime", "/memories?project=demo", "/observations",
		"/observations/recent?project=demo", "/recall?q=token+lifetime", "/context?project=demo"} {
		hidden, shown := ask(h, "GET", target, ""), ask(h, "GET", target+with(target)+"superseded=true", "")
		if hidden.Code != 200 || strings.Contains(hidden.Body.String(), old) || !strings.Contains(hidden.Body.String(), "fifteen minutes") {
			t.Errorf("GET %s: got %d %s, want only what is current", target, hidden.Code, hidden.Body)
		}
		if shown.Code != 200 || !strings.Contains(shown.Body.String(), old) {
			t.Errorf("GET %s with superseded=true: got %d %s, want the old one too", target, shown.Code, shown.Body)
		}
		if w := ask(h, "GET", target+with(target)+"superseded=perhaps", ""); w.Code != 400 {
			t.Errorf("GET %s with superseded=perhaps: got %d, want 400", target, w.Code)
		}
	}
	if w := ask(h, "GET", "/memories/1", ""); !strings.Contains(w.Body.String(), old) || !strings.Contains(w.Body.String(), `"relation":"supersedes","outgoing":false`) {
		t.Errorf("GET /memories/1: got %s, want it, and by what it is superseded", w.Body)
	}
}

// with parts a further parameter from a target.
func with(target string) string {
	if strings.Contains(target, "?") {
		return "&"
	}
	return "?"
}
