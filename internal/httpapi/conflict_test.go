package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func conflictCases() []routeCase {
	const none = `{"total":0,"limit":50,"offset":0,"relations":[]}`
	bad := func(message string) string { return `{"error":"` + message + `","code":"invalid"}` }
	return []routeCase{
		{"no conflicts are an empty list", "GET /conflicts", "GET /conflicts?limit=many", "", 200, none},
		{"conflicts since a time", "GET /conflicts", "GET /conflicts?project=demo&since=2026-01-01T00:00:00Z&limit=9999&offset=2", "", 200, `{"total":0,"limit":500,"offset":2,"relations":[]}`},
		{"conflicts since no time", "GET /conflicts", "GET /conflicts?since=soon", "", 400, bad("invalid since parameter: must be RFC3339")},
		{"conflicts of a status that does not exist", "GET /conflicts", "GET /conflicts?status=open", "", 400,
			`{"error":"status \"open\" does not exist","code":"invalid","hint":"use one of pending, judged, ignored, orphaned"}`},
		{"counts of conflicts", "GET /conflicts/stats", "GET /conflicts/stats?project=demo", "", 200,
			`{"project":"demo","by_relation":{},"by_judgment_status":{},"deferred":0,"dead":0}`},
		{"nothing waits to be applied", "GET /conflicts/deferred", "GET /conflicts/deferred?status=dead&limit=5&offset=1", "", 200, `{"total":0,"limit":5,"rows":[]}`},
		{"nothing is applied again", "POST /conflicts/deferred/replay", "POST /conflicts/deferred/replay", "", 200, `{"retried":0,"succeeded":0,"failed":0,"dead":0}`},
		{"a conflict whose number is none", "GET /conflicts/{id}", "GET /conflicts/x", "", 400, bad("invalid relation_id: must be an integer")},
		{"a conflict nobody knows", "GET /conflicts/{id}", "GET /conflicts/9", "", 404, `{"error":"GetRelationByIntID: relation id 9 not found","code":"not_found"}`},

		{"two memories are compared", "POST /conflicts/compare", "POST /conflicts/compare", `{"memory_id_a":2,"memory_id_b":1,"relation":"related","confidence":0.8,"reasoning":"login"}`, 200, `{"sync_id":"rel-X"}`},
		{"what is no conflict has no row to show", "POST /conflicts/compare", "POST /conflicts/compare", `{"memory_id_a":2,"memory_id_b":1,"relation":"not_conflict","confidence":1,"reasoning":"login"}`, 200, `{"sync_id":""}`},
		{"a comparison needs a first memory", "POST /conflicts/compare", "POST /conflicts/compare", `{}`, 400, bad("memory_id_a is required (integer observation id)")},
		{"a comparison needs a second memory", "POST /conflicts/compare", "POST /conflicts/compare", `{"memory_id_a":1}`, 400, bad("memory_id_b is required (integer observation id)")},
		{"a comparison needs a confidence", "POST /conflicts/compare", "POST /conflicts/compare", `{"memory_id_a":1,"memory_id_b":2}`, 400, bad("confidence is required (float 0.0..1.0)")},
		{"a confidence out of range", "POST /conflicts/compare", "POST /conflicts/compare", `{"memory_id_a":1,"memory_id_b":2,"confidence":2,"reasoning":"x","relation":"scoped"}`, 400, bad("confidence must be between 0.0 and 1.0")},
		{"a comparison needs a reason", "POST /conflicts/compare", "POST /conflicts/compare", `{"memory_id_a":1,"memory_id_b":2,"confidence":1,"relation":"scoped"}`, 400, bad("reasoning is required")},
		{"a comparison with a memory nobody knows", "POST /conflicts/compare", "POST /conflicts/compare", `{"memory_id_a":1,"memory_id_b":99,"confidence":1,"reasoning":"x","relation":"scoped"}`, 404,
			`{"error":"observation id=99 not found: memory #99 does not exist","code":"not_found"}`},
		{"a comparison across projects", "POST /conflicts/compare", "POST /conflicts/compare", `{"memory_id_a":1,"memory_id_b":3,"confidence":1,"reasoning":"x","relation":"scoped"}`, 400, ""},

		{"a verdict needs a candidate", "POST /conflicts/judge", "POST /conflicts/judge", `{"relation":"scoped"}`, 400, bad("judgment_id is required")},
		{"a verdict needs a relation", "POST /conflicts/judge", "POST /conflicts/judge", `{"judgment_id":"rel-0123456789abcdef"}`, 400, bad("relation is required")},
		{"an invalid verdict", "POST /conflicts/judge", "POST /conflicts/judge", `{"judgment_id":"rel-0123456789abcdef","relation":"beats"}`, 400,
			bad(`JudgeRelation: invalid relation verb \"beats\" — must be one of: relates_to, compatible, scoped, contradicts, supersedes, not_conflict`)},
		{"a verdict on a relation nobody knows", "POST /conflicts/judge", "POST /conflicts/judge", `{"judgment_id":"rel-0123456789abcdef","relation":"scoped"}`, 400,
			`{"error":"JudgeRelation: relation \"rel-0123456789abcdef\" not found","code":"not_found"}`},

		{"a scan", "POST /conflicts/scan", "POST /conflicts/scan", `{"project":"demo","apply":true}`, 200,
			`{"project":"demo","inspected":2,"candidates_found":0,"already_related":0,"inserted":0,"capped":false,"dry_run":false,"semantic_judged":0,"semantic_skipped":0,"semantic_errors":0}`},
		{"a scan needs a project", "POST /conflicts/scan", "POST /conflicts/scan", `{}`, 400, bad("project is required")},
		{"a scan with too many calls", "POST /conflicts/scan", "POST /conflicts/scan", `{"project":"demo","concurrency":21}`, 400, bad("concurrency must be between 1 and 20")},
		{"a scan with too long calls", "POST /conflicts/scan", "POST /conflicts/scan", `{"project":"demo","timeout_per_call_seconds":601}`, 400, bad("timeout_per_call_seconds must be between 1 and 600")},
		{"a scan for nothing", "POST /conflicts/scan", "POST /conflicts/scan", `{"project":"demo","max_insert":0}`, 400, bad("max_insert must be between 1 and 10000")},
		{"a scan since no time", "POST /conflicts/scan", "POST /conflicts/scan", `{"project":"demo","since":"soon"}`, 400, ""},
		{"a scan with nobody to judge", "POST /conflicts/scan", "POST /conflicts/scan", `{"project":"demo","semantic":true}`, 500,
			`{"error":"failed to resolve agent runner: invalid runner name: ENGRAM_AGENT_CLI is not set; supported values are: claude, opencode","code":"unavailable"}`},
	}
}

func TestAConflictIsFoundJudgedAndShown(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	for _, lives := range []string{"15", "5"} {
		w := ask(h, "POST", "/observations", `{"session_id":"s1","project":"demo","title":"Token lifetime `+lives+`","content":"Access tokens live `+lives+` minutes in the shop API"}`)
		if w.Code != http.StatusCreated {
			t.Fatalf("save: %d %s", w.Code, w.Body)
		}
	}
	w := ask(h, "POST", "/conflicts/scan", `{"project":"demo","apply":true}`)
	if !strings.Contains(w.Body.String(), `"candidates_found":1`) {
		t.Fatalf("the scan found %s, want one candidate", w.Body)
	}
	var page struct {
		Total     int
		Relations []struct {
			ID       int64
			SyncID   string `json:"sync_id"`
			SourceID string `json:"source_id"`
		}
	}
	w = ask(h, "GET", "/conflicts?project=demo&status=pending", "")
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || page.Total != 1 || !strings.HasPrefix(page.Relations[0].SourceID, "obs-") {
		t.Fatalf("the queue: %s, %v; want one, its memories by their sync ids", w.Body, err)
	}
	want(t, ask(h, "POST", "/conflicts/judge", `{"judgment_id":"`+page.Relations[0].SyncID+`","relation":"conflicts_with","reason":"who is right?","session_id":"s1"}`),
		"the verdict", 200, `{"relation":{"id":1,"sync_id":"rel-X","source_id":"obs-X","target_id":"obs-X","relation":"contradicts","reason":"who is right?","confidence":1,"judgment_status":"judged","marked_by_actor":"agent","marked_by_kind":"agent","session_id":"s1","created_at":T,"updated_at":T}}`)
	want(t, ask(h, "GET", "/conflicts/1", ""), "one", 200,
		`{"relation_id":1,"sync_id":"rel-X","relation":"contradicts","judgment_status":"judged","source_id":"obs-X","source_snippet":"Token lifetime 5","target_id":"obs-X","target_snippet":"Token lifetime 15","created_at":T,"updated_at":T}`)
	want(t, ask(h, "GET", "/conflicts", ""), "the list", 200,
		`{"total":1,"limit":50,"offset":0,"relations":[{"id":1,"sync_id":"rel-X","relation":"contradicts","judgment_status":"judged","source_id":"obs-X","source_title":"Token lifetime 5","target_id":"obs-X","target_title":"Token lifetime 15","created_at":T,"updated_at":T}]}`)
	want(t, ask(h, "GET", "/conflicts/stats", ""), "the counts", 200,
		`{"project":"","by_relation":{"contradicts":1},"by_judgment_status":{"judged":1},"deferred":0,"dead":0}`)
}

func TestMemoriesAreFoundByTheirMetadata(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	for _, m := range []string{`{"needs_review":true,"ticket":"ENG-12"}`, `{"needs_review":false,"ticket":"ENG-12"}`, `{}`} {
		w := ask(h, "POST", "/memories", `{"title":"Cache","content":"The importer writes the cache `+strings.ReplaceAll(m, `"`, "")+`","project":"demo","metadata":`+m+`}`)
		if w.Code != http.StatusCreated {
			t.Fatalf("save: %d %s", w.Code, w.Body)
		}
	}
	for query, n := range map[string]int{
		`/memories?metadata={"needs_review":true}`:                                 1,
		`/memories?metadata.needs_review=true`:                                     1,
		`/memories?metadata.ticket=ENG-12`:                                         2,
		`/memories?metadata.ticket=ENG-12&metadata.needs_review=false`:             1,
		`/memories?q=cache&metadata.needs_review=true`:                             1,
		`/search?q=&project=demo&metadata={"needs_review":true,"ticket":"ENG-12"}`: 1,
		`/search?q=cache&project=demo&metadata={"needs_review":true,"ticket":"x"}`: 0,
		`/recall?q=&project=demo&metadata.needs_review=true&budget=4000`:           1,
	} {
		w := ask(h, "GET", strings.ReplaceAll(query, `"`, "%22"), "")
		if got := strings.Count(w.Body.String(), `"title":`); w.Code != 200 || got != n {
			t.Errorf("GET %s: %d with %d memories, want %d\n%s", query, w.Code, got, n, w.Body)
		}
	}
	for _, query := range []string{"/memories?metadata=x", "/search?q=x&metadata=[1]", "/memories?metadata=null"} {
		if w := ask(h, "GET", query, ""); w.Code != 400 || !strings.Contains(w.Body.String(), "metadata is not a JSON object") {
			t.Errorf("GET %s: %d %s, want 400", query, w.Code, w.Body)
		}
	}
}
