package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// maxBody is what a request may send, in bytes: room for the longest content, even
// when every letter beyond ASCII in it is written as an escape.
const maxBody = 4 << 20

// Route is one line of the table of routes. What a handler may read and answer stands
// here and nowhere else: a parameter that is not in Params never reaches it, a body of
// another type than Body is an error of ours, and GET /openapi.json is written from it.
type Route struct {
	Method  string // "" is every method
	Path    string // as http.ServeMux has it: /sessions/{id}
	Summary string // what it does, in a few words
	Token   bool   // needs the token, when one is set
	MaxBody int64  // bytes

	// Newer says that the route refuses what it does not know, and answers errors as
	// {"error":{…}}; the others ignore it, and answer {"error":"…"}.
	Newer    bool
	RPC      bool     // answers errors as JSON-RPC does
	Params   []Param  // what may stand in the query
	Body     any      // a value of the type that is decoded; nil when no body is read
	Optional bool     // the body may be left out
	Answers  []Answer // when all goes well, the usual one first
	Fails    []int    // statuses of errors, beside those that any route may answer
	Hidden   bool     // no part of the API: only the program's own commands ask it

	handle func(request) (reply, error)                 // nil when stream is set
	slow   bool                                         // it may take minutes to answer
	stream func(w http.ResponseWriter, q request) error // answers by itself, for as long as it likes
	unread bool                                         // the body, up to MaxBody, is left to be read from the request
}

// Answer is one kind of success.
type Answer struct {
	Status int
	Body   any    // a value of the type that is encoded; a string where Media is a text; nil for no body
	Media  string // "" is application/json
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

// grace is what a request that may take long has left when the server is stopped: what
// does something may finish; an open stream of MCP has nothing to finish.
func (r Route) grace(method string) time.Duration {
	if r.Path == "/mcp" && method == http.MethodGet {
		return streamGrace
	}
	return slowGrace
}

// name is the route as people read it.
func (r Route) name() string {
	return strings.TrimSpace(r.Method + " " + strings.Replace(r.Path, "...}", "}", 1))
}

// read is a row for what only reads: open, unless other machines reach the server.
func read(path string, h func(request) (reply, error), summary string) Route {
	return Route{Method: http.MethodGet, Path: path, Summary: summary, MaxBody: maxBody, handle: h}
}

// write is a row for what changes something, or gives much away: it needs the token.
func write(method, path string, h func(request) (reply, error), summary string) Route {
	return Route{Method: method, Path: path, Summary: summary, Token: true, MaxBody: maxBody, handle: h}
}

// decoded is the handler of a route that takes a body.
func decoded[T any](h func(request, T) (reply, error)) func(request) (reply, error) {
	return func(q request) (reply, error) {
		in, err := decode[T](q)
		if err != nil {
			return reply{}, err
		}
		return h(q, in)
	}
}

// newer says that r refuses what it does not know.
func (r Route) newer() Route { r.Newer = true; return r }

// long says that r may take minutes.
func (r Route) long() Route { r.slow = true; return r }

// query names what r reads from the query.
func (r Route) query(ps ...Param) Route { r.Params = append(slices.Clip(r.Params), ps...); return r }

// streams says that h answers r by itself, for as long as it likes.
func (r Route) streams(h func(w http.ResponseWriter, q request) error) Route {
	r.stream = h
	return r
}

// unreads leaves the body, of at most so many bytes, to whoever answers.
func (r Route) unreads(most int64) Route { r.MaxBody, r.unread = most, true; return r }

// takes says that r decodes a body of v's type, may that it decodes it when there is one.
func (r Route) takes(v any) Route { r.Body = v; return r }
func (r Route) may(v any) Route   { r.Body, r.Optional = v, true; return r }

// gives says that r answers v's type as JSON: with 200, or with any of the statuses.
func (r Route) gives(v any, statuses ...int) Route {
	if len(statuses) == 0 {
		statuses = []int{http.StatusOK}
	}
	for _, status := range statuses {
		r.Answers = append(slices.Clip(r.Answers), Answer{Status: status, Body: v})
	}
	return r
}

// tells says that r may answer a text of these media types instead.
func (r Route) tells(media ...string) Route {
	for _, m := range media {
		r.Answers = append(slices.Clip(r.Answers), Answer{Status: http.StatusOK, Body: "", Media: m})
	}
	return r
}

// fails names the errors that r has beside those of every route.
func (r Route) fails(statuses ...int) Route { r.Fails = statuses; return r }

// routeOf returns the route that r would take. It is for requests that went wrong
// before they took it.
func (a *API) routeOf(r *http.Request) Route {
	if clean(r.URL.EscapedPath()) != r.URL.EscapedPath() {
		return a.fallback()
	}
	_, pattern := a.mux.Handler(r)
	if route, ok := a.patterns[pattern]; ok {
		return route
	}
	return a.fallback()
}

// fallback answers what no route does, unguarded by the token: it tells nothing.
func (a *API) fallback() Route {
	return Route{Path: "/", MaxBody: maxBody, handle: a.unknown}
}

// unknown is 405 where another method would do, else 404.
func (a *API) unknown(q request) (reply, error) {
	path := q.URL.EscapedPath()
	if tidy := clean(path); tidy != path {
		err := engram.Errorf(engram.CodeNotFound, "no such route: %s", q.URL.Path).WithHint("%s is not the same; write a / inside a name as %%2F", tidy)
		return reply{}, err
	}
	var allow []string
	newer := false // what the path answers with another method
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		probe := *q.Request
		probe.Method = method
		if _, pattern := a.mux.Handler(&probe); a.patterns[pattern].Path != "" {
			allow = append(allow, method)
			newer = a.patterns[pattern].Newer
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
