// Package httpapi is the HTTP frontend: JSON over net/http, a file per noun. A
// handler decodes, calls one verb of the engine and encodes; what it owns is names
// and shapes.
//
// One table (table.go) registers every route, and every request passes one chain:
// the guard and the route's token (guard.go), its body limit (body.go). A
// route that is not in the table does not exist, so none can forget the chain. What a
// route reads and answers stands in its row, too, and GET /openapi.json is written from
// it (openapi.go, schema.go).
//
// There are two sets of routes. The older ones (/observations, /sessions, /search …)
// speak the words and shapes that plugins of the mem_* world know: a memory is an
// observation, errors are {"error":"message"} with code and hint beside it, numbers
// that are none fall back to their default. The newer ones (/memories …) show whole
// memories, refuse what they do not understand, and answer errors as
// {"error":{"code","message","hint"}}.
package httpapi

import (
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

// Options make an API. Only Engine is required.
type Options struct {
	Engine  *engine.Engine
	Version string // what /health reports
	// Token returns the bearer token that everything which changes or exports needs;
	// it is read for each request. Nil, or "" as its answer, leaves all open.
	Token func() string
	// Exposed says that other machines can reach the server: then reading needs the
	// token too, and only /health does not.
	Exposed bool
	MCP     http.Handler // answers /mcp; nil: there is no such route
	Daemon  http.Handler // answers the program's own commands under /daemon/; nil: there is no such route
	Log     *slog.Logger // nil: nothing is logged
	// Hosts are names, beside those of the loopback address, by which clients may
	// call the server: the host it was told to listen on. An IPv6 address may stand
	// with or without brackets.
	Hosts   []string
	Dir     string         // the server's own folder, whose project /project/current tells
	Project string         // the project in force in Dir, when it was set by hand; "" detects it
	Zone    *time.Location // of the times in texts for people; nil is UTC
	// Chunks opens what the repository around Dir carries of a project; nil: nothing does.
	Chunks func(ctx context.Context, project string) (engram.Remote, error)
	// Measured turns GET /metrics on, and counts requests for it; nil: it is answered 404.
	Measured *Process
}

// API answers HTTP requests. It may be used by many goroutines.
type API struct {
	Options
	routes   []Route
	patterns map[string]Route // by their pattern
	mux      *http.ServeMux

	zip       compressors
	watchers  watchers
	requests  requests
	described func() (string, error) // the OpenAPI document, written once
}

// New returns an API. It starts nothing.
func New(o Options) *API {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Token == nil {
		o.Token = func() string { return "" }
	}
	a := &API{Options: o, mux: http.NewServeMux(), patterns: map[string]Route{}}
	a.routes = a.table()
	for _, route := range a.routes {
		a.patterns[route.pattern()] = route
		a.mux.Handle(route.pattern(), a.chain(route))
	}
	a.mux.Handle("/", a.chain(a.fallback()))
	a.described = sync.OnceValues(a.describe)
	// A path that would only do with a / at its end is no route; the mux would send its
	// client there.
	bare := map[string]bool{}
	for _, route := range a.routes {
		if base, ok := strings.CutSuffix(route.Path, "/{ref...}"); ok && !bare[base] {
			bare[base] = true
			a.mux.Handle(base, a.chain(a.fallback()))
		}
	}
	return a
}

// clean is a path without empty and dotted parts, escaped as it was; a / at its end stays.
func clean(escaped string) string {
	tidy := path.Clean("/" + escaped)
	if strings.HasSuffix(escaped, "/") && tidy != "/" {
		tidy += "/"
	}
	return tidy
}

// ServeHTTP answers one request. Whatever happens, the answer is JSON and tells
// nothing about the inside.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &answer{ResponseWriter: w}
	if a.Measured != nil {
		defer a.requests.count(out, r)
	}
	defer a.survive(out, r)
	h := out.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if err := a.guard(r); err != nil {
		a.fail(out, r, a.routeOf(r), err)
		return
	}
	if escaped := r.URL.EscapedPath(); clean(escaped) != escaped {
		a.chain(a.fallback()).ServeHTTP(out, r) // the mux would redirect
		return
	}
	a.mux.ServeHTTP(out, r)
}

// survive turns a panic into an answer. One that is under way cannot be taken back:
// its connection is broken, so that nobody takes it for whole.
func (a *API) survive(w *answer, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	a.Log.Error("a request panicked", "method", r.Method, "pattern", r.Pattern, "panic", p, "stack", string(debug.Stack()))
	if !w.started {
		a.fail(w, r, a.routeOf(r), engram.Errorf(engram.CodeInternal, "internal error"))
		return
	}
	if err := http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)); err != nil {
		a.Log.Error("a broken answer could not be cut off", "err", err)
	}
}

// answer is a ResponseWriter that knows whether anything was sent.
type answer struct {
	http.ResponseWriter
	started bool
	status  int // 0 until there is one
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

// Flush implements http.Flusher, which streams ask for.
func (w *answer) Flush() {
	w.started = true
	// A writer that cannot flush has nothing to be flushed.
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// How long the server waits for whom. A client on the same machine needs none of it;
// one that sends a byte a second must not hold a connection for ever.
const (
	headerTimeout = 10 * time.Second // from the first byte to the end of the header
	readTimeout   = 30 * time.Second // to the end of the body
	writeTimeout  = 2 * time.Minute  // from the header to the end of the answer; streams lift it
	idleTimeout   = 2 * time.Minute  // between two requests
	leaveTime     = 2 * time.Second  // for the rest of a body that nobody reads
	graceTime     = 5 * time.Second  // for requests under way when the server stops
	slowGrace     = 4 * time.Second  // for verbs that may take minutes: some of it is left for them to say so
	streamGrace   = time.Second      // for streams, which never end by themselves
)

// maxHeader is room for a question in the address: 100 kB of any bytes, each escaped.
const maxHeader = 512 << 10

// Serve answers requests on l with h until ctx ends, then gives those under way five seconds. It closes
// l. An error means that it stopped before it was told to. A nil log is silent.
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
		// OPTIONS * has to pass the guard like everything else.
		DisableGeneralOptionsHandler: true,
	}
	// Requests outlive ctx; those that want to know that it ended find it in their context.
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
	// ctx is over; what is under way has its own time.
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

// stopping is the key under which a request's context holds the one that Serve was
// given.
type stopping struct{}

// untilStop is the context of a request that may take long: it ends some time after the
// server is stopped.
func untilStop(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if server, ok := ctx.Value(stopping{}).(context.Context); ok {
		unhook := context.AfterFunc(server, func() { time.AfterFunc(grace, cancel) })
		return ctx, func() { unhook(); cancel() }
	}
	return ctx, cancel
}
