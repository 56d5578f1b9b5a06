// Package route is HTTP without nouns: what a route is (Route, Param), what its handler is given and gives
// (Request, Reply), and the Server that passes each request of a table of routes through one chain: the
// guard and the token (guard.go), the body (body.go), the handler (chain.go), and the answer (answer.go) or the error in
// the route's form (errors.go).
//
// Newer routes reject what they do not understand; older ones ignore it, for clients that rely on it.
package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Options configure a server. Log is required.
type Options struct {
	// Token returns the bearer token required by routes that change or export, and is called for each request.
	// Nil or "" leaves everything open.
	Token   func() string
	Exposed bool     // other machines can reach the server: reading needs the token too
	Hosts   []string // names by which clients may call the server beside those of the loopback address
	Log     *slog.Logger
	// Request writes a command that a hint names as the request that does the same.
	Request func(engram.Call) string
	// Answered is told the pattern ("" or "/" for no route) and status of each answer, concurrently; may be nil.
	Answered func(pattern string, status int)
}

// Server answers requests by a table of routes. It is safe for concurrent use.
type Server struct {
	Options
	routes   []Route
	patterns map[string]Route // by pattern
	mux      *http.ServeMux
	zip      compressors
}

// New returns a server of routes. It starts nothing.
func New(o Options, routes []Route) *Server {
	if o.Token == nil {
		o.Token = func() string { return "" }
	}
	s := &Server{Options: o, routes: routes, mux: http.NewServeMux(), patterns: map[string]Route{}}
	for _, r := range routes {
		s.patterns[r.pattern()] = r
		s.mux.Handle(r.pattern(), s.chain(r))
	}
	s.mux.Handle("/", s.chain(s.fallback()))
	// The mux would redirect a path without its trailing slash, which is no route.
	bare := map[string]bool{}
	for _, r := range routes {
		if base, ok := strings.CutSuffix(r.Path, "/{ref...}"); ok && !bare[base] {
			bare[base] = true
			s.mux.Handle(base, s.chain(s.fallback()))
		}
	}
	return s
}

// clean removes empty and dot segments from an escaped path; a trailing / stays.
func clean(escaped string) string {
	tidy := path.Clean("/" + escaped)
	if strings.HasSuffix(escaped, "/") && tidy != "/" {
		tidy += "/"
	}
	return tidy
}

// ServeHTTP answers one request, always in JSON and without internal details.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &answer{ResponseWriter: w}
	if s.Answered != nil {
		defer func() { s.Answered(r.Pattern, cmp.Or(out.status, http.StatusOK)) }()
	}
	defer s.survive(out, r)
	h := out.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if err := s.guard(r); err != nil {
		s.fail(out, r, s.RouteOf(r), err)
		return
	}
	if escaped := r.URL.EscapedPath(); clean(escaped) != escaped {
		s.chain(s.fallback()).ServeHTTP(out, r) // the mux would redirect
		return
	}
	s.mux.ServeHTTP(out, r)
}

// survive turns a panic into an error answer. When an answer has already begun it breaks the connection, so
// that the client does not take it as complete.
func (s *Server) survive(w *answer, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	s.Log.Error("a request panicked", "method", r.Method, "pattern", r.Pattern, "panic", p, "stack", string(debug.Stack()))
	if !w.started {
		s.fail(w, r, s.RouteOf(r), engram.Errorf(engram.CodeInternal, "internal error"))
		return
	}
	if err := http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)); err != nil {
		s.Log.Error("a broken answer could not be cut off", "err", err)
	}
}

// answer is a ResponseWriter that records whether anything was sent.
type answer struct {
	http.ResponseWriter
	started bool
	status  int // 0 before the header
}

// WriteHeader implements http.ResponseWriter.
func (w *answer) WriteHeader(status int) {
	w.started = true
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answer) Write(b []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(b)
}

// Flush implements http.Flusher, which streams need.
func (w *answer) Flush() {
	w.started = true
	// A writer that cannot flush has nothing to flush.
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Routes returns the table in the order of the documentation. A request that matches no route passes the same
// chain and is answered 404 or 405.
func (s *Server) Routes() []Route { return slices.Clone(s.routes) }

// RouteOf returns the route that r would reach, for requests that fail before they reach it.
func (s *Server) RouteOf(r *http.Request) Route {
	if clean(r.URL.EscapedPath()) != r.URL.EscapedPath() {
		return s.fallback()
	}
	_, pattern := s.mux.Handler(r)
	if route, ok := s.patterns[pattern]; ok {
		return route
	}
	return s.fallback()
}

// fallback answers requests that match no route. It needs no token, because it reveals nothing.
func (s *Server) fallback() Route {
	return Route{Path: "/", MaxBody: MaxBody, handle: s.unknown}
}

// unknown answers 405 where another method would match, else 404.
func (s *Server) unknown(q *Request) (Reply, error) {
	path := q.URL.EscapedPath()
	if tidy := clean(path); tidy != path {
		err := engram.Errorf(engram.CodeNotFound, "no such route: %s", q.URL.Path).WithHint("%s is not the same; write a / inside a name as %%2F", tidy)
		return Reply{}, err
	}
	var allow []string
	newer := false // whether the routes of this path are newer ones
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		probe := *q.Request
		probe.Method = method
		if _, pattern := s.mux.Handler(&probe); s.patterns[pattern].Path != "" {
			allow = append(allow, method)
			newer = s.patterns[pattern].Newer
		}
	}
	if slices.Contains(allow, http.MethodGet) {
		allow = slices.Insert(allow, 1, http.MethodHead)
	}
	if len(allow) == 0 {
		err := engram.Errorf(engram.CodeNotFound, "no such route: %s", q.URL.Path).WithHint("GET / lists the routes")
		return Reply{}, err
	}
	err := engram.Errorf(engram.CodeInvalid, "%s is not allowed for %s", q.Method, q.URL.Path).WithHint("use %s", strings.Join(allow, " or "))
	return Reply{}, &refusal{status: http.StatusMethodNotAllowed, newer: newer, header: "Allow", value: strings.Join(allow, ", "), err: err}
}

// Time limits. They keep a client that sends a byte a second from holding a connection forever.
const (
	headerTimeout = 10 * time.Second // from the first byte to the end of the header
	ReadTimeout   = 30 * time.Second // to the end of the body
	WriteTimeout  = 2 * time.Minute  // from the header to the end of the answer; streams lift it
	idleTimeout   = 2 * time.Minute  // between two requests
	leaveTime     = 2 * time.Second  // for the rest of an unread body
	graceTime     = 5 * time.Second  // for requests in progress when the server stops
	slowGrace     = 4 * time.Second  // for slow operations: the rest of graceTime is left for their error answer
	streamGrace   = time.Second      // for streams, which never end by themselves
)

// maxHeader is room for a question of 100 kB in the URL, every byte escaped.
const maxHeader = 512 << 10

// Serve answers requests on l with h until ctx ends, then gives those in progress five seconds and closes l. It
// returns an error when it stops before ctx ends or cannot stop cleanly. A nil log is silent.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       ReadTimeout,
		WriteTimeout:      WriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// OPTIONS * must pass the guard as well.
		DisableGeneralOptionsHandler: true,
	}
	// Requests outlive ctx; slow ones find it in their context (untilStop).
	srv.BaseContext = func(net.Listener) context.Context {
		return context.WithValue(context.WithoutCancel(ctx), stopping{}, ctx)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return errors.Join(fmt.Errorf("serve HTTP: %w", err), srv.Close())
	case <-ctx.Done():
	}
	// ctx has ended; requests in progress get their own time.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	err := srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Info("requests were broken off after the server was stopped", "grace", graceTime)
		err = srv.Close()
	}
	if stopped := <-failed; !errors.Is(stopped, http.ErrServerClosed) {
		err = errors.Join(err, stopped)
	}
	if err != nil {
		return fmt.Errorf("stop HTTP: %w", err)
	}
	return nil
}

// stopping is the context key of the ctx passed to Serve.
type stopping struct{}

// UntilStop returns a context that ends some time after the server is stopped.
func UntilStop(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if server, ok := ctx.Value(stopping{}).(context.Context); ok {
		unhook := context.AfterFunc(server, func() { time.AfterFunc(grace, cancel) })
		return ctx, func() { unhook(); cancel() }
	}
	return ctx, cancel
}
