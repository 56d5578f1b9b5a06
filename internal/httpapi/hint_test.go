package httpapi

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

func TestHintsNameRequests(t *testing.T) {
	t.Parallel()
	refuse := func() *engram.Error { return engram.Errorf(engram.CodeInvalid, "no") }
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a list", refuse().WithHint("see {projects list}"), "see GET /projects"},
		{"a list with a filter", refuse().WithHint("{list --forgotten} shows what was forgotten"), "GET /memories?forgotten=true shows what was forgotten"},
		{"a memory in the path, a change in the body", refuse().WithHint("{update %d --scope global}", 4), `PATCH /memories/4 {"scope":"global"}`},
		{"an operation", refuse().WithHint("run {undo %d} first; nothing was changed", 7), `run POST /undo {"op":7} first; nothing was changed`},
		{"two calls", refuse().WithHint("{log %d} shows what forgot it, and {undo OP} takes that back", 3), `GET /log?ref=3 shows what forgot it, and POST /undo {"op":OP} takes that back`},
		{"names that JSON must quote", refuse().WithHint("{projects merge %s --into %s}", `my "shop"`, "b {log}"),
			`POST /projects/migrate {"old_project":"my \"shop\"","new_project":"b {log}"}`},
		{"a name that an address must escape", refuse().WithHint("{export FILE --project %s}", "a&b c"), "GET /export?project=a%26b+c"},
		{"what no route does", refuse().WithHint("{reembed --all} makes it anew"), "engram reembed --all makes it anew"},
		{"no call", refuse().WithHint("from 1 to 9"), "from 1 to 9"},
		{"no hint", refuse(), ""},
	} {
		if got := hintOf(tt.err); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Each request of the table is one that the API takes.
func TestRequestsOfHintsExist(t *testing.T) {
	t.Parallel()
	a := New(Options{})
	for _, r := range routesOfCommands() {
		var call engram.Call
		for w := range strings.FieldsSeq(r.command) {
			call = append(call, strings.Trim(w, "<>"))
		}
		for i, w := range strings.Fields(r.command) {
			if w == "<op>" {
				call[i] = "7"
			}
		}
		said := requested(call)
		line, body, _ := strings.Cut(said, " {")
		method, target, _ := strings.Cut(line, " ")
		q := httptest.NewRequest(method, target, nil)
		to := a.RouteOf(q)
		if to.Method == "" {
			t.Errorf("%s is told as %q: there is no such route", r.command, said)
			continue
		}
		for name := range q.URL.Query() {
			if !slices.ContainsFunc(to.Params, func(p route.Param) bool { return p.Name == name }) {
				t.Errorf("%s is told as %q: %s has no parameter %s", r.command, said, to.Name(), name)
			}
		}
		if body == "" {
			continue
		}
		read := json.NewDecoder(strings.NewReader("{" + body))
		read.DisallowUnknownFields()
		if err := read.Decode(reflect.New(reflect.TypeOf(to.Body)).Interface()); err != nil {
			t.Errorf("%s is told as %q: %s does not take it: %v", r.command, said, to.Name(), err)
		}
	}
}
