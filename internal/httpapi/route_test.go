package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// routeCase is one request to a store that holds what stocked put there.
type routeCase struct {
	name    string
	route   string // as the table has it: "GET /sessions/{id}"
	request string // "GET /sessions/s1"
	body    string
	status  int
	want    string
}

// stocked fills a store: session s1 of demo with two memories (#1, #2) and a prompt
// (#1), session empty of demo without any, and one memory (#3) of project other.
func stocked(t testing.TB, h http.Handler) {
	t.Helper()
	load(t, h,
		[2]string{"POST /sessions", `{"id":"s1","project":"demo","directory":"/src/demo"}`},
		[2]string{"POST /observations", `{"session_id":"s1","project":"demo","type":"decision","title":"Cookies over tokens","content":"A cookie survives a reload <b>.","topic_key":"decision/cookies"}`},
		[2]string{"POST /observations", `{"session_id":"s1","title":"Login fix","content":"The login form lost its state.","type":"bugfix","tool_name":"bash"}`},
		[2]string{"POST /prompts", `{"session_id":"s1","project":"demo","content":"why does the login fail?"}`},
		[2]string{"POST /sessions", `{"id":"empty","project":"demo"}`},
		[2]string{"POST /observations", `{"session_id":"s2","project":"other","title":"Else","content":"Something else about a login."}`},
	)
}

const (
	obs1 = `{"id":1,"sync_id":"obs-X","session_id":"s1","type":"decision","title":"Cookies over tokens","content":"A cookie survives a reload \u003cb\u003e.","project":"demo","scope":"project","topic_key":"decision/cookies","revision_count":1,"duplicate_count":1,"review_after":T,"created_at":T,"updated_at":T,"origin":"agent"}`
	obs2 = `{"id":2,"sync_id":"obs-X","session_id":"s1","type":"bugfix","title":"Login fix","content":"The login form lost its state.","tool_name":"bash","project":"demo","scope":"project","revision_count":1,"duplicate_count":1,"created_at":T,"updated_at":T,"origin":"agent"}`
	obs3 = `{"id":3,"sync_id":"obs-X","session_id":"s2","type":"manual","title":"Else","content":"Something else about a login.","project":"other","scope":"project","revision_count":1,"duplicate_count":1,"created_at":T,"updated_at":T,"origin":"agent"}`
	entr = `{"id":2,"session_id":"s1","type":"bugfix","title":"Login fix","content":"The login form lost its state.","tool_name":"bash","project":"demo","scope":"project","revision_count":1,"duplicate_count":1,"created_at":T,"updated_at":T,"origin":"agent","is_focus":false}`
	ses1 = `{"id":"s1","project":"demo","directory":"/src/demo","started_at":T}`
	row1 = `{"id":"s1","project":"demo","started_at":T,"observation_count":2}`
	prm1 = `{"id":1,"sync_id":"prompt-X","session_id":"s1","content":"why does the login fail?","project":"demo","created_at":T}`
	mem3 = `{"id":"mem_00000000000000000000000004","num":3,"sync_id":"obs-X","project":"other","scope":"project","type":"manual","title":"Else","content":"Something else about a login.","summary":"","tags":[],"metadata":{},"topic_key":"","session_id":"s2","tool_name":"","origin":"agent","importance":0.5,"strength":1,"permanent":false,"state":"active","revision_count":1,"duplicate_count":1,"access_count":0,"created_at":T,"updated_at":T,"last_seen_at":null,"last_accessed_at":null,"review_after":null,"deleted_at":null}`
)

func routeCases() []routeCase {
	return slices.Concat(sessionCases(), observationCases(), findingCases(), recallCases(), promptCases(), projectCases(), memoryCases(), decayCases(), logCases(), relationCases(), conflictCases(), sleepCases(), rememberCases(), usageCases())
}

func sessionCases() []routeCase {
	return []routeCase{
		{"a session is made", "POST /sessions", "POST /sessions", `{"id":"s9","project":"demo","unknown":[1]}`, 201, `{"id":"s9","status":"created","project":"demo"}`},
		{"a session that exists is made again", "POST /sessions", "POST /sessions", `{"id":"s1","project":"demo"}`, 201, `{"id":"s1","status":"created","project":"demo"}`},
		{"a session needs a project", "POST /sessions", "POST /sessions", `{"id":"s9"}`, 400, `{"error":"project is required","code":"invalid"}`},
		{"the latest sessions", "GET /sessions/recent", "GET /sessions/recent?project=demo&limit=many", "", 200, `[{"id":"empty","project":"demo","started_at":T,"observation_count":0},` + row1 + `]`},
		{"no sessions are an empty list", "GET /sessions/recent", "GET /sessions/recent?project=nobody", "", 200, `[]`},
		{"one session", "GET /sessions/{id}", "GET /sessions/s1", "", 200, ses1},
		{"a session nobody knows", "GET /sessions/{id}", "GET /sessions/nope", "", 404, `{"error":"session not found","code":"not_found"}`},
		{"a session ends without a body", "POST /sessions/{id}/end", "POST /sessions/s1/end", "", 200, `{"id":"s1","status":"completed"}`},
		{"a session ends with a summary", "POST /sessions/{id}/end", "POST /sessions/s1/end", `{"summary":"done"}`, 200, `{"id":"s1","status":"completed"}`},
		{"a session nobody knows ends too", "POST /sessions/{id}/end", "POST /sessions/nope/end", "", 200, `{"id":"nope","status":"completed"}`},
		{"an empty session is deleted", "DELETE /sessions/{id}", "DELETE /sessions/empty", "", 200, `{"id":"empty","status":"deleted"}`},
		{"a session nobody knows is not deleted", "DELETE /sessions/{id}", "DELETE /sessions/nope", "", 404, `{"error":"session not found: \"nope\"","code":"not_found"}`},
		{"a session with memories is not deleted", "DELETE /sessions/{id}", "DELETE /sessions/s1", "", 409,
			`{"error":"session still has observations: session \"s1\" has 2 observation(s)","code":"conflict","hint":"erase them first: forgotten ones count"}`},
	}
}

func observationCases() []routeCase {
	const mismatch = `{"error":"session project does not match requested project","code":"session_project_mismatch","hint":"leave the project out, or use a session of its own","session_project":"demo","project":"other"}`
	return []routeCase{
		{"a memory is saved", "POST /observations", "POST /observations", `{"session_id":"s1","project":"demo","title":"A","content":"B"}`, 201, `{"id":4,"status":"saved","project":"demo"}`},
		{"a memory takes the project of its session", "POST /observations", "POST /observations", `{"session_id":"s1","title":"A","content":"B"}`, 201, `{"id":4,"status":"saved","project":"demo"}`},
		{"an unknown session is made", "POST /observations", "POST /observations", `{"session_id":"new","project":"demo","title":"A","content":"B"}`, 201, `{"id":4,"status":"saved","project":"demo"}`},
		{"an unknown session without a project is made", "POST /observations", "POST /observations", `{"session_id":"new","title":"A","content":"B"}`, 201, `{"id":4,"status":"saved"}`},
		{"a topic is revised under its number", "POST /observations", "POST /observations", `{"session_id":"s1","project":"Demo","title":"C","content":"D","topic_key":"decision/cookies"}`, 201, `{"id":1,"status":"saved","project":"demo","warnings":["Project name normalized: \"Demo\" → \"demo\""]}`},
		{"an exact repeat keeps its number", "POST /observations", "POST /observations", `{"session_id":"s1","project":"demo","type":"bugfix","title":"Login fix","content":"The login form lost its state."}`, 201, `{"id":2,"status":"saved","project":"demo"}`},
		{"a memory needs a title", "POST /observations", "POST /observations", `{"session_id":"s1","content":"B"}`, 400, `{"error":"session_id, title, and content are required","code":"invalid"}`},
		{"a session of another project is refused", "POST /observations", "POST /observations", `{"session_id":"s1","project":"other","title":"A","content":"B"}`, 400, mismatch},

		{"all memories, newest first", "GET /observations", "GET /observations", "", 200, `[` + obs3 + `,` + obs2 + `,` + obs1 + `]`},
		{"the memories of a project", "GET /observations", "GET /observations?project=DEMO&sort=created_at:desc&limit=1", "", 200, `[` + obs2 + `]`},
		{"another order is refused", "GET /observations", "GET /observations?sort=title", "", 400, `{"error":"unsupported sort: use created_at:desc","code":"invalid"}`},
		{"the newest memories", "GET /observations/recent", "GET /observations/recent?limit=1", "", 200, `[` + obs3 + `]`},
		{"no memories are an empty list", "GET /observations/recent", "GET /observations/recent?scope=personal", "", 200, `[]`},
		{"an invalid limit is the default", "GET /observations/recent", "GET /observations/recent?limit=-5&project=other", "", 200, `[` + obs3 + `]`},
		{"one memory", "GET /observations/{id}", "GET /observations/1", "", 200, obs1},
		{"a memory nobody knows", "GET /observations/{id}", "GET /observations/99", "", 404, `{"error":"observation not found","code":"not_found"}`},
		{"a memory of number zero", "GET /observations/{id}", "GET /observations/0", "", 404, `{"error":"observation not found","code":"not_found"}`},
		{"a memory whose number is none", "GET /observations/{id}", "GET /observations/abc", "", 400, `{"error":"invalid observation id","code":"invalid","hint":"use a whole number"}`},
		{"a memory is changed", "PATCH /observations/{id}", "PATCH /observations/3", `{"title":"Other"}`, 200,
			strings.Replace(strings.Replace(obs3, `"Else"`, `"Other"`, 1), `"revision_count":1`, `"revision_count":2`, 1)},
		{"a change changes something", "PATCH /observations/{id}", "PATCH /observations/3", `{"id":4,"title":null}`, 400, `{"error":"at least one field is required","code":"invalid"}`},
		{"a memory nobody knows is not changed", "PATCH /observations/{id}", "PATCH /observations/99", `{"title":"x"}`, 404, `{"error":"observation not found","code":"not_found"}`},
		{"a memory is forgotten", "DELETE /observations/{id}", "DELETE /observations/1", "", 200, `{"hard_delete":false,"id":1,"status":"deleted"}`},
		{"a memory is erased", "DELETE /observations/{id}", "DELETE /observations/1?hard=true", "", 200, `{"hard_delete":true,"id":1,"status":"deleted"}`},
		{"only a clear yes erases", "DELETE /observations/{id}", "DELETE /observations/1?hard=maybe", "", 200, `{"hard_delete":false,"id":1,"status":"deleted"}`},
		{"a memory nobody knows is not deleted", "DELETE /observations/{id}", "DELETE /observations/99", "", 404, `{"error":"observation not found","code":"not_found"}`},

		{"learnings are taken out of a text", "POST /observations/passive", "POST /observations/passive",
			`{"session_id":"s1","project":"demo","source":"stop-hook","content":"Bye.\n## Key Learnings:\n1. The cache must be warm before the first request.\n2. The login form lost its state.\n"}`,
			200, `{"extracted":2,"saved":1,"duplicates":1,"project":"demo"}`},
		{"a text without learnings", "POST /observations/passive", "POST /observations/passive", `{"session_id":"s1"}`, 200, `{"extracted":0,"saved":0,"duplicates":0}`},
		{"learnings need a session", "POST /observations/passive", "POST /observations/passive", `{"content":"x"}`, 400, `{"error":"session_id is required","code":"invalid"}`},
	}
}

func promptCases() []routeCase {
	return []routeCase{
		{"a prompt is saved", "POST /prompts", "POST /prompts", `{"session_id":"s1","content":"more"}`, 201, `{"id":2,"status":"saved","project":"demo"}`},
		{"a prompt needs a session", "POST /prompts", "POST /prompts", `{"content":"more"}`, 400, `{"error":"session_id and content are required","code":"invalid"}`},
		{"the latest prompts", "GET /prompts/recent", "GET /prompts/recent?project=demo", "", 200, `[` + prm1 + `]`},
		{"no prompts are an empty list", "GET /prompts/recent", "GET /prompts/recent?project=other", "", 200, `[]`},
		{"prompts are found by their words", "GET /prompts/search", "GET /prompts/search?q=failing+logins", "", 200, `[` + prm1 + `]`},
		{"a search for nothing lists the newest prompts", "GET /prompts/search", "GET /prompts/search", "", 200, `[` + prm1 + `]`},
		{"a prompt is deleted", "DELETE /prompts/{id}", "DELETE /prompts/1", "", 200, `{"id":1,"status":"deleted"}`},
		{"a prompt nobody knows", "DELETE /prompts/{id}", "DELETE /prompts/9", "", 404, `{"error":"prompt not found","code":"not_found"}`},
		{"a prompt whose number is none", "DELETE /prompts/{id}", "DELETE /prompts/x", "", 400, `{"error":"invalid prompt id","code":"invalid","hint":"use a whole number"}`},
	}
}

func projectCases() []routeCase {
	return []routeCase{
		{"the server is well", "GET /health", "GET /health", "", 200, `{"service":"engram","status":"ok","version":"1.2.3"}`},
		{"what there is", "GET /stats", "GET /stats", "", 200, `{"total_sessions":3,"total_observations":3,"total_prompts":1,"projects":["demo","other"]}`},
		{"the doctor finds nothing", "GET /doctor", "GET /doctor?project=demo&check=relations_to_nowhere", "", 200,
			`{"status":"ok","project":"demo","summary":{"total":1,"ok":1,"warnings":0,"blocked":0,"errors":0},"checks":[{"check_id":"relations_to_nowhere",` +
				`"result":"ok","severity":"info","reason_code":"relations_to_nowhere_ok","message":"No issues detected.",` +
				`"why":"A relation to a missing memory leads searches and graphs nowhere.","evidence":{"relations":0},` +
				`"safe_next_step":"Nothing to do.","requires_confirmation":false}]}`},
		{"a check nobody knows is a report", "GET /doctor", "GET /doctor?check=nope", "", 200, ""},
		{"the doctor knows no such project", "GET /doctor", "GET /doctor?project=nope", "", 404,
			`{"error":"project \"nope\" not found","code":"unknown_project","hint":"see GET /projects","available_projects":["demo","other"]}`},
		{"the projects", "GET /projects", "GET /projects", "", 200,
			`{"projects":[{"name":"demo","aliases":[],"memories":2,"sessions":2,"prompts":1},{"name":"other","aliases":[],"memories":1,"sessions":1,"prompts":0}]}`},
		{"a project is moved", "POST /projects/migrate", "POST /projects/migrate", `{"old_project":"Other","new_project":"demo"}`, 200,
			`{"status":"migrated","old_project":"Other","new_project":"demo","observations":1,"sessions":1,"prompts":0}`},
		{"a project is not moved to itself", "POST /projects/migrate", "POST /projects/migrate", `{"old_project":"Demo","new_project":"demo"}`, 200,
			`{"status":"skipped","reason":"names are identical"}`},
		{"a project nobody knows is not moved", "POST /projects/migrate", "POST /projects/migrate", `{"old_project":"nope","new_project":"demo"}`, 200,
			`{"status":"skipped","reason":"no records found"}`},
		{"an export of a blank project is none", "GET /export", "GET /export?project=", "", 400, `{"error":"project parameter must not be blank","code":"invalid"}`},
		{"what is no export is not imported", "POST /import", "POST /import", `{"memory":"a"}`, 400,
			`{"error":"the file is not a known export","code":"invalid","hint":"use an object with format and version, with observations, or with memories and relationships"}`},
		{"a move needs two names", "POST /projects/migrate", "POST /projects/migrate", `{"old_project":"nope"}`, 400,
			`{"error":"old_project and new_project are required","code":"invalid"}`},
		{"the project of a folder", "GET /project/current", "GET /project/current?cwd=/nowhere/Shop", "", 200,
			`{"project":"shop","project_source":"dir_basename","project_path":"/nowhere/Shop","cwd":"/nowhere/Shop","available_projects":[]}`},
		{"the project of the server's folder", "GET /project/current", "GET /project/current", "", 200,
			`{"project":"byhand","project_source":"process_override","project_path":"","cwd":"/nowhere","available_projects":[]}`},
		{"there is nothing to replicate with", "GET /sync/status", "GET /sync/status?project=demo", "", 200,
			`{"enabled":false,"phase":"disabled","last_error":"","consecutive_failures":0,"backoff_until":null,"last_sync_at":null,` +
				`"reason_code":"cloud_not_configured","reason_message":"no server to replicate with is configured","deferred_count":0,"dead_count":0,` +
				`"upgrade":{"stage":"none","reason_code":"cloud_not_configured","reason_message":"no server to replicate with is configured"}}`},
		{"the routes describe themselves", "GET /openapi.json", "GET /openapi.json", "", 200, ""},
		{"the greeting names the routes", "GET /", "GET /", "", 200, ""},
	}
}

func TestRoutesAnswerInTheirShapes(t *testing.T) {
	t.Parallel()
	fresh := func(t *testing.T) *httpapi.API {
		h := newAPI(t, httpapi.Options{Dir: "/nowhere", Project: "byhand"})
		stocked(t, h)
		return h
	}
	shared := fresh(t)
	for _, tt := range routeCases() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := shared // GET changes nothing, and errors change nothing
			if !strings.HasPrefix(tt.request, "GET") && tt.status < 300 {
				h = fresh(t)
			}
			method, target, _ := strings.Cut(tt.request, " ")
			w := ask(h, method, target, tt.body)
			if tt.want == "" {
				tt.want = told(w)
			}
			want(t, w, tt.request+" "+tt.body, tt.status, tt.want)
		})
	}
}

func TestEveryRouteHasACase(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, tt := range routeCases() {
		have[tt.route] = true
	}
	for _, r := range newAPI(t, httpapi.Options{}).Routes() {
		if name := r.Method + " " + r.Path; !have[name] && r.Path != "/events" { // a stream has tests of its own
			t.Errorf("%s has no case in routeCases", name)
		}
	}
}

func TestTheGreetingNamesEveryRoute(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	said := ask(h, "GET", "/", "").Body.String()
	for _, r := range h.Routes() {
		if name := `"` + r.Method + " " + strings.Replace(r.Path, "...", "", 1) + `"`; !strings.Contains(said, name) {
			t.Errorf("GET / does not name %s:\n%s", name, said)
		}
	}
	said = ask(newAPI(t, httpapi.Options{Daemon: http.NotFoundHandler()}), "GET", "/", "").Body.String()
	if strings.Contains(said, "/daemon") {
		t.Errorf("GET / names what is for the program's own commands:\n%s", said)
	}
}

func TestWhatIsNoRoute(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	for _, tt := range []struct {
		name, request string
		status        int
		allow, want   string
	}{
		{"an unknown path", "GET /nope", 404, "", `{"error":"no such route: /nope","code":"not_found","hint":"GET / lists the routes"}`},
		{"an unknown path for a change", "POST /nope", 404, "", `{"error":"no such route: /nope","code":"not_found","hint":"GET / lists the routes"}`},
		{"MCP where there is none", "POST /mcp", 404, "", `{"error":"no such route: /mcp","code":"not_found","hint":"GET / lists the routes"}`},
		{"a method that a path has not", "DELETE /search", 405, "GET, HEAD", `{"error":"DELETE is not allowed for /search","code":"invalid","hint":"use GET or HEAD"}`},
		{"a preflight", "OPTIONS /observations/1", 405, "GET, HEAD, PATCH, DELETE", `{"error":"OPTIONS is not allowed for /observations/1","code":"invalid","hint":"use GET or HEAD or PATCH or DELETE"}`},
		{"a newer path answers in its own shape", "PUT /log", 405, "GET, HEAD", `{"error":{"code":"invalid","message":"PUT is not allowed for /log","hint":"use GET or HEAD"}}`},
		{"a session cannot be put", "PUT /sessions", 405, "POST", `{"error":"PUT is not allowed for /sessions","code":"invalid","hint":"use POST"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			method, target, _ := strings.Cut(tt.request, " ")
			w := ask(h, method, target, "")
			want(t, w, tt.request, tt.status, tt.want)
			if got := w.Header().Get("Allow"); got != tt.allow {
				t.Errorf("%s: got Allow %q, want %q", tt.request, got, tt.allow)
			}
		})
	}
}
