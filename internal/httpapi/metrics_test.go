package httpapi_test

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// measured is a server whose metrics are asked for.
func measured(t *testing.T) *httpapi.API {
	t.Helper()
	p := enginetest.NewParts(t)
	e := engine.New(engine.Options{Store: p.Store, Now: p.Clock.Now, NewID: enginetest.IDs(), Embedder: enginetest.Embedder(), Tally: exposure.NewTally(p.Clock.Now)})
	return httpapi.New(httpapi.Options{Engine: e, Version: `1.0 "x\y"`, Measured: &httpapi.Process{Started: enginetest.Start(), Files: func() (int64, int64) { return 4096, 32 }}})
}

// scraped reads the text format, version 0.0.4, as strictly as a scraper may: every sample
// belongs to the family that was opened last, none is there twice, and a histogram is one.
func scraped(t *testing.T, text string) map[string]float64 {
	t.Helper()
	name := `[a-zA-Z_:][a-zA-Z0-9_:]*`
	label := `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`
	head := regexp.MustCompile(`^# (HELP|TYPE) (` + name + `) (.+)$`)
	line := regexp.MustCompile(`^(` + name + `)(\{` + label + `(?:,` + label + `)*\})? (\S+)$`)
	samples, families := map[string]float64{}, map[string]string{}
	family, kind := "", ""
	if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
		t.Errorf("the text ends in %q, want one end of a line", text[max(0, len(text)-10):])
	}
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if m := head.FindStringSubmatch(l); m != nil {
			if m[1] == "HELP" {
				family, kind = m[2], ""
				if _, twice := families[family]; twice {
					t.Errorf("family %s is there twice", family)
				}
			} else if m[2] != family {
				t.Errorf("%q does not follow its HELP", l)
			} else {
				kind, families[family] = m[3], m[3]
			}
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			t.Errorf("%q is no sample", l)
			continue
		}
		base := m[1]
		if kind == "histogram" {
			base = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(base, "")
		}
		if base != family || kind == "counter" && !strings.HasSuffix(base, "_total") {
			t.Errorf("%q in the family %s, a %s", l, family, kind)
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil || math.IsNaN(value) || value < 0 {
			t.Errorf("%q: %v", l, err)
		}
		if _, twice := samples[m[1]+m[2]]; twice {
			t.Errorf("%s%s is there twice", m[1], m[2])
		}
		samples[m[1]+m[2]] = value
	}
	return samples
}

func TestPrometheusReadsTheMetrics(t *testing.T) {
	t.Parallel()
	h := measured(t)
	stocked(t, h)
	for range 3 {
		ask(h, "GET", "/search?q=login&project=demo", "")
	}
	ask(h, "GET", "/search?q=zeppelin", "")
	ask(h, "GET", "/memories/1", "")
	ask(h, "GET", "/memories/99", "")
	ask(h, "GET", "/nowhere", "")
	w := ask(h, "GET", "/metrics", "")
	if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("got %d, %s", w.Code, got)
	}
	got := scraped(t, w.Body.String())
	for sample, want := range map[string]float64{
		`engram_events_total{verb="save",outcome="inserted"}`:   3,
		`engram_events_total{verb="search",outcome="found"}`:    3,
		`engram_events_total{verb="search",outcome="nothing"}`:  1,
		`engram_events_total{verb="get",outcome="found"}`:       1,
		`engram_events_total{verb="get",outcome="nothing"}`:     1,
		`engram_answer_seconds_bucket{verb="search",le="+Inf"}`: 4,
		`engram_answer_seconds_count{verb="search"}`:            4,
		`engram_project_memories{project="demo"}`:               2,
		`engram_memories`:       3,
		`engram_store_up`:       1,
		`engram_database_bytes`: 4096,
		`engram_wal_bytes`:      32,
		`engram_http_requests_total{route="GET /search",status="200"}`:            4,
		`engram_http_requests_total{route="GET /memories/{ref...}",status="404"}`: 1,
		`engram_http_requests_total{route="",status="404"}`:                       1,
		`process_start_time_seconds`:                                              float64(enginetest.Start().Unix()),
	} {
		if got[sample] != want {
			t.Errorf("%s: got %v, want %v", sample, got[sample], want)
		}
	}
	info := 0
	for sample, value := range got {
		if strings.HasPrefix(sample, `engram_build_info{version="1.0 \"x\\y\"",goversion="go`) && value == 1 {
			info++
		}
		if strings.HasPrefix(sample, "engram_answer_seconds_bucket") && value > got[`engram_answer_seconds_count`+sample[len("engram_answer_seconds_bucket"):strings.Index(sample, ",")]+"}"] {
			t.Errorf("%s: %v are more than there are", sample, value)
		}
	}
	if info != 1 || t.Failed() {
		t.Logf("%d build infos in\n%s", info, w.Body)
	}
	if info != 1 {
		t.Error("want one engram_build_info")
	}
}

// Whatever is asked for, the number of time series stays what it is.
func TestNobodyMakesMetricsGrow(t *testing.T) {
	t.Parallel()
	h := measured(t)
	stocked(t, h)
	for i := range 120 {
		ask(h, "POST", "/observations", fmt.Sprintf(`{"session_id":"p%d","project":"p%d","title":"T","content":"C%d"}`, i, i, i))
	}
	lines := func() int { return strings.Count(ask(h, "GET", "/metrics", "").Body.String(), "\n") }
	odd := func(i int) {
		ask(h, "GET", fmt.Sprintf("/nowhere/%d", i), "")
		ask(h, "GET", fmt.Sprintf("/memories/99%03d", i), "")
		ask(h, "GET", fmt.Sprintf("/search?project=made-up-%d&q=x", i), "")
		ask(h, "BREW", fmt.Sprintf("/coffee/%d", i), "")
	}
	odd(1)
	lines() // its own request is counted from now on
	before := lines()
	for i := range 50 {
		odd(10 + i)
	}
	if after := lines(); after != before {
		t.Errorf("from %d lines to %d after 200 more odd requests", before, after)
	}
	if n := strings.Count(ask(h, "GET", "/metrics", "").Body.String(), "engram_project_memories{"); n != 50 {
		t.Errorf("%d projects have a gauge of their own, want 50", n)
	}
}

func TestMetricsAreOffUnlessAskedFor(t *testing.T) {
	t.Parallel()
	h := httpapi.New(httpapi.Options{Engine: enginetest.New(t)})
	w := ask(h, "GET", "/metrics", "")
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "serve --metrics") {
		t.Errorf("got %d %s, want 404 with a hint", w.Code, w.Body)
	}
}

func TestUsageTellsWhatMetricsOfTheCommandLineDo(t *testing.T) {
	t.Parallel()
	h := measured(t)
	stocked(t, h)
	ask(h, "GET", "/search?q=login&session_id=s1", "")
	for target, want := range map[string]string{
		"/usage":                  `"events":4,"remember":3,"recall":1,"found":1,"fallbacks":0,"hit_rate":1,"fallback_rate":0`,
		"/usage?project=demo":     `"events":2,"remember":2,"recall":0,"found":0,"fallbacks":0,"hit_rate":null`,
		"/usage?session_id=s1":    `"events":3,"remember":2,"recall":1,"found":1`,
		"/usage?since=2030-01-01": `"events":0,`,
		"/usage?since=sometime":   `"code":"invalid"`,
		"/usage?project=nope":     `"code":"not_found"`,
		"/usage?session_id=nope":  `"code":"not_found"`,
		"/usage?verb=search":      `there is no parameter`,
	} {
		if got := ask(h, "GET", target, "").Body.String(); !strings.Contains(got, want) {
			t.Errorf("GET %s: got %s\nwant …%s…", target, got, want)
		}
	}
}

func usageCases() []routeCase {
	return []routeCase{
		{"what was asked and saved", "GET /usage", "GET /usage?session_id=s1", "", 200, `{"project":"","session":"s1","since":null,"events":2,"remember":2,"recall":0,"found":0,"fallbacks":0,"hit_rate":null,"fallback_rate":null,"memories":0,"tokens":0,"sessions":1,"verbs":[{"verb":"save","outcomes":{"inserted":2},"events":2,"remember":2,"recall":0,"found":0,"fallbacks":0,"hit_rate":null,"fallback_rate":null,"memories":0,"tokens":0}],"projects":[],"days":[]}`},
		{"of a session nobody knows", "GET /usage", "GET /usage?session_id=nope", "", 404, `{"error":{"code":"not_found","message":"session \"nope\" does not exist","hint":"see GET /sessions/recent"}}`},
		{"metrics nobody asked for", "GET /metrics", "GET /metrics", "", 404, `{"error":{"code":"not_found","message":"metrics are off","hint":"enable them with engram serve --metrics or engram config set metrics true; GET /usage has numbers for people"}}`},
	}
}
