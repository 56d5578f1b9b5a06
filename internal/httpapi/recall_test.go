package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func recallCases() []routeCase {
	bad := func(message, hint string) string {
		return `{"error":{"code":"invalid","message":"` + message + `","hint":"` + hint + `"}}`
	}
	return []routeCase{
		{"nothing to recall", "GET /recall", "GET /recall?q=zeppelin&project=other", "", 200,
			`{"query":"zeppelin","budget":4000,"tokens":0,"text":"","items":[],"left_out":[{"id":"mem_00000000000000000000000004","num":3,"type":"manual","title":"Else","reason":"below the relevance threshold"}],"repaired":[],"times":[],"degraded":[],"elsewhere":"Nothing found among 1 memory in project other; 2 in others: leave project out"}`},
		{"a project that is not is told", "GET /recall", "GET /recall?q=zeppelin&project=nobody", "", 404,
			`{"error":{"code":"not_found","message":"Project \"nobody\" not found in store","hint":"see GET /projects"}}`},
		{"a budget of one token", "GET /recall", "GET /recall?project=other&budget=1", "", 200,
			`{"query":"","budget":1,"tokens":0,"text":"","items":[],"left_out":[{"id":"mem_00000000000000000000000004","num":3,"type":"manual","title":"Else","reason":"over the budget"}],"repaired":[],"times":[],"degraded":[]}`},
		{"a question recalls", "GET /recall", "GET /recall?project=other&budget=0", "", 200,
			`{"query":"","budget":4000,"tokens":22,"text":"## Recalled\n\n### #3 [manual] Else (2026-06-12, other)\nSomething else about a login.\n\n","items":[{"rank":1,"score":0,"whole":true,"tokens":18,"text":"### #3 [manual] Else (2026-06-12, other)\nSomething else about a login.\n","memory":` + mem3 + `,"relations":[],"why":{"channels":[{"channel":"recent","rank":1,"score":0}],"factors":[],"notes":[]}}],"left_out":[],"repaired":[],"times":[],"degraded":[]}`},
		{"a budget below nothing is told", "GET /recall", "GET /recall?q=x&budget=-1", "", 400, bad(`budget \"-1\" is not a number from 0`, "")},
		{"an invalid budget is told", "GET /recall", "GET /recall?q=x&budget=much", "", 400, bad(`budget \"much\" is not a number from 0`, "")},
		{"an invalid scope is told", "GET /recall", "GET /recall?q=x&scope=team", "", 400, bad(`scope \"team\" does not exist`, "use project, personal or global")},
		{"a wish that is unclear is told", "GET /recall", "GET /recall?q=x&again=maybe", "", 400, bad(`again \"maybe\" is neither true nor false`, "")},

		{"a context within a budget", "GET /context", "GET /context?project=other&budget=1", "", 200, `{"context":""}`},
		{"an invalid budget is the default, as of old", "GET /context", "GET /context?project=other&budget=many", "", 200, ""},

		{"what a session was shown, when it was nothing", "GET /sessions/{id}/uses", "GET /sessions/empty/uses", "", 200,
			`{"session_id":"empty","project":"demo","tokens":0,"uses":[]}`},
		{"what a session that nobody knows was shown", "GET /sessions/{id}/uses", "GET /sessions/nope/uses", "", 404,
			`{"error":{"code":"not_found","message":"session \"nope\" does not exist","hint":"see GET /sessions/recent"}}`},
	}
}

// recalled is what GET /recall answers, as far as these tests look.
type recalled struct {
	Tokens, Budget int
	Items          []struct {
		Whole  bool
		Memory struct{ Num int64 }
	}
	LeftOut []struct {
		Num    int64
		Reason string
	} `json:"left_out"`
	Degraded []string
}

func TestASessionIsNotShownTheSameTwice(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	get := func(path string, into any) {
		t.Helper()
		w := ask(h, "GET", path, "")
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil || w.Code != 200 {
			t.Fatalf("GET %s\n got %d %s\nwant 200", path, w.Code, w.Body)
		}
	}
	var first, second, again recalled
	get("/recall?q=login+form&project=demo&session_id=s1", &first)
	get("/recall?q=login+form&project=demo&session_id=s1", &second)
	get("/recall?q=login+form&project=demo&session_id=s1&again=true", &again)
	if len(first.Items) != 1 || first.Items[0].Memory.Num != 2 || len(second.Items) != 0 || len(again.Items) != 1 {
		t.Fatalf("first %+v, then %+v, again %+v; want #2, nothing, #2", first, second, again)
	}
	if len(second.LeftOut) == 0 || second.LeftOut[0].Reason != "seen in this session" {
		t.Errorf("left out the second time: %+v", second.LeftOut)
	}
	var c struct{ Context string }
	get("/context?project=demo&session_id=s1", &c)
	if strings.Contains(c.Context, "Login fix") || !strings.Contains(c.Context, "Cookies over tokens") {
		t.Errorf("the context of a session that saw #2\n got %s\nwant #1 alone", c.Context)
	}
	ask(h, "GET", "/search?q=cookies&session_id=s1", "")
	ask(h, "GET", "/observations/1?session_id=s1", "")
	ask(h, "GET", "/memories/1?session_id=s1", "")
	var uses struct {
		Tokens int
		Uses   []struct {
			Verb, Query string
			Num         int64
			Tokens      int
		}
	}
	get("/sessions/s1/uses", &uses)
	var verbs []string
	sum := 0
	for _, u := range uses.Uses {
		verbs = append(verbs, u.Verb)
		sum += u.Tokens
	}
	if got, want := strings.Join(verbs, " "), "recall recall recall context search get get"; got != want || sum != uses.Tokens || sum == 0 {
		t.Errorf("shown by\n got %s\nwant %s; %d tokens, in all %d", got, want, sum, uses.Tokens)
	}
}

func TestASessionNobodyKnowsIsAnsweredAllTheSame(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	w := ask(h, "GET", "/context?project=demo&session_id=nobody", "")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "Login fix") {
		t.Errorf("got %d %s, want the context", w.Code, w.Body)
	}
	var r recalled
	w = ask(h, "GET", "/recall?q=login+form&session_id=nobody", "")
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || len(r.Items) == 0 || len(r.Degraded) == 0 {
		t.Errorf("got %d %s, want what was found and that it is not remembered", w.Code, w.Body)
	}
}
