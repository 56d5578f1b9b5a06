package httpapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func rememberCases() []routeCase {
	bad := func(message, hint string) string {
		return `{"error":{"code":"invalid","message":"` + message + `","hint":"` + hint + `"}}`
	}
	const (
		one  = `{"id":"mem_00000000000000000000000004","content":"Something else about a login.","category":null,"strength":0.75,"relevance":0.75,"created_at":T,"access_count":0,"metadata":{},"origin":"agent"}`
		none = `{"memories":[],"fallback_mode":false}`
	)
	return []routeCase{
		{"a thing is remembered", "POST /remember", "POST /remember", `{"content":"The gateway has no shared store.","category":"fact","metadata":{"ticket":7}}`, 201,
			`{"id":"mem_00000000000000000000000005","project":"byhand"}`},
		{"what is private is not kept", "POST /remember", "POST /remember", `{"content":"The key is <private>x</private>."}`, 201, `{"id":"mem_00000000000000000000000005","project":"byhand"}`},
		{"a thing of a session is remembered in its project", "POST /remember", "POST /remember", `{"content":"The gateway has no shared store.","session_id":"s1"}`, 201,
			`{"id":"mem_00000000000000000000000005","project":"demo"}`},
		{"a session that is not known is made in the server's project", "POST /remember", "POST /remember", `{"content":"The gateway has no shared store.","session_id":"fresh"}`, 201,
			`{"id":"mem_00000000000000000000000005","project":"byhand"}`},
		{"a session of another project is refused", "POST /remember", "POST /remember", `{"content":"x","session_id":"s1","project":"web"}`, 400,
			`{"error":{"code":"conflict","message":"session project does not match requested project","hint":"leave the project out, or use a session of its own"}}`},
		{"a name that is spelled otherwise is told", "POST /remember", "POST /remember", `{"content":"The gateway has no shared store.","project":"Demo--Shop"}`, 201,
			`{"id":"mem_00000000000000000000000005","project":"demo-shop","warnings":["Project name normalized: \"Demo--Shop\" → \"demo-shop\"","Project \"demo-shop\" has no memories. Similar project found: \"demo\" (2 memories). Consider using that name instead."]}`},
		{"nothing is not remembered", "POST /remember", "POST /remember", `{"content":" "}`, 400, `{"error":{"code":"invalid","message":"content is required","hint":""}}`},
		{"a content that is no text", "POST /remember", "POST /remember", `{"content":7}`, 400, bad("invalid json: content cannot be a number", "send content as a string")},
		{"a misspelt field is not dropped", "POST /remember", "POST /remember", `{"content":"x","categry":"fact"}`, 400, bad(`there is no field \"categry\"`, "did you mean category?")},

		{"a question is answered", "POST /recall", "POST /recall", `{"query":"something else about the login","category":"MANUAL","limit":1}`, 200, `{"memories":[` + one + `],"fallback_mode":false}`},
		{"nothing relevant", "POST /recall", "POST /recall", `{"query":"zeppelin"}`, 200, none},
		{"nothing of these metadata", "POST /recall", "POST /recall", `{"query":"","metadata_filter":{"ticket":7}}`, 200, none},
		{"too weak", "POST /recall", "POST /recall", `{"min_strength":0.9}`, 200, none},
		{"a limit of nothing", "POST /recall", "POST /recall", `{"limit":0}`, 400, bad("limit 0 is out of range", "use a number from 1 to 100")},
		{"a limit past counting", "POST /recall", "POST /recall", `{"limit":101}`, 400, bad("limit 101 is out of range", "use a number from 1 to 100")},
		{"a strength above all", "POST /recall", "POST /recall", `{"min_strength":1.5}`, 400, bad("min_strength 1.5 is out of range", "use a number from 0 to 1")},
		{"a filter that is a list", "POST /recall", "POST /recall", `{"metadata_filter":[]}`, 400, bad("invalid json: metadata_filter cannot be an array", "send metadata_filter as an object")},

		{"a memory is forgotten by its id", "POST /forget", "POST /forget", `{"id":"mem_00000000000000000000000004"}`, 200, `{"forgotten":true}`},
		{"a memory is forgotten by its number", "POST /forget", "POST /forget", `{"id":"3"}`, 200, `{"forgotten":true}`},
		{"a memory that is not is told", "POST /forget", "POST /forget", `{"id":"99"}`, 404,
			`{"error":{"code":"not_found","message":"memory #99 does not exist","hint":"find it with GET /search?q=WORDS"}}`},
		{"nothing is not forgotten", "POST /forget", "POST /forget", `{}`, 400, bad("id is required", "")},
		{"words are no id", "POST /forget", "POST /forget", `{"id":"the login"}`, 400, bad(`\"the login\" does not name a memory`, "use a number (12), an id (mem_…) or topic:KEY")},
	}
}

// Without a project anywhere, what is remembered belongs to the folder in which the server runs.
func TestTheFolderOfTheServerIsWhereThingsAreRemembered(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "Till")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h := newAPI(t, httpapi.Options{Dir: dir})
	want(t, ask(h, "POST", "/remember", `{"content":"Receipts are printed twice."}`), "POST /remember", 201,
		`{"id":"mem_00000000000000000000000001","project":"till"}`)
	if got := told(ask(h, "GET", "/memories?project=till", "")); !strings.Contains(got, "Receipts") {
		t.Errorf("GET /memories?project=till: %s has no memory of it", got)
	}
}

func TestWhatIsRememberedIsRecalledUntilItIsForgotten(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{Project: "web"})
	load(t, h,
		[2]string{"POST /remember", `{"content":"Access tokens of the API live 15 minutes.","category":"decision"}`},
		[2]string{"POST /remember", `{"content":"Access tokens of the API live 15 minutes.","category":"decision"}`},
		[2]string{"POST /remember", `{"content":"Access tokens of the API live 5 minutes.","category":"decision"}`},
	)
	post := func(path, body string) string { return told(ask(h, "POST", path, body)) }
	load(t, h, [2]string{"POST /remember", `{"content":"Mails over 10 MB are dropped.","project":"Mailer"}`})
	if got := told(ask(h, "GET", "/memories?project=mailer", "")); !strings.Contains(got, "10 MB") {
		t.Errorf("remembered in a project that is named: %s has no memory of it", got)
	}
	for _, tt := range []struct{ name, path, body, want string }{
		{"what is known has its id twice", "/remember", `{"content":"Access tokens of the API live 15 minutes.","category":"decision"}`,
			`{"id":"mem_00000000000000000000000001","merged_with":"mem_00000000000000000000000001"`},
		{"a contradiction is told", "/remember", `{"content":"Access tokens of the API live 30 minutes when the user is remembered.","category":"decision"}`, `"conflict_detected":true,"conflict_with":"mem_`},
		{"both are recalled", "/recall", `{"query":"how long do access tokens live"}`, `live 5 minutes."`},
		{"recalling counts", "/recall", `{"query":"how long do access tokens live"}`, `"access_count":1`},
		{"one is forgotten", "/forget", `{"id":"mem_00000000000000000000000001"}`, `{"forgotten":true}`},
	} {
		if got := post(tt.path, tt.body); !strings.Contains(got, tt.want) {
			t.Errorf("%s: POST %s %s\n got %s\nwant %s in it", tt.name, tt.path, tt.body, got, tt.want)
		}
	}
	if got := post("/recall", `{"query":"how long do access tokens live"}`); strings.Contains(got, "15 minutes") {
		t.Errorf("what was forgotten is recalled: %s", got)
	}
	if got := told(ask(h, "GET", "/memories/2", "")); !strings.Contains(got, `"project":"web"`) {
		t.Errorf("a memory is in another project than the server's: %s", got)
	}
}
