// Package httpapi is the HTTP frontend: JSON over net/http, a file per noun. A handler decodes, calls one
// operation of the engine and encodes.
//
// One table (table.go) registers every route: package route passes each request through one chain to its
// handler, and package openapi writes GET /openapi.json from the same table.
//
// There are two sets of routes. The older ones (/observations, /sessions, /search …) use the words and shapes
// of the mem_* world: a memory is an observation, errors are {"error":"message"} with code and hint beside it,
// invalid numbers fall back to their default. The newer ones (/memories …) return whole memories, reject what
// they do not understand, and answer errors as {"error":{"code","message","hint"}}.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/httpapi/openapi"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
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
	*route.Server

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
	how := route.Options{Token: o.Token, Exposed: o.Exposed, Hosts: o.Hosts, Log: o.Log, Request: requested}
	if o.Measured != nil {
		how.Answered = a.requests.count
	}
	a.Server = route.New(how, a.table())
	a.described = sync.OnceValues(func() (string, error) { return openapi.Document(a.Routes(), a.Version, a.NeedsToken) })
	return a
}
