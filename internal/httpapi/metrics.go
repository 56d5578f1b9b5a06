package httpapi

import (
	"cmp"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// Process tells GET /metrics about the server process.
type Process struct {
	Started time.Time
	// Files returns the sizes of the database and its write-ahead log in bytes.
	Files func() (database, log int64)
}

// mediaPrometheus is the text format that every Prometheus reads. It is written by hand: the client library
// would add a registry, protocol buffers and a second set of counters for a dozen families of lines.
//
// Source: https://prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4.
const mediaPrometheus = "text/plain; version=0.0.4; charset=utf-8"

// maxSeries is how many projects, those with most memories, get their own gauge: each is a permanent time
// series at the scraper.
const maxSeries = 50

// metrics answers a scrape. An unreadable store is reported by engram_store_up; the process is reported anyway.
func (a *API) metrics(q request) (reply, error) {
	if a.Measured == nil {
		return reply{}, engram.Errorf(engram.CodeNotFound, "metrics are not asked for").
			WithHint("{serve --metrics}, or: {config set metrics true}; GET /usage has numbers for people")
	}
	var x exposition
	a.measureOperations(&x)
	a.measureStore(q, &x)
	a.measureRequests(&x)
	a.measureProcess(&x)
	return reply{media: mediaPrometheus, text: strings.TrimSuffix(x.String(), "\n")}, nil
}

func (a *API) measureOperations(x *exposition) {
	totals, times := a.Engine.Totals()
	x.family("engram_events_total", "counter", "Calls of verbs by what came of them: what a save did, whether a read found something, or the code of an error.")
	for _, t := range totals {
		x.sample("engram_events_total", float64(t.Events), "verb", t.Operation, "outcome", t.Outcome)
	}
	sums := map[string]engram.Tally{}
	var verbs []string
	for _, t := range totals {
		if t.Operation == engram.OperationSave {
			continue
		}
		if !slices.Contains(verbs, t.Operation) {
			verbs = append(verbs, t.Operation)
		}
		sums[t.Operation] = sums[t.Operation].Plus(t.Tally)
	}
	x.family("engram_fallbacks_total", "counter", "Reads where a channel could not answer, or an empty question listed the newest.")
	for _, v := range verbs {
		x.sample("engram_fallbacks_total", float64(sums[v].Fallbacks), "verb", v)
	}
	x.family("engram_shown_memories_total", "counter", "Memories that were shown.")
	for _, v := range verbs {
		x.sample("engram_shown_memories_total", float64(sums[v].Memories), "verb", v)
	}
	x.family("engram_shown_tokens_total", "counter", "What showing memories cost in tokens, about.")
	for _, v := range verbs {
		x.sample("engram_shown_tokens_total", float64(sums[v].Tokens), "verb", v)
	}
	x.family("engram_answer_seconds", "histogram", "How long verbs took.")
	for _, t := range times {
		x.histogram("engram_answer_seconds", t.Buckets[:], t.Sum, t.Count, "verb", t.Operation)
	}
}

func (a *API) measureStore(q request, x *exposition) {
	list, err := a.Engine.Projects(q.Context())
	up := 1.0
	if err != nil {
		up = 0
	}
	x.family("engram_store_up", "gauge", "Whether the store could be read just now.")
	x.sample("engram_store_up", up)
	if err == nil {
		memories := 0
		for _, p := range list {
			memories += p.Memories
		}
		slices.SortFunc(list, func(a, b engram.ProjectCounts) int { return cmp.Or(b.Memories-a.Memories, cmp.Compare(a.Name, b.Name)) })
		x.family("engram_projects", "gauge", "Projects.")
		x.sample("engram_projects", float64(len(list)))
		x.family("engram_memories", "gauge", "Live memories in projects.")
		x.sample("engram_memories", float64(memories))
		x.family("engram_project_memories", "gauge", "Live memories of a project; of the "+strconv.Itoa(maxSeries)+" largest.")
		for _, p := range list[:min(len(list), maxSeries)] {
			x.sample("engram_project_memories", float64(p.Memories), "project", p.Name)
		}
	}
	database, log := a.Measured.Files()
	x.family("engram_database_bytes", "gauge", "Size of the database file.")
	x.sample("engram_database_bytes", float64(database))
	x.family("engram_wal_bytes", "gauge", "Size of the write-ahead log.")
	x.sample("engram_wal_bytes", float64(log))
}

func (a *API) measureRequests(x *exposition) {
	x.family("engram_http_requests_total", "counter", "Requests by route and status; those that fit no route have none.")
	for _, r := range a.requests.all() {
		x.sample("engram_http_requests_total", float64(r.n), "route", r.route, "status", strconv.Itoa(r.status))
	}
}

func (a *API) measureProcess(x *exposition) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, g := range []struct {
		name, help string
		value      float64
	}{
		{"process_start_time_seconds", "When the server started, in seconds since 1970.", float64(a.Measured.Started.UnixMilli()) / 1000},
		{"engram_uptime_seconds", "For how long the server has been running.", a.Engine.Now().Sub(a.Measured.Started).Seconds()},
		{"go_goroutines", "Goroutines.", float64(runtime.NumGoroutine())},
		{"go_memstats_heap_alloc_bytes", "Bytes of the heap that are in use.", float64(m.HeapAlloc)},
		{"go_memstats_heap_objects", "Objects on the heap.", float64(m.HeapObjects)},
		{"go_memstats_sys_bytes", "Bytes that were taken from the system.", float64(m.Sys)},
		{"go_memstats_last_gc_time_seconds", "When memory was collected last, in seconds since 1970.", float64(m.LastGC) / 1e9},
	} {
		x.family(g.name, "gauge", g.help)
		x.sample(g.name, g.value)
	}
	x.family("engram_build_info", "gauge", "Which program this is; always 1.")
	x.sample("engram_build_info", 1, "version", a.Version, "goversion", runtime.Version())
}

// exposition writes Prometheus's text format: families, each followed by its samples.
type exposition struct{ strings.Builder }

func (x *exposition) family(name, kind, help string) {
	x.WriteString("# HELP " + name + " " + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help) + "\n# TYPE " + name + " " + kind + "\n")
}

// sample writes one line; labels alternate names and values.
func (x *exposition) sample(name string, value float64, labels ...string) {
	x.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		open := ","
		if i == 0 {
			open = "{"
		}
		text := strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(labels[i+1], "\ufffd"))
		x.WriteString(open + labels[i] + `="` + text + `"`)
	}
	if len(labels) > 0 {
		x.WriteString("}")
	}
	x.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

// histogram writes cumulative buckets, as the format wants them; buckets counts each answer once.
func (x *exposition) histogram(name string, buckets []int, sum time.Duration, count int, labels ...string) {
	below := 0
	for i, edge := range engine.TimeEdges() {
		below += buckets[i]
		x.sample(name+"_bucket", float64(below), append(slices.Clip(labels), "le", strconv.FormatFloat(edge.Seconds(), 'g', -1, 64))...)
	}
	x.sample(name+"_bucket", float64(count), append(slices.Clip(labels), "le", "+Inf")...)
	x.sample(name+"_sum", sum.Seconds(), labels...)
	x.sample(name+"_count", float64(count), labels...)
}

// requests counts answers by route and status. The table of routes bounds the number of pairs.
type requests struct {
	mu     sync.Mutex
	counts map[answered]int
}

type answered struct {
	route  string // the pattern of the mux; "" for none
	status int
}

type answeredCount struct {
	answered
	n int
}

// count counts the answer to r, written to w.
func (c *requests) count(w *answer, r *http.Request) {
	to := answered{r.Pattern, cmp.Or(w.status, http.StatusOK)}
	if to.route == "/" { // the fallback; the greeting is GET /{$}
		to.route = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[answered]int{}
	}
	c.counts[to]++
}

func (c *requests) all() []answeredCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []answeredCount
	for to, n := range c.counts {
		list = append(list, answeredCount{to, n})
	}
	slices.SortFunc(list, func(a, b answeredCount) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.status, b.status))
	})
	return list
}

// usage answers what was asked and saved, like `engram metrics`; /metrics is for Prometheus.
func (a *API) usage(q request) (reply, error) {
	in := engine.MetricsInput{Project: q.query.Get("project"), Session: q.query.Get("session_id")}
	var err error
	if in.Since, err = q.when("since", a.Engine.Now()); err != nil {
		return reply{}, err
	}
	m, err := a.Engine.Metrics(q.Context(), in)
	return reply{body: document.MetricsOf(in.Project, in.Session, m)}, err
}
