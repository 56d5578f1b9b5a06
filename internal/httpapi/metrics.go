package httpapi

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
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
func (a *API) metrics(q *route.Request) (route.Reply, error) {
	if a.Measured == nil {
		return route.Reply{}, engram.Errorf(engram.CodeNotFound, "metrics are off").
			WithHint("enable them with {serve --metrics} or {config set metrics true}; GET /usage has numbers for people")
	}
	var x exposition
	a.measureOperations(&x)
	a.measureStore(q, &x)
	a.requests.measure(&x)
	a.measureProcess(&x)
	return route.Reply{Media: mediaPrometheus, Text: strings.TrimSuffix(x.String(), "\n")}, nil
}

func (a *API) measureOperations(x *exposition) {
	totals, times := a.Engine.Totals()
	x.family("engram_events_total", "counter", "Operations by outcome: what a save did, whether a read found something, or the code of an error.")
	for _, t := range totals {
		x.sample("engram_events_total", float64(t.Events), "verb", t.Operation, "outcome", t.Outcome)
	}
	sums := map[string]engram.Tally{}
	var operations []string
	for _, t := range totals {
		if t.Operation == engram.OperationSave {
			continue
		}
		if !slices.Contains(operations, t.Operation) {
			operations = append(operations, t.Operation)
		}
		sums[t.Operation] = sums[t.Operation].Plus(t.Tally)
	}
	for _, counter := range []struct {
		name, help string
		of         func(engram.Tally) int
	}{
		{"engram_fallbacks_total", "Reads where a channel could not answer, or an empty question listed the newest.", func(t engram.Tally) int { return t.Fallbacks }},
		{"engram_shown_memories_total", "Memories shown.", func(t engram.Tally) int { return t.Memories }},
		{"engram_shown_tokens_total", "Approximate tokens of shown memories.", func(t engram.Tally) int { return t.Tokens }},
	} {
		x.family(counter.name, "counter", counter.help)
		for _, o := range operations {
			x.sample(counter.name, float64(counter.of(sums[o])), "verb", o)
		}
	}
	x.family("engram_answer_seconds", "histogram", "Duration of operations.")
	for _, t := range times {
		x.histogram("engram_answer_seconds", t.Buckets[:], t.Sum, t.Count, "verb", t.Operation)
	}
}

func (a *API) measureStore(q *route.Request, x *exposition) {
	list, err := a.Engine.Projects(q.Context())
	up := 1.0
	if err != nil {
		up = 0
	}
	x.gauge("engram_store_up", "Whether the store could be read just now.", up)
	if err == nil {
		memories := 0
		for _, p := range list {
			memories += p.Memories
		}
		slices.SortFunc(list, func(a, b engram.ProjectCounts) int { return cmp.Or(b.Memories-a.Memories, cmp.Compare(a.Name, b.Name)) })
		x.gauge("engram_projects", "Projects.", float64(len(list)))
		x.gauge("engram_memories", "Live memories in projects.", float64(memories))
		x.family("engram_project_memories", "gauge", "Live memories of a project; only the "+strconv.Itoa(maxSeries)+" largest.")
		for _, p := range list[:min(len(list), maxSeries)] {
			x.sample("engram_project_memories", float64(p.Memories), "project", p.Name)
		}
	}
	database, log := a.Measured.Files()
	x.gauge("engram_database_bytes", "Size of the database file.", float64(database))
	x.gauge("engram_wal_bytes", "Size of the write-ahead log.", float64(log))
}

func (a *API) measureProcess(x *exposition) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	x.gauge("process_start_time_seconds", "When the server started, in seconds since 1970.", float64(a.Measured.Started.UnixMilli())/1000)
	x.gauge("engram_uptime_seconds", "Uptime of the server, in seconds.", a.Engine.Now().Sub(a.Measured.Started).Seconds())
	x.gauge("go_goroutines", "Goroutines.", float64(runtime.NumGoroutine()))
	x.gauge("go_memstats_heap_alloc_bytes", "Bytes of the heap that are in use.", float64(m.HeapAlloc))
	x.gauge("go_memstats_heap_objects", "Objects on the heap.", float64(m.HeapObjects))
	x.gauge("go_memstats_sys_bytes", "Bytes taken from the system.", float64(m.Sys))
	x.gauge("go_memstats_last_gc_time_seconds", "Time of the last garbage collection, in seconds since 1970.", float64(m.LastGC)/1e9)
	x.gauge("engram_build_info", "Version of the program; always 1.", 1, "version", a.Version, "goversion", runtime.Version())
}

// exposition writes Prometheus's text format: families, each followed by its samples.
type exposition struct{ strings.Builder }

func (x *exposition) family(name, kind, help string) {
	x.WriteString("# HELP " + name + " " + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help) + "\n# TYPE " + name + " " + kind + "\n")
}

func (x *exposition) gauge(name, help string, value float64, labels ...string) {
	x.family(name, "gauge", help)
	x.sample(name, value, labels...)
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
	for i, edge := range exposure.TimeEdges() {
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

func (c *requests) count(pattern string, status int) {
	to := answered{pattern, status}
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

func (c *requests) measure(x *exposition) {
	x.family("engram_http_requests_total", "counter", "Requests by route and status; without a route for unknown ones.")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, to := range slices.SortedFunc(maps.Keys(c.counts), func(a, b answered) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.status, b.status))
	}) {
		x.sample("engram_http_requests_total", float64(c.counts[to]), "route", to.route, "status", strconv.Itoa(to.status))
	}
}

// usage answers what was asked and saved, like `engram metrics`; /metrics is for Prometheus.
func (a *API) usage(q *route.Request) (route.Reply, error) {
	in := read.MetricsInput{Project: q.Query.Get("project"), Session: q.Query.Get("session_id"),
		Since: q.When("since", a.Engine.Now())}
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	m, err := a.Engine.Metrics(q.Context(), in)
	return route.Reply{Body: document.MetricsOf(in.Project, in.Session, m)}, err
}
