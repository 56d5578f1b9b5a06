package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// maxBody is what a request may send, in bytes: room for the longest content, even
// when every letter beyond ASCII in it is written as an escape.
const maxBody = 4 << 20

// Route is one line of the table of routes.
type Route struct {
	Method  string // "" is every method
	Path    string // as http.ServeMux has it: /sessions/{id}
	Token   bool   // needs the token, when one is set
	MaxBody int64  // bytes

	// Newer says that the route refuses what it does not know, and answers errors as
	// {"error":{…}}; the others ignore it, and answer {"error":"…"}.
	Newer bool
	// Query has the parameters that a newer route reads; "metadata" stands for
	// metadata.key, too.
	Query []string

	handle func(request) (reply, error) // nil when stream is set
	slow   bool                         // it may take minutes to answer
	stream http.Handler                 // answers by itself, for as long as it likes
}

// Routes returns the table, in the order of the documentation. Every request that
// fits none of them passes the same chain and is answered 404 or 405.
func (a *API) Routes() []Route { return slices.Clone(a.routes) }

// pattern is the route as http.ServeMux has it.
func (r Route) pattern() string {
	path := r.Path
	if path == "/" {
		path = "/{$}" // or the greeting would answer whatever nobody else does
	}
	return strings.TrimSpace(r.Method + " " + path)
}

// table is every route there is. What reads is GET and open; what changes is not GET
// and needs the token.
func (a *API) table() []Route {
	type handler = func(request) (reply, error)
	read := func(path string, h handler) Route {
		return Route{Method: http.MethodGet, Path: path, MaxBody: maxBody, handle: h}
	}
	write := func(method, path string, h handler) Route {
		return Route{Method: method, Path: path, Token: true, MaxBody: maxBody, handle: h}
	}
	newer := func(r Route, query ...string) Route {
		r.Newer, r.Query = true, query
		return r
	}
	slow := func(r Route) Route {
		r.slow = true
		return r
	}
	narrowing := []string{"project", "type", "scope", "tag", "metadata", "min_strength", "since", "until"}
	finding := []string{"q", "mode", "match", "match_mode", "fusion", "superseded", "hops", "rerank", "as_of"}
	routes := []Route{
		newer(read("/", a.greet)),
		read("/health", a.health),

		write("POST", "/sessions", a.startSession),
		read("/sessions/recent", a.recentSessions),
		read("/sessions/{id}", a.session),
		newer(read("/sessions/{id}/uses", a.sessionUses)),
		write("POST", "/sessions/{id}/end", a.endSession),
		write("DELETE", "/sessions/{id}", a.deleteSession),

		write("POST", "/observations", a.saveObservation),
		read("/observations", a.observations),
		read("/observations/recent", a.recentObservations),
		write("POST", "/observations/passive", a.capture),
		read("/observations/{id}", a.observation),
		write("PATCH", "/observations/{id}", a.updateObservation),
		write("DELETE", "/observations/{id}", a.deleteObservation),

		read("/search", a.search),
		read("/timeline", a.timeline),
		read("/context", a.context),
		newer(read("/recall", a.recall), slices.Concat(narrowing, finding, []string{"session_id", "again", "budget", "limit"})...),

		write("POST", "/prompts", a.savePrompt),
		read("/prompts/recent", a.recentPrompts),
		read("/prompts/search", a.searchPrompts),
		write("DELETE", "/prompts/{id}", a.deletePrompt),

		read("/stats", a.stats),
		read("/doctor", a.doctor),
		read("/project/current", a.currentProject),
		newer(read("/projects", a.projects)),
		write("POST", "/projects/migrate", a.migrateProject),
		newer(read("/projects/{name}/decay", a.projectDecay), "type"),
		newer(write("PATCH", "/projects/{name}/decay", a.setProjectDecay)),

		newer(read("/decay", a.decay), slices.Concat(narrowing, []string{"id", "below", "days", "curve", "limit", "offset"})...),
		newer(read("/review", a.reviews), "project", "limit", "offset"),
		newer(write("POST", "/review/{ref}/done", a.reviewDone)),
		newer(write("POST", "/review/{ref}/snooze", a.reviewSnooze)),

		slow(newer(write("POST", "/sleep", a.sleep))),
		slow(newer(write("POST", "/prune", a.prune))),
		slow(newer(read("/diagnostics", a.diagnostics), "project", "limit")),

		newer(read("/log", a.log), "ref", "project", "actor", "verb", "since", "until", "limit", "offset"),
		newer(write("POST", "/undo", a.undo)),
		newer(read("/history/{ref...}", a.history), "project", "from", "to"),
		newer(write("POST", "/restore", a.restore)),

		newer(write("POST", "/relations", a.link)),
		newer(write("DELETE", "/relations", a.unlink), "source", "target", "relation"),
		newer(read("/graph", a.graph), "ref", "project", "depth", "relation", "pending", "all_projects", "limit", "format"),

		read("/conflicts", a.conflicts),
		read("/conflicts/stats", a.conflictStats),
		read("/conflicts/deferred", a.deferred),
		read("/conflicts/{id}", a.conflict),
		slow(write("POST", "/conflicts/scan", a.scanConflicts)),
		write("POST", "/conflicts/judge", a.judgeConflict),
		write("POST", "/conflicts/compare", a.compareMemories),
		write("POST", "/conflicts/deferred/replay", a.replayDeferred),

		newer(write("POST", "/memories", a.saveMemory)),
		newer(write("POST", "/memories/batch", a.saveMemories)),
		newer(read("/memories", a.memories), slices.Concat(narrowing, finding, []string{"session_id", "forgotten", "limit", "offset"})...),
		newer(read("/memories/{ref...}", a.memory), "project", "session_id", "as_of"),
		newer(write("PATCH", "/memories/{ref...}", a.updateMemory), "project"),
		newer(write("DELETE", "/memories/{ref...}", a.deleteMemory), "project", "hard"),
	}
	if a.MCP != nil {
		routes = append(routes, newer(Route{Path: "/mcp", Token: true, MaxBody: maxBody, stream: a.MCP}))
	}
	return routes
}

// routeOf returns the route that r would take. It is for requests that went wrong
// before they took it.
func (a *API) routeOf(r *http.Request) Route {
	_, pattern := a.mux.Handler(r)
	for _, route := range a.routes {
		if route.pattern() == pattern {
			return route
		}
	}
	return a.fallback()
}

// fallback answers what no route does, unguarded by the token: it tells nothing.
func (a *API) fallback() Route {
	return Route{Path: "/", MaxBody: maxBody, handle: a.unknown}
}

// unknown is 405 where another method would do, else 404.
func (a *API) unknown(q request) (reply, error) {
	var allow []string
	newer := false // what the path answers with another method
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		probe := *q.Request
		probe.Method = method
		if _, pattern := a.mux.Handler(&probe); pattern != "/" {
			allow = append(allow, method)
			newer = a.routeOf(&probe).Newer
		}
	}
	if slices.Contains(allow, http.MethodGet) {
		allow = slices.Insert(allow, 1, http.MethodHead)
	}
	if len(allow) == 0 {
		err := engram.Errorf(engram.CodeNotFound, "no such route: %s", q.URL.Path).WithHint("GET / names the routes")
		return reply{}, err
	}
	err := engram.Errorf(engram.CodeInvalid, "%s is not for %s", q.Method, q.URL.Path).WithHint("use %s", strings.Join(allow, " or "))
	return reply{}, &refusal{status: http.StatusMethodNotAllowed, newer: newer, header: "Allow", value: strings.Join(allow, ", "), err: err}
}
