package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func decayCases() []routeCase {
	bad := func(message, hint string) string {
		return `{"error":{"code":"invalid","message":"` + message + `","hint":"` + hint + `"}}`
	}
	const (
		curves = "use importance, geometric or ebbinghaus"
		plain  = `{"project":"demo","in_force":{"curve":"importance","rate":0,"max_boost":0},"own":null,"types":{}}`
		own    = `{"project":"demo","in_force":{"curve":"geometric","rate":0.9,"max_boost":0},"own":{"curve":"geometric","rate":0.9,"max_boost":0},"types":{}}`
		single = `{"project":"demo","in_force":{"curve":"geometric","rate":0.5,"max_boost":0},"own":null,"types":{"fact":{"curve":"geometric","rate":0.5,"max_boost":0}}}`
		when   = `send either {\"for\": \"30d\"} or {\"until\": \"2027-01-31\"}`
	)
	snoozed := strings.Replace(mem3, `"review_after":null`, `"review_after":T`, 1)
	return []routeCase{
		{"how strong memories are", "GET /decay", "GET /decay?project=demo&curve=Geometric&days=7&below=1", "", 200, ""},
		{"nothing is as weak", "GET /decay", "GET /decay?below=0.01&limit=5", "", 200, `{"days":30,"total":0,"limit":5,"offset":0,"memories":[]}`},
		{"strength by a curve that does not exist", "GET /decay", "GET /decay?curve=linear", "", 400, bad(`there is no curve \"linear\"`, curves)},
		{"strength of a memory nobody knows", "GET /decay", "GET /decay?id=99", "", 404, ""},
		{"strength in days that are none", "GET /decay", "GET /decay?days=0", "", 400, bad(`days \"0\" is not a number from 1`, "")},
		{"strength below what is none", "GET /decay", "GET /decay?below=2", "", 400, bad(`below \"2\" is not a number from 0 to 1`, "")},
		{"an invalid least strength", "GET /memories", "GET /memories?min_strength=NaN", "", 400, bad(`min_strength \"NaN\" is not a number from 0 to 1`, "")},
		{"what is strong", "GET /memories", "GET /memories?min_strength=0.9", "", 200, `{"limit":20,"offset":0,"memories":[],"elsewhere":"Nothing found among 3 memories of every project"}`},

		{"how a project fades", "GET /projects/{name}/decay", "GET /projects/demo/decay", "", 200, plain},
		{"how a project nobody knows fades", "GET /projects/{name}/decay", "GET /projects/nope/decay", "", 404, ""},
		{"a project fades its own way", "PATCH /projects/{name}/decay", "PATCH /projects/demo/decay", `{"curve":"geometric","rate":0.9}`, 200, own},
		{"a type of a project does", "PATCH /projects/{name}/decay", "PATCH /projects/demo/decay", `{"type":"fact","rate":0.5}`, 200, single},
		{"a project is reset", "PATCH /projects/{name}/decay", "PATCH /projects/demo/decay", `{"reset":true}`, 200, plain},
		{"a project cannot fade by a curve that does not exist", "PATCH /projects/{name}/decay", "PATCH /projects/demo/decay", `{"curve":"linear"}`, 400, bad(`there is no curve \"linear\"`, curves)},

		{"nothing is due", "GET /review", "GET /review?project=demo", "", 200, `{"limit":20,"offset":0,"memories":[],"counts":{"changed":0,"due":0,"proposal":0,"suspect":0,"waiting":0},"items":[]}`},
		{"what waits for nothing that is known", "GET /review", "GET /review?kind=nope", "", 400, ""},
		{"a memory is approved", "POST /review/approve", "POST /review/approve", `{"names":["3"]}`, 200, `{"memories":[` + mem3 + `],"records":[],"done":[{"name":"3","op":0,"memory":3}],"degraded":[]}`},
		{"nothing is approved", "POST /review/approve", "POST /review/approve", `{}`, 400, ""},
		{"what an operation wrote is approved", "POST /review/approve", "POST /review/approve", `{"operation":1}`, 404, ""},
		{"names and an operation are approved", "POST /review/approve", "POST /review/approve", `{"names":["3"],"operation":1}`, 400, bad("no items to approve were given", `send either {\"names\": [\"12\", \"w3\"]} or {\"operation\": 42}`)},
		{"a memory is refused", "POST /review/refuse", "POST /review/refuse", `{"names":["3"]}`, 200, ""},
		{"what does not wait is refused", "POST /review/refuse", "POST /review/refuse", `{"names":["w99"]}`, 404, ""},
		{"reviews of a project nobody knows", "GET /review", "GET /review?project=nope", "", 404, ""},
		{"a review is done", "POST /review/{ref}/done", "POST /review/3/done", `{}`, 200, `{"memory":` + mem3 + `,"op":0,"degraded":[]}`},
		{"a review is done without a body", "POST /review/{ref}/done", "POST /review/topic:decision%2Fcookies/done", "", 200, ""},
		{"a review of a memory nobody knows", "POST /review/{ref}/done", "POST /review/99/done", "", 404, ""},
		{"a review is put off for a while", "POST /review/{ref}/snooze", "POST /review/3/snooze", `{"for":"30d"}`, 200, `{"memory":` + snoozed + `,"op":10,"degraded":[]}`},
		{"a review is put off until a day", "POST /review/{ref}/snooze", "POST /review/3/snooze", `{"until":"2027-01-31"}`, 200, `{"memory":` + snoozed + `,"op":10,"degraded":[]}`},
		{"a review is not put off to the past", "POST /review/{ref}/snooze", "POST /review/3/snooze", `{"until":"2020-01-31"}`, 400, ""},
		{"a review is put off somehow", "POST /review/{ref}/snooze", "POST /review/3/snooze", `{}`, 400, bad("no time is given", when)},
		{"a review is not put off in two ways", "POST /review/{ref}/snooze", "POST /review/3/snooze", `{"for":"30d","until":"2027-01-31"}`, 400, bad("no time is given", when)},
		{"a review is not put off for a word", "POST /review/{ref}/snooze", "POST /review/3/snooze", `{"for":"ever"}`, 400, bad(`\"ever\" is not a time`, when)},
	}
}

func TestDecayOverHTTPTellsStrengthAndReason(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	w := ask(h, "GET", "/decay?id=3,2&curve=geometric", "")
	var got struct {
		Total    int `json:"total"`
		Memories []struct {
			Num             int64
			Strength, Later float64
			Curve, Reason   string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	told := fmt.Sprintf("%d:", got.Total)
	for _, m := range got.Memories {
		told += fmt.Sprintf(" #%d %.2f→%.2f %s %q", m.Num, m.Strength, m.Later, m.Curve, m.Reason)
	}
	// 0.95^30 = 0.2146
	want := `2: #2 1.00→0.21 geometric "1.00 · 0 days without access · 0 accesses · geometric curve" #3 1.00→0.21 geometric "1.00 · 0 days without access · 0 accesses · geometric curve"`
	if told != want {
		t.Errorf("got %s\nwant %s", told, want)
	}
}

func TestAReadingCountsForASessionAlone(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	count := func() string {
		body := ask(h, "GET", "/memories/1", "").Body.String()
		_, rest, _ := strings.Cut(body, `"access_count":`)
		n, _, _ := strings.Cut(rest, ",")
		return n
	}
	for _, tt := range []struct{ target, want string }{
		{"/memories/1", "0"}, {"/observations/1", "0"}, {"/recall?q=cookie", "0"}, {"/memories/1?session_id=s1", "1"},
		{"/observations/1?session_id=s1", "1"}, {"/recall?q=cookie&session_id=s2", "2"}, {"/search?q=cookie&session_id=empty", "2"},
	} {
		if w := ask(h, "GET", tt.target, ""); w.Code != 200 {
			t.Fatalf("GET %s: %d %s", tt.target, w.Code, w.Body)
		}
		if got := count(); got != tt.want {
			t.Errorf("after GET %s the memory was read %s times, want %s", tt.target, got, tt.want)
		}
	}
}
