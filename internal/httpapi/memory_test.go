package httpapi_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func memoryCases() []routeCase {
	bad := func(message, hint string) string {
		return `{"error":{"code":"invalid","message":"` + message + `","hint":"` + hint + `"}}`
	}
	saved := `{"id":"mem_00000000000000000000000005","num":4,"sync_id":"obs-X","project":"shop","scope":"personal","type":"fact","title":"Prices are in cents","content":"Prices are in cents.","summary":"","tags":["money","permanent"],"metadata":{"a":[1,{"b":null}]},"topic_key":"fact/prices","session_id":"manual-save-shop","tool_name":"","origin":"agent","importance":0.9,"strength":1,"permanent":true,"state":"active","revision_count":1,"duplicate_count":1,"access_count":0,"created_at":T,"updated_at":T,"last_seen_at":null,"last_accessed_at":null,"review_after":null,"deleted_at":null}`
	return []routeCase{
		{"a whole memory is saved", "POST /memories", "POST /memories",
			`{"title":"Prices are in cents","content":"Prices are in cents.","type":"fact","scope":"Personal","project":"shop","topic_key":"fact/prices","tags":["Money"],"metadata":{"a":[1,{"b":null}]},"importance":0.9,"permanent":true}`,
			201, `{"action":"inserted","reason":"first of its topic","merged_with":null,"candidates":[],"related":[],"suggested_topic":"","warnings":[],"memory":` + saved + `}`},
		{"an invalid scope is refused", "POST /memories", "POST /memories", `{"content":"x","scope":"team"}`, 400, bad(`scope \"team\" does not exist`, "use project, personal or global")},
		{"a memory without content is refused", "POST /memories", "POST /memories", `{"title":"x"}`, 400, ""},
		{"a relation to what names no memory is refused", "POST /memories", "POST /memories", `{"content":"x","related":["nope"]}`, 400, bad(`\"nope\" does not name a memory`, "use a number (12), an id (mem_…) or topic:KEY")},
		{"a relation to a memory nobody knows is refused", "POST /memories", "POST /memories", `{"content":"x","related":["99"]}`, 404, ""},
		{"a session of another project is a conflict", "POST /memories", "POST /memories", `{"content":"x","session_id":"s1","project":"other"}`, 409, ""},

		{"several memories, of which one says the same", "POST /memories/batch", "POST /memories/batch",
			`{"memories":[{"title":"Batch","content":"One after the other.","project":"shop"},{"title":"Batch","content":"one after the other","project":"shop"}],"merge":true}`, 201, ""},
		{"a batch of none is refused", "POST /memories/batch", "POST /memories/batch", `{"memories":[]}`, 400, bad("cannot save 0 memories at once", "save from 1 to 100")},
		{"one of a batch is refused, and so are all", "POST /memories/batch", "POST /memories/batch", `{"memories":[{"content":"x"},{"content":"y","scope":"team"}]}`, 400,
			bad(`memory 2: scope \"team\" does not exist`, "use project, personal or global")},
		{"one of a batch has no content", "POST /memories/batch", "POST /memories/batch", `{"memories":[{"content":"x"},{"title":"y"}]}`, 400,
			bad("memory 2: content is empty", "say what is to be remembered")},
		{"one of a batch is of another kind", "POST /memories/batch", "POST /memories/batch", `{"memories":[{"content":7}]}`, 400,
			bad("invalid json: memories.content cannot be a number", "send memories.content as a string")},

		{"memories by project", "GET /memories", "GET /memories?project=other", "", 200, `{"limit":20,"offset":0,"memories":[` + strings.TrimSuffix(mem3, "}") + `,"relations":[]}]}`},
		{"a page of memories", "GET /memories", "GET /memories?limit=5000&offset=3", "", 200, `{"limit":1000,"offset":3,"memories":[]}`},
		{"a negative limit is refused", "GET /memories", "GET /memories?limit=-1", "", 400, bad(`limit \"-1\" is not a number from 1`, "")},
		{"an offset that is no number is refused", "GET /memories", "GET /memories?offset=x", "", 400, bad(`offset \"x\" is not a number from 0`, "")},
		{"an invalid flag is refused", "GET /memories", "GET /memories?forgotten=perhaps", "", 400, bad(`forgotten \"perhaps\" is neither true nor false`, "")},
		{"an invalid scope to look in is refused", "GET /memories", "GET /memories?scope=team", "", 400, bad(`scope \"team\" does not exist`, "use project, personal or global")},
		{"forgotten memories", "GET /memories", "GET /memories?forgotten=true&tag=a,b&type=x&session_id=s1&since=7d", "", 200, `{"limit":20,"offset":0,"memories":[]}`},

		{"a search of whole memories", "GET /memories", "GET /memories?q=topic+that+is+not+there&project=other&type=bugfix", "", 200, `{"query":"topic that is not there","hits":[],"weak":[],"repaired":[],"times":[],"degraded":[],"elsewhere":"Nothing found among 1 memory in project other; 2 in others: leave project out"}`},
		{"a search by topic key", "GET /memories", "GET /memories?q=other/else&limit=1&project=other&tag=none", "", 200, `{"query":"other/else","hits":[],"weak":[],"repaired":[],"times":[],"degraded":[],"elsewhere":"Nothing found among 1 memory in project other; 2 in others: leave project out"}`},
		{"a search has no pages", "GET /memories", "GET /memories?q=x&offset=1", "", 400, bad("a search takes no offset", "use limit, at most 100")},
		{"memories of a time before there were any", "GET /memories", "GET /memories?as_of=2020-01-01", "", 200, `{"limit":20,"offset":0,"memories":[]}`},
		{"an invalid search as of a time", "GET /memories", "GET /memories?q=x&as_of=soon", "", 400,
			bad(`invalid as_of parameter: \"soon\" is not a time`, "use 7d, 12h, 90min, 2w, 3mo, 1y, today, yesterday, 2026-01-31 or 2026-01-31T10:00:00Z")},
		{"an invalid search with a limit", "GET /memories", "GET /memories?q=x&limit=0", "", 400, bad(`limit \"0\" is not a number from 1`, "")},

		{"a memory by its number", "GET /memories/{ref...}", "GET /memories/3", "", 200, `{"memory":` + mem3 + `,"strength_now":0.75,"strength_reason":"0.75 · 0 days without access · importance 0.5 · 0 accesses · importance curve","relations":[],"revisions":[]}`},
		{"a memory by the beginning of its id", "GET /memories/{ref...}", "GET /memories/mem_00000000000000000000000004", "", 200, `{"memory":` + mem3 + `,"strength_now":0.75,"strength_reason":"0.75 · 0 days without access · importance 0.5 · 0 accesses · importance curve","relations":[],"revisions":[]}`},
		{"a memory by its topic", "GET /memories/{ref...}", "GET /memories/topic:decision/cookies?project=demo", "", 200, ""},
		{"a topic that another project has", "GET /memories/{ref...}", "GET /memories/topic:decision/cookies?project=other", "", 404, ""},
		{"what names no memory", "GET /memories/{ref...}", "GET /memories/-3", "", 400, bad(`\"-3\" does not name a memory`, "use a number (12), an id (mem_…) or topic:KEY")},
		{"nothing names no memory", "GET /memories/{ref...}", "GET /memories/", "", 400, bad(`\"\" does not name a memory`, "use a number (12), an id (mem_…) or topic:KEY")},
		{"an id that several begin with", "GET /memories/{ref...}", "GET /memories/mem_0", "", 409, ""},

		{"a whole memory is changed", "PATCH /memories/{ref...}", "PATCH /memories/3", `{"add_tags":["x"],"importance":1,"metadata":{"k":"v"}}`, 200,
			`{"memory":` + strings.NewReplacer(`"tags":[]`, `"tags":["x"]`, `"metadata":{}`, `"metadata":{"k":"v"}`, `0.5`, `1`).Replace(mem3) + `,"warnings":[]}`},
		{"a change of nothing is refused", "PATCH /memories/{ref...}", "PATCH /memories/3", `{}`, 400, bad("provide at least one field to update", "")},
		{"an importance out of range is refused", "PATCH /memories/{ref...}", "PATCH /memories/3", `{"importance":7}`, 400, bad("importance 7 is out of range", "use a number from 0 to 1")},
		{"an invalid scope changes nothing", "PATCH /memories/{ref...}", "PATCH /memories/3", `{"scope":"team"}`, 400, ""},
		{"a memory is forgotten by its topic", "DELETE /memories/{ref...}", "DELETE /memories/topic:decision/cookies", "", 200,
			`{"hard":false,"deleted":[{"id":"mem_00000000000000000000000001","num":1,"title":"Cookies over tokens"}],"held_by":[]}`},
		{"a memory is erased by its number", "DELETE /memories/{ref...}", "DELETE /memories/%233?hard=1", "", 200, `{"hard":true,"deleted":[{"id":"mem_00000000000000000000000004","num":3,"title":"Else"}],"held_by":[]}`},
		{"an unclear wish to erase is refused", "DELETE /memories/{ref...}", "DELETE /memories/3?hard=maybe", "", 400, bad(`hard \"maybe\" is neither true nor false`, "")},
	}
}

func TestASaveTellsWhatItIsNearAndMayContradict(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	tokens := func(path, title, minutes, more string) string {
		return told(ask(h, "POST", path, `{"title":"`+title+`","content":"Access tokens of the API live `+minutes+` minutes.","type":"decision","session_id":"s1"`+more+`}`))
	}
	for _, tt := range []struct {
		name, got string
		parts     []string
	}{
		{"the first", tokens("/memories", "Token lifetime", "15", ""), []string{`{"action":"inserted"`, `"candidates":[]`}},
		{"the same in a memory of its own", tokens("/memories", "Tokens live", "15", ""), []string{`{"action":"inserted","reason":"new"`, `"related":[{"id":"mem_`, `"num":1,`, `"cosine":0.`}},
		{"another number", tokens("/memories", "Lifetime of tokens", "5", `,"merge":true`),
			[]string{`{"action":"inserted"`, `"candidates":[{"id":"mem_`, `"judgment_id":"rel-`, `"reason":"number: 5 minutes against 15 minutes"`}},
		{"the same words, to be merged", tokens("/memories", "Tokens", "15", `,"merge":true`), []string{`{"action":"repeated","reason":"#2 has this text already"`}},
		{"the same title, to be merged", told(ask(h, "POST", "/memories", `{"title":"Tokens live","content":"Access tokens of the API live 15 minutes. They are signed.","type":"decision","session_id":"s1","merge":true}`)),
			[]string{`{"action":"merged","reason":"same type and title as #2"`, `"merged_with":{"id":"mem_`}},
		{"the older route", tokens("/observations", "How long tokens live", "7", ""), []string{
			`{"id":4,"status":"saved","judgment_required":true,"judgment_status":"pending","judgment_id":"rel-`, `"candidates":[{"id":`, `"sync_id":"obs-`}},
		{"the older route, and nothing to judge", told(ask(h, "POST", "/observations", `{"title":"Plants","content":"They are watered on Mondays.","session_id":"s1"}`)), []string{`{"id":5,"status":"saved"}`}},
	} {
		for _, part := range tt.parts {
			if !strings.Contains(tt.got, part) {
				t.Errorf("%s:\n got %s\nwant in it %s", tt.name, tt.got, part)
			}
		}
	}
}

func TestAChangedMemoryTellsWhatItSaidBefore(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	load(t, h,
		[2]string{"PATCH /memories/3", `{"content":"Now it says this."}`},
		[2]string{"POST /memories", `{"content":"Tied to it.","project":"other","related":["3"]}`},
	)
	got := told(ask(h, "GET", "/memories/3", ""))
	for _, part := range []string{
		`"content":"Now it says this."`,
		`"revisions":[{"number":1,"type":"manual","title":"Else","content":"Something else about a login.","written_at":T,"replaced_at":T,"reason":"update"}]`,
		`"relations":[{"relation":"relates_to","outgoing":false,"status":"judged","reason":"","num":4,`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("GET /memories/3\n got %s\nwant in it %s", got, part)
		}
	}
}

func TestASearchOfWholeMemoriesSaysWhy(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	got := told(ask(h, "GET", "/memories?q=something+else&project=other", ""))
	for _, part := range []string{
		`{"query":"something else","hits":[{"rank":1,"score":`, `,"memory":` + mem3 + `,"relations":[],"why":{"channels":[{"channel":"fts","rank":1,"score":`, `"degraded":[]}`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("GET /memories?q=…\n got %s\nwant in it %s", got, part)
		}
	}
}

func TestARepeatIsNotCreated(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	const body = `{"content":"The same words.","project":"p"}`
	first, second := ask(h, "POST", "/memories", body), ask(h, "POST", "/memories", body)
	if first.Code != 201 || second.Code != 200 || second.Header().Get("Location") != "/memories/1" {
		t.Errorf("POST /memories twice: got %d, %d and Location %q; want 201, 200 and /memories/1", first.Code, second.Code, second.Header().Get("Location"))
	}
}

func TestPrivateTextNeverComesBack(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	const secret = "hunter2"
	hidden := "<private>" + secret + "</private>"
	for _, r := range [][2]string{
		{"POST /sessions", `{"id":"s` + hidden + `","project":"p` + hidden + `"}`},
		{"POST /observations", `{"session_id":"s","project":"p","title":"t ` + hidden + `","content":"c <private>` + secret + `"}`},
		{"POST /prompts", `{"session_id":"s","project":"p","content":"` + hidden + ` please"}`},
		{"POST /memories", `{"content":"c ` + hidden + `","tags":["` + hidden + `"],"metadata":{"` + hidden + `":"` + hidden + `"},"scope":"` + hidden + `"}`},
		{"POST /memories", `{"content":"c ` + hidden + `","tags":["` + hidden + `"],"metadata":{"` + hidden + `":["` + hidden + `"]}}`},
		{"PATCH /memories/1", `{"title":"` + hidden + `","topic_key":"` + hidden + `"}`},
		{"POST /projects/migrate", `{"old_project":"` + hidden + `","new_project":"q"}`},
		{"POST /projects/migrate", `{"old_project":"p","new_project":"` + hidden + `"}`},
		{"POST /sessions/" + "%3Cprivate%3E" + secret + "/end", ``},
		{"DELETE /sessions/" + "%3Cprivate%3E" + secret, ``},
		{"GET /search?q=%3Cprivate%3E" + secret, ``},
		{"GET /search?since=%3Cprivate%3E" + secret, ``},
		{"GET /memories/%3Cprivate%3E" + secret, ``},
		{"GET /%3Cprivate%3E" + secret, ``},
		{"GET /project/current?cwd=/%3Cprivate%3E" + secret, ``},
		{"GET /memories", ``}, {"GET /observations", ``}, {"GET /context", ``}, {"GET /prompts/recent", ``}, {"GET /sessions/recent", ``}, {"GET /stats", ``},
	} {
		method, target, _ := strings.Cut(r[0], " ")
		if w := ask(h, method, target, r[1]); w.Code >= 500 || strings.Contains(w.Body.String(), secret) {
			t.Errorf("%s %s\n got %d %s\nwant no %q and no 5xx", r[0], r[1], w.Code, w.Body, secret)
		}
	}
}
