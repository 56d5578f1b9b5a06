package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

// filled is a path with 1 for every name in it.
func filled(r route.Route) string {
	return regexp.MustCompile(`\{[a-z]+(\.\.\.)?\}`).ReplaceAllString(r.Path, "1")
}

func TestEveryNewerRouteRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	older := map[string]bool{"health": true, "sessions": true, "observations": true, "search": true, "timeline": true, "context": true, "prompts": true,
		"stats": true, "sync": true, "doctor": true, "project": true, "projects": true, "conflicts": true, "export": true, "import": true}
	for _, r := range h.Routes() {
		target := filled(r)
		if !r.Newer {
			if family, _, _ := strings.Cut(target[1:], "/"); !older[family] {
				t.Errorf("%s %s is not one of the families that may ignore what they do not know", r.Method, r.Path)
			}
			if got := told(ask(h, r.Method, target+"?bogus=1", `{"bogus":1}`)); strings.Contains(got, "bogus") {
				t.Errorf("%s %s?bogus=1 is of the older routes, but speaks of it: %s", r.Method, target, got)
			}
			continue
		}
		if r.Path == "/mcp" {
			continue // speaks a protocol of its own
		}
		parameter := ask(h, r.Method, target+"?bogus=1", "{}")
		if got := told(parameter); parameter.Code != http.StatusBadRequest || !strings.Contains(got, `"message":"there is no parameter \"bogus\""`) {
			t.Errorf("%s %s?bogus=1\n got %d %s\nwant 400 that names the parameter", r.Method, target, parameter.Code, got)
		}
		body := ask(h, r.Method, target, `{"bogus":1}`)
		if got := told(body); body.Code != http.StatusBadRequest || !strings.Contains(got, `there is no field \"bogus\"`) && !strings.Contains(got, "takes no body") {
			t.Errorf("%s %s with {\"bogus\":1}\n got %d %s\nwant 400 that names the field, or says that no body is read", r.Method, target, body.Code, got)
		}
	}
}

func TestEveryParameterOfANewerRouteIsTaken(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	for _, r := range h.Routes() {
		for _, p := range r.Params {
			if got := told(ask(h, r.Method, filled(r)+"?"+p.Name+"=1", "{}")); strings.Contains(got, "there is no parameter") {
				t.Errorf("%s %s?%s=1: got %s, want it read", r.Method, filled(r), p.Name, got)
			}
		}
	}
}

func TestWhatIsUnknownIsNamedWithTheNearestGoodOne(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	load(t, h, [2]string{"POST /memories", `{"title":"Tokens","content":"Tokens live 15 minutes."}`})
	for _, tt := range []struct{ name, request, body, want string }{
		{"a misspelt dry run is not a sleep", "POST /sleep", `{"dryrun":true}`, `"message":"there is no field \"dryrun\"","hint":"did you mean dry_run?"`},
		{"a misspelt operation is not the latest one", "POST /undo", `{"project":"h","opp":1}`, `"message":"there is no field \"opp\"","hint":"did you mean op?"`},
		{"a misspelt strength forgets nothing", "POST /prune", `{"belov":0.9}`, `"hint":"did you mean below?"`},
		{"a field of an embedded draft is known", "POST /memories", `{"titel":"A","content":"B"}`, `"hint":"did you mean title?"`},
		{"an item of a list is named by its place", "POST /memories/batch", `{"memories":[{"content":"A"},{"contant":"B"}]}`,
			`"message":"there is no field \"memories[1].contant\"","hint":"did you mean memories[1].content?"`},
		{"a field that is like none has them all in its hint", "POST /restore", `{"bogus":1}`, `"hint":"use one of ref, version"`},
		{"a misspelt parameter", "GET /graph?ref=1&dept=3", "", `"message":"there is no parameter \"dept\"","hint":"did you mean depth?"`},
		{"a parameter where there is none", "GET /projects?limit=3", "", `"hint":"this route takes no parameter"`},
		{"a body where parameters are read", "DELETE /relations", `{"source":"1","target":"2"}`, `"message":"DELETE /relations takes no body","hint":"use one of source, target, relation"`},
		{"a long name is not sent back whole", "POST /sleep", `{"` + strings.Repeat("x", 5000) + `":1}`, strings.Repeat("x", 64) + `…\"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			method, target, _ := strings.Cut(tt.request, " ")
			w := ask(h, method, target, tt.body)
			if got := told(w); w.Code != http.StatusBadRequest || !strings.Contains(got, tt.want) {
				t.Errorf("%s %.80s\n got %d %s\nwant 400 with %s", tt.request, tt.body, w.Code, got, tt.want)
			}
		})
	}
	if got := told(ask(h, "GET", "/log", "")); strings.Count(got, `"op":`) != 1 {
		t.Errorf("GET /log: %s\nwant the first save alone", got)
	}
}

func TestWhatIsFreeInABodyIsNotRefused(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	load(t, h,
		[2]string{"POST /memories", `{"TITLE":"Tokens","content":"Tokens live 15 minutes.","metadata":{"ticket":{"any":"thing"}},"tags":null}`},
		[2]string{"GET /memories?metadata.ticket.any=thing", ""},
		[2]string{"POST /observations?bogus=1", `{"session_id":"s","title":"A","content":"B","bogus":1}`},
	)
}
