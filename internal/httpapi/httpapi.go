// Package httpapi is the HTTP frontend: JSON over net/http, a file per noun. A handler decodes, calls one
// operation of the engine and encodes.
//
// One table (table.go) registers every route, and every request passes one chain: the guard and the token
// (guard.go), then the body limit (body.go). GET /openapi.json is written from the same table (openapi.go,
// schema.go).
//
// There are two sets of routes. The older ones (/observations, /sessions, /search …) use the words and shapes
// of the mem_* world: a memory is an observation, errors are {"error":"message"} with code and hint beside it,
// invalid numbers fall back to their default. The newer ones (/memories …) return whole memories, reject what
// they do not understand, and answer errors as {"error":{"code","message","hint"}}.
package httpapi

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
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// Options configure an API. Only Engine is required.
type Options struct {
	Engine  *engine.Engine
	Version string // reported by /health
	// Token returns the bearer token required by routes that change or export, and is called for each request.
	// Nil or "" leaves everything open.
	Token func() string
	// Exposed says that other machines can reach the server. Then reading needs the token too; only /health
	// does not.
	Exposed bool
	MCP     http.Handler // answers /mcp; nil for no such route
	Daemon  http.Handler // answers the program's own commands under /daemon/; nil for no such route
	Log     *slog.Logger // nil logs nothing
	// Hosts are names by which clients may call the server beside those of the loopback address: the host it
	// listens on. IPv6 addresses may have brackets.
	Hosts   []string
	Dir     string         // the server's folder, whose project /project/current reports
	Project string         // the configured project of Dir; "" detects it
	Zone    *time.Location // of times in texts; nil is UTC
	// Chunks opens the chunks of a project in the repository around Dir; nil for none.
	Chunks   func(ctx context.Context, project string) (engram.Remote, error)
	Measured *Process // enables GET /metrics and counts requests for it; nil answers 404
}

// API answers HTTP requests. It is safe for concurrent use.
type API struct {
	Options
	*server

	watchers  chan struct{} // a value for each current one
	requests  requests
	described func() (string, error) // returns the OpenAPI document, built once
}

// New returns an API. It starts nothing.
func New(o Options) *API {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{Options: o, watchers: make(chan struct{}, maxWatchers)}
	how := serverOptions{Token: o.Token, Exposed: o.Exposed, Hosts: o.Hosts, Log: o.Log, Request: requested}
	if o.Measured != nil {
		how.Answered = a.requests.count
	}
	a.server = newServer(how, a.table())
	a.described = sync.OnceValues(func() (string, error) { return describe(a.Routes(), a.Version, a.needsToken) })
	return a
}

// serverOptions configure a server. Log is required.
type serverOptions struct {
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

// server answers requests by a table of routes. It is safe for concurrent use.
type server struct {
	serverOptions
	routes   []Route
	patterns map[string]Route // by pattern
	mux      *http.ServeMux
	zip      compressors
}

// newServer returns a server of routes. It starts nothing.
func newServer(o serverOptions, routes []Route) *server {
	if o.Token == nil {
		o.Token = func() string { return "" }
	}
	s := &server{serverOptions: o, routes: routes, mux: http.NewServeMux(), patterns: map[string]Route{}}
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
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
		s.fail(out, r, s.routeOf(r), err)
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
func (s *server) survive(w *answer, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	s.Log.Error("a request panicked", "method", r.Method, "pattern", r.Pattern, "panic", p, "stack", string(debug.Stack()))
	if !w.started {
		s.fail(w, r, s.routeOf(r), engram.Errorf(engram.CodeInternal, "internal error"))
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

// Time limits. They keep a client that sends a byte a second from holding a connection forever.
const (
	headerTimeout = 10 * time.Second // from the first byte to the end of the header
	readTimeout   = 30 * time.Second // to the end of the body
	writeTimeout  = 2 * time.Minute  // from the header to the end of the answer; streams lift it
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
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
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

// untilStop returns a context that ends some time after the server is stopped.
func untilStop(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if server, ok := ctx.Value(stopping{}).(context.Context); ok {
		unhook := context.AfterFunc(server, func() { time.AfterFunc(grace, cancel) })
		return ctx, func() { unhook(); cancel() }
	}
	return ctx, cancel
}
