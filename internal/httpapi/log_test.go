package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func logCases() []routeCase {
	bad := func(message, hint string) string {
		return `{"error":{"code":"invalid","message":"` + message + `","hint":"` + hint + `"}}`
	}
	const undone = `{"dry_run":false,"undone":7,"verb":"save","op":10,"changes":[{"entity":"memory","key":"3","what":"forgotten: Else"}],"left":[]}`
	return []routeCase{
		{"what was written of one memory", "GET /log", "GET /log?ref=3", "", 200, ""},
		{"what a client of another kind wrote", "GET /log", "GET /log?actor=mcp", "", 200, `{"begins":null,"operations":[]}`},
		{"the log of a project nobody knows", "GET /log", "GET /log?project=nobody", "", 404, ""},
		{"the log of a time that is none", "GET /log", "GET /log?since=soon", "", 400, ""},
		{"the log of what names no memory", "GET /log", "GET /log?ref=-1", "", 400, ""},
		{"an operation is undone", "POST /undo", "POST /undo", `{"op":7}`, 200, undone},
		{"the latest of a project is undone", "POST /undo", "POST /undo", `{"project":"other"}`, 200, undone},
		{"an undo is tried", "POST /undo", "POST /undo", `{"op":7,"dry_run":true}`, 200, strings.NewReplacer("false", "true", `"op":10`, `"op":0`).Replace(undone)},
		{"an operation nobody knows is not undone", "POST /undo", "POST /undo", `{"op":4711}`, 404, ""},
		{"an invalid operation is not undone", "POST /undo", "POST /undo", `{"op":-1}`, 400, bad("operation -1 does not exist", "GET /log lists the numbers")},
		{"nobody says what is undone", "POST /undo", "POST /undo", `{"dry_run":true}`, 400,
			bad("no operation to undo is given", "give op, project for its latest operation, or all_projects; GET /log lists the numbers")},
		{"several are undone", "POST /undo", "POST /undo", `{"from":7,"to":9,"dry_run":true}`, 200,
			`{"dry_run":true,"undone":[` + strings.NewReplacer("false", "true", `"op":10`, `"op":0`).Replace(undone) + `]}`},
		{"several of a verb that there are none of", "POST /undo", "POST /undo", `{"from":1,"to":9,"verb":"sleep"}`, 404, ""},
		{"an invalid stretch", "POST /undo", "POST /undo", `{"from":9,"to":1}`, 400, ""},
		{"what a memory said", "GET /history/{ref...}", "GET /history/3", "", 200,
			`{"id":"mem_00000000000000000000000004","num":3,"deleted_at":null,"versions":[{"number":1,"type":"manual","title":"Else","content":"Something else about a login.","written_at":T,"replaced_at":null,"reason":""}],"origin":"agent"}`},
		{"what changed between a version and itself", "GET /history/{ref...}", "GET /history/3?from=1&to=1", "", 200, `{"from":1,"to":1,"diff":""}`},
		{"a version that there is not", "GET /history/{ref...}", "GET /history/3?from=7", "", 404, ""},
		{"a version that is no number", "GET /history/{ref...}", "GET /history/3?from=first", "", 400, ""},
		{"the history of a memory nobody knows", "GET /history/{ref...}", "GET /history/99", "", 404, ""},
		{"what a memory says is restored", "POST /restore", "POST /restore", `{"ref":"3","version":1}`, 200, `{"memory":` + mem3 + `}`},
		{"a version that there is not is not restored", "POST /restore", "POST /restore", `{"ref":"3","version":9}`, 404, ""},
		{"nothing is not restored", "POST /restore", "POST /restore", `{}`, 400, bad("ref and version are required", "GET /history/{ref} lists the versions")},
	}
}

func TestWhatWasChangedOverHTTPIsUndoneAndRestored(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	load(t, h,
		[2]string{"POST /memories", `{"title":"Tokens","content":"Tokens live 15 minutes."}`},
		[2]string{"PATCH /memories/1", `{"content":"Tokens live 5 minutes."}`},
	)
	said := func(want string) {
		t.Helper()
		if got := told(ask(h, http.MethodGet, "/memories/1", "")); !strings.Contains(got, want) {
			t.Errorf("GET /memories/1\n got %s\nwant in it %s", got, want)
		}
	}
	if got := told(ask(h, http.MethodGet, "/history/1?from=1", "")); !strings.Contains(got, `live [-15-]{+5+} minutes`) {
		t.Errorf("what changed: %s", got)
	}
	if got := told(ask(h, http.MethodGet, "/log?limit=1", "")); !strings.Contains(got, `"verb":"update"`) || !strings.Contains(got, `"fields":["text"]`) {
		t.Errorf("GET /log: %s", got)
	}
	load(t, h, [2]string{"POST /undo", `{"all_projects":true}`})
	said("live 15 minutes")
	load(t, h, [2]string{"POST /restore", `{"ref":"1","version":2}`})
	said("live 5 minutes")
}
