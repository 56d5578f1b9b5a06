package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func findingCases() []routeCase {
	return []routeCase{
		{"an empty question lists the newest", "GET /search", "GET /search?project=other", "", 200, `[` + strings.TrimSuffix(obs3, "}") + `,"rank":0}]`},
		{"nothing found is an empty list", "GET /search", "GET /search?q=zeppelin", "", 200, `[]`},
		{"a topic key finds its memory first", "GET /search", "GET /search?q=decision/cookies&limit=1", "", 200, `[` + strings.TrimSuffix(obs1, "}") + `,"rank":-1000}]`},
		{"a search says why", "GET /search", "GET /search?project=other&explain=true", "", 200,
			`[` + strings.TrimSuffix(obs3, "}") + `,"rank":0,"why":{"channels":[{"channel":"recent","rank":1,"score":0}],"factors":[],"notes":[]}}]`},
		{"a search by type and time", "GET /search", "GET /search?type=bugfix,decision&since=2026-06-12T09:00:00Z&until=2027-01-01&project=other", "", 200, `[]`},
		{"an invalid time is told", "GET /search", "GET /search?q=x&since=soon", "", 400,
			`{"error":"invalid since parameter: \"soon\" is not a time","code":"invalid","hint":"use 7d, 12h, 90min, 2w, 3mo, 1y, today, yesterday, 2026-01-31 or 2026-01-31T10:00:00Z"}`},
		{"nor is one to look back to", "GET /search", "GET /search?q=x&as_of=soon", "", 400,
			`{"error":"invalid as_of parameter: \"soon\" is not a time","code":"invalid","hint":"use 7d, 12h, 90min, 2w, 3mo, 1y, today, yesterday, 2026-01-31 or 2026-01-31T10:00:00Z"}`},
		{"before the first memory nothing was found", "GET /search", "GET /search?q=login&as_of=2026-06-12", "", 200, `[]`},
		{"an invalid way to match is told", "GET /search", "GET /search?q=x&match=some", "", 400, `{"error":"match \"some\" is neither any nor all","code":"invalid"}`},

		{"what was saved around a memory", "GET /timeline", "GET /timeline?observation_id=1", "", 200,
			`{"focus":` + obs1 + `,"before":[],"after":[` + entr + `],"session_info":` + ses1 + `,"total_in_range":2}`},
		{"nothing of what was saved after it", "GET /timeline", "GET /timeline?observation_id=1&after=0&before=-1", "", 200,
			`{"focus":` + obs1 + `,"before":[],"after":[],"session_info":` + ses1 + `,"total_in_range":2}`},
		{"a timeline needs a memory", "GET /timeline", "GET /timeline", "", 400, `{"error":"observation_id parameter is required","code":"invalid"}`},
		{"a timeline of no number", "GET /timeline", "GET /timeline?observation_id=x", "", 400, `{"error":"invalid observation_id","code":"invalid","hint":"use a whole number"}`},
		{"a timeline of a memory nobody knows", "GET /timeline", "GET /timeline?observation_id=9", "", 404, `{"error":"timeline: observation #9 not found","code":"not_found"}`},

		{"an empty context", "GET /context", "GET /context?project=nobody", "", 200, `{"context":"","elsewhere":"No memories in project nobody; 3 in others: leave project out"}`},
		{"a context", "GET /context", "GET /context?project=other", "", 200,
			`{"context":"## Memory from Previous Sessions\n\n### Recent Sessions\n- **other** (2026-06-12 09:00:06) [1 observations]\n\n### Recent Observations\n- [manual] **Else**: Something else about a login.\n\n"}`},
	}
}

// found is what a search answers, as far as these tests look.
type found []ranked

type ranked struct {
	ID   int64
	Rank float64
	Weak bool
}

// relevant are those that are not marked as weak.
func (f found) relevant() found {
	return slices.DeleteFunc(slices.Clone(f), func(r ranked) bool { return r.Weak })
}

func search(t *testing.T, h *httpapi.API, query string) found {
	t.Helper()
	w := ask(h, "GET", "/search?"+query, "")
	var f found
	if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || w.Code != 200 {
		t.Fatalf("GET /search?%s\n got %d %s\nwant 200 and a list", query, w.Code, w.Body)
	}
	return f
}

func TestSearchPutsTheBestFirstWithTheSmallestRank(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	f := search(t, h, "q=login+form+state")
	for i := 1; i < len(f); i++ {
		if f[i].Rank < f[i-1].Rank {
			t.Errorf("got %+v, want the smallest rank first, weak or not", f)
		}
	}
	if f = f.relevant(); len(f) != 2 || f[0].ID != 2 || f[0].Rank >= f[1].Rank || f[1].Rank >= 0 {
		t.Errorf("got %+v, want #2 before #3 as the relevant ones and both ranks below zero", f)
	}
	if f := search(t, h, "q=login+form&match=all"); len(f) != 1 || f[0].ID != 2 {
		t.Errorf("match=all: got %+v, want #2 alone", f)
	}
	if f := search(t, h, "q=login&project=other"); len(f) != 1 || f[0].ID != 3 {
		t.Errorf("project=other: got %+v, want #3 alone", f)
	}
	if f := search(t, h, "q=login&since=1h").relevant(); len(f) != 2 {
		t.Errorf("since=1h: got %+v, want both", f)
	}
	if f := search(t, h, "q=login&until=1h"); len(f) != 0 {
		t.Errorf("until=1h: got %+v, want none", f)
	}
}

func TestWeakFindsAreMarkedAndListedAsAsked(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	for _, tt := range []struct {
		name, query    string
		relevant, weak bool
	}{
		{"beside what is relevant the mark is enough", "q=login+form+state", true, true},
		{"unless nobody wants them", "q=login+form+state&weak=false", true, false},
		{"nothing relevant is an empty list", "q=zeppelin+hangar", false, false},
		{"unless the weak are asked for", "q=zeppelin+hangar&weak=true", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := search(t, h, tt.query)
			relevant := len(f.relevant())
			if (relevant > 0) != tt.relevant || (len(f) > relevant) != tt.weak {
				t.Errorf("GET /search?%s\n got %+v\nwant relevant ones: %v, weak ones: %v", tt.query, f, tt.relevant, tt.weak)
			}
		})
	}
	if w := ask(h, "GET", "/search?q=login&weak=perhaps", ""); w.Code != 400 {
		t.Errorf("weak=perhaps: got %d %s, want 400", w.Code, w.Body)
	}
}

func TestWhatHasARareWordIsNeverNothing(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	const question = "yoghurt harpsichord gondola marzipan archipelago ukulele gargoyle tarantula zucchini bassoon reload obsidian mistletoe pancake " +
		"hurricane peninsula chandelier porcupine trampoline saxophone avalanche"
	q := "q=" + url.QueryEscape(question)
	for _, tt := range []struct {
		name, query string
		least, most int
	}{
		{"the nearest are marked", q, 1, 1},
		{"with the others, if they are wanted", q + "&weak=true", 2, 3},
		{"unless only the relevant ones are", q + "&weak=false", 0, 0},
	} {
		f := search(t, h, tt.query)
		if len(f.relevant()) > 0 || len(f) < tt.least || len(f) > tt.most || len(f) > 0 && f[0].ID != 1 {
			t.Errorf("%s: got %+v, want #1 first of %d to %d, all weak", tt.name, f, tt.least, tt.most)
		}
	}
	for _, tt := range []struct{ route, body, marked string }{
		{"GET /memories?" + q, "", `"notes":[]},"uncertain":true}],"weak":[{`},
		{"GET /recall?" + q, "", `"notes":[]},"uncertain":true}]`},
		{"POST /recall", `{"query":"` + question + `"}`, `"origin":"agent","uncertain":true}]`},
	} {
		method, path, _ := strings.Cut(tt.route, " ")
		w := ask(h, method, path, tt.body)
		if w.Code != 200 || strings.Count(w.Body.String(), tt.marked) != 1 || strings.Count(w.Body.String(), `"uncertain"`) != 1 || w.Header().Get("Engram-Elsewhere") != "" {
			t.Errorf("%s\n got %d %s\nwant one, and in it %s", tt.route, w.Code, w.Body, tt.marked)
		}
	}
}

func TestASearchIsToldHowToSearch(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	for _, tt := range []struct{ query, hint string }{
		{"mode=guess", "hybrid, semantic or fts"},
		{"fusion=sum", "score or rank"},
		{"hops=-1", "not a number from 0"},
		{"hops=far", "not a number from 0"},
		{"hops=6", "from 0 to 5"},
	} {
		for _, route := range []string{"/search", "/memories"} {
			w := ask(h, "GET", route+"?q=login&"+tt.query, "")
			if w.Code != 400 || !strings.Contains(w.Body.String(), `"invalid"`) || !strings.Contains(w.Body.String(), tt.hint) {
				t.Errorf("GET %s?q=login&%s\n got %d %s\nwant 400, invalid and in it %q", route, tt.query, w.Code, w.Body, tt.hint)
			}
		}
	}
	for _, q := range []string{"mode=fts", "mode=hybrid", "mode=semantic", "fusion=rank", "fusion=score", "hops=0", "hops=5", "rerank=true"} {
		if f := search(t, h, "q=login&"+q); len(f) == 0 {
			t.Errorf("GET /search?q=login&%s: got nothing, want the logins", q)
		}
	}
}

func TestSearchFindsWhatWasKnownThen(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	load(t, h, [2]string{"POST /observations", `{"session_id":"s","project":"p","title":"Kettle","content":"the kettle whistles"}`})
	var kettle struct {
		ID        int64
		CreatedAt time.Time `json:"created_at"`
	}
	w := ask(h, "GET", "/observations/recent?project=p&limit=1", "")
	if err := json.Unmarshal([]byte(strings.Trim(w.Body.String(), "[]\n")), &kettle); err != nil || kettle.CreatedAt.IsZero() {
		t.Fatalf("GET /observations/recent: %v in %s", err, w.Body)
	}
	id := fmt.Sprint(kettle.ID)
	// The clock steps a second at each reading, so the changes lie behind the next one.
	then := kettle.CreatedAt.Add(time.Second).Format(time.RFC3339)
	load(t, h, [2]string{"PATCH /observations/" + id, `{"content":"the teapot pours"}`}, [2]string{"DELETE /observations/" + id, ``})
	for _, route := range []string{"/search", "/memories"} {
		for query, want := range map[string]string{
			"q=kettle+whistles&as_of=" + then:                             "the kettle whistles",
			"q=teapot&as_of=" + then:                                      "",
			"q=kettle+whistles":                                           "",
			"q=kettle&as_of=" + kettle.CreatedAt.Format(time.RFC3339):     "",
			"q=kettle&since=2026-06-12&until=2099-01-01&as_of=" + then:    "the kettle whistles",
			"q=kettle&as_of=" + then + "&until=" + "2026-06-12":           "",
			"q=kettle&as_of=" + then + "&type=decision":                   "",
			"q=kettle&as_of=" + strings.ReplaceAll(then, "Z", "%2B00:00"): "the kettle whistles",
		} {
			got := ask(h, "GET", route+"?"+query, "")
			if got.Code != 200 || strings.Contains(got.Body.String(), "the kettle whistles") != (want != "") || strings.Contains(got.Body.String(), "teapot pours") {
				t.Errorf("GET %s?%s\n got %d %s\nwant %q", route, query, got.Code, got.Body, want)
			}
		}
	}
}

func TestSearchShowsAtMostTwenty(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	for i := range 25 {
		load(t, h, [2]string{"POST /observations", fmt.Sprintf(`{"session_id":"s","project":"p","title":"Pump %d","content":"pump number %d"}`, i, i)})
	}
	for query, n := range map[string]int{"q=pump": 10, "q=pump&limit=1000": 20, "q=pump&limit=0": 10, "q=pump&limit=3": 3, "limit=30": 20} {
		if f := search(t, h, query); len(f) != n {
			t.Errorf("GET /search?%s: got %d hits, want %d", query, len(f), n)
		}
	}
}

func TestNoQueryTextIsAnError(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	for _, q := range []string{`"`, `a"b`, `""`, `'`, `*`, `login*`, `NEAR(a b)`, `a AND`, `OR`, `NOT`, `title:login`, `^login`, `-login`, `{a b}:c`,
		"\x00", "\xff\xfe", "😀", "日本語", strings.Repeat("login ", 2000), `login"; DROP`, "%", "a+b", "<private>x"} {
		search(t, h, "q="+url.QueryEscape(q))
		search(t, h, "match=all&q="+url.QueryEscape(q))
	}
	for _, raw := range []string{"q=100%", "q=100%+login", "q=a;b", "q=%zz", "q=%ff%00", "q", "=", "&&", "q=a&q=b"} {
		search(t, h, raw)
	}
	if f := search(t, h, "q=50%+login").relevant(); len(f) != 2 {
		t.Errorf("a stray %% hides the rest of the question: got %+v, want two relevant hits", f)
	}
}
