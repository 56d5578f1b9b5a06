package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// inCode is an API in a folder with two files, and a session that works there.
func inCode(t *testing.T) (http.Handler, enginetest.Parts) {
	t.Helper()
	parts := enginetest.NewParts(t)
	parts.Code.Write("a.go", "package a")
	parts.Code.Write("x/b.go", "package b")
	h := newAPI(t, httpapi.Options{Engine: parts.As(parts.Caller().In("/elsewhere"))})
	load(t, h, [2]string{"POST /sessions", `{"id":"s1","project":"src","directory":"` + enginetest.CodeFolder + `"}`},
		[2]string{"POST /sessions", `{"id":"far","project":"src","directory":"/elsewhere"}`})
	return h, parts
}

// anchorsIn are the anchors in an answer, of whatever object has them first.
func anchorsIn(t *testing.T, body string) string {
	t.Helper()
	at := strings.Index(body, `"anchors":`)
	if at < 0 {
		return ""
	}
	var all []struct{ Path, Lines, State, Now string }
	if err := json.NewDecoder(strings.NewReader(body[at+len(`"anchors":`):])).Decode(&all); err != nil {
		t.Fatalf("anchors of %s: %v", body, err)
	}
	var told []string
	for _, a := range all {
		told = append(told, strings.TrimSuffix(a.Path+":"+a.Lines, ":")+" "+a.State)
	}
	return strings.TrimSpace(strings.Join(told, ", "))
}

func TestAnObservationIsAnchoredAsASaveIs(t *testing.T) {
	t.Parallel()
	h, _ := inCode(t)
	count := func() string { return ask(h, "GET", "/stats", "").Body.String() }
	body := func(files string) string {
		return `{"session_id":"s1","title":"Retries","content":"Three, as x/b.go:2 says.","files":` + files + `}`
	}
	before := count()
	for _, tt := range []struct {
		name, files string
		code        int
		told        string
	}{
		{"no list", `5`, 400, "invalid json: files cannot be a number"},
		{"a list of other things", `[7]`, 400, "invalid json: files"},
		{"a file that is not there", `["a.go","none.go"]`, 404, "there is no file none.go"},
		{"lines that run backwards", `["a.go:9-3"]`, 400, "names lines in reverse order"},
		{"a line that no file has", `["a.go:99999999999"]`, 400, "names an impossible line"},
		{"no name", `[""]`, 400, "file name is empty"},
		{"too many", `[` + strings.TrimSuffix(strings.Repeat(`"a.go",`, 17), ",") + `]`, 400, "17 files are too many"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, target := range []string{"POST /observations", "POST /memories"} {
				method, path, _ := strings.Cut(target, " ")
				w := ask(h, method, path, body(tt.files))
				said := w.Body.String()
				if w.Code != tt.code || !strings.Contains(said, tt.told) || !strings.Contains(said, `"code":`) || !strings.Contains(said, `"hint":"`) {
					t.Errorf("%s with %s\n got %d %s\nwant %d, %q, with a code and a hint", target, tt.files, w.Code, said, tt.code, tt.told)
				}
			}
		})
	}
	if after := count(); after != before {
		t.Errorf("something was saved of what was refused: %s, before %s", after, before)
	}
	w := ask(h, "POST", "/observations", body(`["a.go:2-3","x/b.go#L1-L2"]`))
	if got, want := anchorsIn(t, w.Body.String()), "a.go:2-3 , x/b.go:1-2 , x/b.go:2"; w.Code != 201 || got != want {
		t.Errorf("saved: got %d, anchored to %q in %s; want %q", w.Code, got, w.Body, want)
	}
}

func TestAnObservationIsAnchoredAnewByAChange(t *testing.T) {
	t.Parallel()
	h, _ := inCode(t)
	load(t, h, [2]string{"POST /observations", `{"session_id":"s1","title":"Retries","content":"Three.","files":["a.go"]}`})
	for _, tt := range []struct{ name, target, body, want string }{
		{"files alone", "PATCH /observations/1", `{"files":["x/b.go:2"]}`, "x/b.go:2"},
		{"and none", "PATCH /observations/1", `{"files":[]}`, ""},
		{"a text that names one, in the folder of its session", "PATCH /observations/1", `{"content":"Three, see a.go"}`, "a.go"},
		{"of the newer route", "PATCH /memories/1", `{"files":["x/b.go"]}`, "a.go , x/b.go"},
	} {
		method, path, _ := strings.Cut(tt.target, " ")
		w := ask(h, method, path, tt.body)
		if got := anchorsIn(t, w.Body.String()); w.Code != 200 || got != tt.want {
			t.Errorf("%s: %s %s\n got %d, %q in %s\nwant %q", tt.name, tt.target, tt.body, w.Code, got, w.Body, tt.want)
		}
	}
	for _, body := range []string{`{"files":["none.go"]}`, `{"files":{}}`, `{"files":["a.go:0"]}`, `{"title":"Other","files":["none.go"]}`} {
		w := ask(h, "PATCH", "/observations/1", body)
		if w.Code < 400 || w.Code >= 500 || !strings.Contains(w.Body.String(), `"hint":"`) {
			t.Errorf("PATCH %s: got %d %s, want it refused with a hint", body, w.Code, w.Body)
		}
	}
	if got := ask(h, "GET", "/observations/1", "").Body.String(); !strings.Contains(got, `"title":"Retries"`) || anchorsIn(t, got) != "a.go , x/b.go" {
		t.Errorf("after what was refused: %s", got)
	}
}

func TestEveryAnswerSaysHowTheCodeStands(t *testing.T) {
	t.Parallel()
	h, parts := inCode(t)
	load(t, h, [2]string{"POST /observations", `{"session_id":"s1","title":"Retries","content":"Three times.","project":"src","files":["a.go"]}`})
	for _, target := range []string{"/search?q=retries", "/observations/1?x=1", "/memories?q=retries", "/memories/1?x=1", "/recall?q=retries&again=true", "/context?again=true"} {
		for _, state := range []string{"verified", "changed", "gone"} {
			parts.Code.Write("a.go", map[string]string{"verified": "package a", "changed": "package other"}[state])
			for _, in := range []struct{ name, param, want string }{{"nowhere in particular", "", ""}, {"in the folder that it names", "&cwd=" + enginetest.CodeFolder, state},
				{"in the session's folder", "&session_id=s1", state}, {"in that of another session", "&session_id=far", ""}} {
				if strings.HasPrefix(target, "/memories?") && strings.Contains(in.param, "session_id") {
					continue // which narrows what is found there
				}
				path := strings.Replace(target, "?x=1", "?", 1) + in.param
				w := ask(h, "GET", path, "")
				said := anchorsIn(t, w.Body.String())
				if strings.HasPrefix(target, "/context") {
					if said = "a.go"; strings.Contains(w.Body.String(), fmt.Sprintf("code: a.go (%s)", state)) {
						said = "a.go " + state
					}
				}
				if want := strings.TrimSpace("a.go " + in.want); w.Code != 200 || said != want {
					t.Errorf("GET %s, %s\n got %d, %q in %s\nwant %q", path, in.name, w.Code, said, w.Body, want)
				}
			}
		}
	}
}

func TestWhatAnOlderRouteIgnoresIsTold(t *testing.T) {
	t.Parallel()
	h, _ := inCode(t)
	for _, tt := range []struct{ name, target, body, want string }{
		{"nothing", "POST /observations", `{"session_id":"s1","title":"A","content":"One.","Type":"fact"}`, ""},
		{"fields", "POST /observations", `{"session_id":"s1","title":"B","content":"Two.","file":["a.go"],"tags":["x"]}`, "file, tags"},
		{"a field of a change", "PATCH /observations/1", `{"title":"C","importance":1}`, "importance"},
		{"a parameter", "GET /search?q=one&sesion_id=s1", "", "sesion_id"},
		{"very many", "GET /search?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1", "", "a, b, c, d, e, f, g, h, i, j, and 1 more"},
		{"what is no name", "GET /search?%0d%0aSet-Cookie:x=1", "", "??Set-Cookie:x"},
	} {
		method, path, _ := strings.Cut(tt.target, " ")
		w := ask(h, method, path, tt.body)
		if got := w.Header().Get("Engram-Ignored"); w.Code >= 300 || got != tt.want {
			t.Errorf("%s: %s %s\n got %d, ignored %q\nwant %q", tt.name, tt.target, tt.body, w.Code, got, tt.want)
		}
	}
}
