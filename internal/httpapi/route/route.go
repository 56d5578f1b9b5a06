package route

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// MaxBody is the size limit of a request in bytes: room for the longest content with every non-ASCII letter
// escaped.
const MaxBody = 4 << 20

// Route is one row of the table of routes, and all that a handler may read and answer: a parameter that is not
// in Params never reaches it, and a body of another type than Body is an internal error.
type Route struct {
	Method  string // "" for every method
	Path    string // as http.ServeMux has it: /sessions/{id}
	Summary string // for people, in a few words
	Token   bool   // requires the token, when one is set
	MaxBody int64  // bytes

	// Newer routes reject unknown parameters and fields and answer errors as {"error":{…}}. Older ones ignore
	// them and answer {"error":"…"}.
	Newer    bool
	RPC      bool     // answers errors as JSON-RPC does
	Params   []Param  // of the query
	Body     any      // a value of the type to decode; nil when no body is read
	Optional bool     // the body may be left out
	Answers  []Answer // on success, the usual one first
	Fails    []int    // error statuses beside those of every route
	Hidden   bool     // not part of the API: only the program's own commands call it

	handle func(*Request) (Reply, error)                 // nil when stream is set
	slow   bool                                          // may take minutes
	Stream func(w http.ResponseWriter, q *Request) error // answers by itself, without a time limit
	unread bool                                          // the handler reads the body itself, up to MaxBody
}

// Answer is one kind of success.
type Answer struct {
	Status int
	Body   any    // a value of the encoded type; a string where Media is text; nil for no body
	Media  string // "" is application/json
}

// pattern returns the route as http.ServeMux expects it.
func (r Route) pattern() string {
	path := r.Path
	if path == "/" {
		path = "/{$}" // the exact path only
	}
	return strings.TrimSpace(r.Method + " " + path)
}

// grace returns how long a slow request may continue after the server is stopped. An open MCP stream never
// finishes by itself.
func (r Route) grace(method string) time.Duration {
	if r.Path == "/mcp" && method == http.MethodGet {
		return streamGrace
	}
	return slowGrace
}

// Name returns the route for display.
func (r Route) Name() string {
	return strings.TrimSpace(r.Method + " " + strings.Replace(r.Path, "...}", "}", 1))
}

// Read is a row for a reading route: it needs the token only where other machines can reach the server.
func Read(path string, h func(*Request) (Reply, error), summary string) Route {
	return Route{Method: http.MethodGet, Path: path, Summary: summary, MaxBody: MaxBody, handle: h}
}

// Write is a row for a route that changes or exposes much: it needs the token.
func Write(method, path string, h func(*Request) (Reply, error), summary string) Route {
	return Route{Method: method, Path: path, Summary: summary, Token: true, MaxBody: MaxBody, handle: h}
}

// Decoded adapts a handler that takes a decoded body.
func Decoded[T any](h func(*Request, T) (Reply, error)) func(*Request) (Reply, error) {
	return func(q *Request) (Reply, error) {
		in := Decode[T](q)
		if q.Err != nil {
			return Reply{}, q.Err
		}
		return h(q, in)
	}
}

// AsNewer makes r reject unknown parameters and fields.
func (r Route) AsNewer() Route { r.Newer = true; return r }

// Long marks r as possibly taking minutes.
func (r Route) Long() Route { r.slow = true; return r }

// Query adds parameters.
func (r Route) Query(ps ...Param) Route { r.Params = append(slices.Clip(r.Params), ps...); return r }

// StreamedBy lets h answer r by itself, without a time limit.
func (r Route) StreamedBy(h func(w http.ResponseWriter, q *Request) error) Route {
	r.Stream = h
	return r
}

// Unreads leaves reading the body, of at most that many bytes, to the handler.
func (r Route) Unreads(most int64) Route { r.MaxBody, r.unread = most, true; return r }

// Takes makes r decode a body of v's type.
func (r Route) Takes(v any) Route { r.Body = v; return r }

// May is Takes for a body that may be left out.
func (r Route) May(v any) Route { r.Body, r.Optional = v, true; return r }

// Gives adds a JSON answer of v's type with 200, or with each of the statuses.
func (r Route) Gives(v any, statuses ...int) Route {
	if len(statuses) == 0 {
		statuses = []int{http.StatusOK}
	}
	for _, status := range statuses {
		r.Answers = append(slices.Clip(r.Answers), Answer{Status: status, Body: v})
	}
	return r
}

// Texts adds text answers of these media types.
func (r Route) Texts(media ...string) Route {
	for _, m := range media {
		r.Answers = append(slices.Clip(r.Answers), Answer{Status: http.StatusOK, Body: "", Media: m})
	}
	return r
}

// FailsWith sets the error statuses of r beside those of every route.
func (r Route) FailsWith(statuses ...int) Route { r.Fails = statuses; return r }
