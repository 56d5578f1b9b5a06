// Package app wires Engram together. It is the one package that knows every technology and every
// frontend's constructor; commands ask it for an App and use its Engine.
//
// The store opens on first use, so help never touches the disk, and an agent gets its list of tools
// before a database is opened, or even if it cannot be.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/daemon/logfile"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/httpapi"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/earlier"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
	"github.com/alanbuscaglia/engram/internal/replica/markdown"
)

// Options configure an App.
type Options struct {
	Config  config.Config
	Actor   string       // author of journal entries: "cli", "mcp", "http"
	Version string       // reported by servers
	Dir     string       // folder that determines the project if a call names none; absolute
	Log     *slog.Logger // nil: no logging
	// Warm lets a running server of the same store search for this App: a short process does not
	// gain from reading the index itself.
	Warm bool
	// Mapped maps the database into memory, for short processes (sqlite.Options).
	Mapped bool
	// Single uses one connection where possible, for a process with one task (sqlite.Options).
	Single bool
	// Try is for dry runs: a missing database is not created; an empty temporary one, removed by
	// Close, replaces it.
	Try bool
	// WriteWait limits how long a write waits for other programs. 0 is the store's default.
	WriteWait time.Duration
}

// App is an engine over a store, a SQLite file or a space of a Postgres database, with the servers for it. It may be used concurrently.
type App struct {
	Engine *engine.Engine

	opts  Options
	store *lazyStore
	jobs  *background
	lock  *daemon.Lock // nil: commands cannot find this App

	counting counting
	embedder engram.Embedder // shared by all engines, so that its table is read once; nil: no embedding
	asked    engram.Embedder // nil: embedder
	formers  *formers
	reranker engram.Reranker // nil: none
}

// New returns an App. It opens nothing; call Close anyway.
func New(o Options) *App {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	store := &lazyStore{}
	a := &App{opts: o, store: store}
	store.open = a.openStore
	if o.Try {
		store.open = a.orScratch(store.open)
	}
	a.counting = a.newCounting()
	a.embedder, a.asked = embeddersOf(o.Config)
	a.reranker, a.formers = rerankerOf(o.Config), &formers{}
	main := a.engineOptions(store, time.Now)
	main.Extractor = extractorOf(o.Config) // not for scratch engines, whose content is temporary
	main.Judge = judgeOf(o.Config)
	examined := clinic{path: o.Config.Place(), store: store, now: time.Now, off: a.OffState, earlier: a.earlier,
		hooks: func() health.Hooks { return lateHooks(o.Config.DataDir, "", o.Config.HookWithin, time.Now()) }, chunks: a.ownChunks, settings: o.Config.Remarks}
	if o.Config.OnServer() {
		space := a.space()
		examined.space = &space
	}
	main.Clinic = examined
	main.Traces = traces{backups: filepath.Join(filepath.Dir(o.Config.DBPath), "backups"), dir: o.Dir, log: o.Config.DBPath + "-wal", store: store}
	main.Tally, main.Collect = a.counting.tally, a.counting.collect
	main.Spool = newSpool
	main.Code, main.Caller.Dir = git.Code{}, o.Dir
	main.Resolved = o.Config.Origins["project"].Source != config.SourceFlag
	if o.Warm {
		main.Warm, main.Known = a.warm, a.known
	}
	a.Engine = engine.New(main)
	a.jobs = newBackground(a.embedMissing, a.sleepNightly, a.counting.run, a.writeNotes)
	return a
}

// engineOptions returns the options shared by all engines of this App.
func (a *App) engineOptions(store engram.Store, now func() time.Time) engine.Options {
	return engine.Options{Store: store, Folders: git.Folders{}, Now: now, NewID: newIDs(), Caller: ledger.Caller{Actor: a.opts.Actor}, Zone: a.opts.Config.Timezone,
		Policy: policyOf(a.opts.Config), Embedder: a.embedder, Asked: a.asked, Former: formerOf(a.opts.Config, a.asked, a.formers), Reranker: a.reranker, Aliases: a.opts.Config.Aliases,
		Formats: jsonfile.Formats(), Version: a.opts.Version}
}

// Ready opens the store now and returns why it cannot be opened, with the store's code.
func (a *App) Ready(ctx context.Context) error {
	_, err := a.store.get(ctx)
	return err
}

// Close stops background work and closes the store if it is open. The App is unusable afterwards.
func (a *App) Close() error {
	a.jobs.close()
	a.counting.end()
	a.Engine.Finish()
	err := errors.Join(a.store.Close(), closeModels(a.embedder, a.asked, a.formers, a.reranker))
	if a.lock != nil { // last: a process that waits for the lock finds everything in its final state
		err = errors.Join(err, a.lock.Release())
		a.lock = nil
	}
	return err
}

// ServeHTTP serves HTTP, and MCP under /mcp, until ctx ends; it finishes open requests and closes l.
func (a *App) ServeHTTP(ctx context.Context, l net.Listener) error {
	a.store.whenOpen(a.jobs.start)
	agents, err := mcp.NewChoices(a.mcp("", true))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	commands, err := a.announce(l.Addr(), stop)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	handler := httpapi.New(httpapi.Options{
		Engine: a.Engine.As(a.Engine.Caller().By("http")), Version: a.opts.Version, Dir: a.opts.Dir, Project: a.opts.Config.Project,
		Token:   func() string { return a.opts.Config.HTTPToken },
		Exposed: !config.Loopback(a.opts.Config.Host),
		MCP:     agents,
		Daemon:  commands,
		Log:     a.opts.Log,
		Hosts:   []string{a.opts.Config.Host},
		Zone:    a.opts.Config.Timezone,
		Chunks:  a.chunks,

		Measured: a.measured(),
	})
	return route.Serve(ctx, l, handler, a.opts.Log)
}

// ServeMCP speaks MCP until in ends or ctx does. tools lists profiles and tools, separated by
// commas; "" is the default profile, an unknown name CodeInvalid.
func (a *App) ServeMCP(ctx context.Context, in io.Reader, out io.Writer, tools string) error {
	a.store.whenOpen(a.jobs.start)
	server, err := mcp.New(a.mcp(tools, false))
	if err != nil {
		return err
	}
	return server.ServeStdio(ctx, in, out)
}

// askWithin limits how long a tool waits for the person's answer. Clients seem to abandon a call
// after a minute, and would then take saved memories for lost.
const askWithin = 45 * time.Second

func (a *App) mcp(tools string, remote bool) mcp.Options {
	return mcp.Options{
		Engine: a.Engine, Version: a.opts.Version, Tools: tools, Project: a.opts.Config.Project,
		Dir: a.opts.Dir, Remote: remote, Zone: a.opts.Config.Timezone, Log: a.opts.Log, AskWithin: askWithin,
		Instructions: instructions(), Off: a.whileOff,
	}
}

// newIDs returns a source of memory ids: ULIDs of the current millisecond that increase within a
// process even inside one millisecond. It may be called concurrently.
func newIDs() func() engram.ID {
	var mu sync.Mutex
	entropy := ulid.Monotonic(rand.Reader, 0)
	return func() engram.ID {
		mu.Lock()
		defer mu.Unlock()
		ms := ulid.Timestamp(time.Now())
		id, err := ulid.New(ms, entropy)
		if err != nil {
			// The counter of this millisecond overflowed: ids stay unique, but lose their order
			// within it. crypto/rand itself cannot fail.
			id, _ = ulid.New(ms, rand.Reader)
		}
		return engram.ID(engram.IDPrefix + strings.ToLower(id.String()))
	}
}

func policyOf(c config.Config) *lifecycle.Policy {
	p := lifecycle.DefaultPolicy()
	p.Decay, p.TypeDecay = c.Decay, c.TypeDecay
	if c.ReviewMonths != nil { // nil in a Config that was not loaded
		p.ReviewMonths = c.ReviewMonths
	}
	p.KeepJournal = time.Duration(c.JournalDays) * 24 * time.Hour
	return &p
}

// warmWait limits how long a search waits for the server before it searches itself. At 100,000
// memories a server answers in 30 ms, and a command by itself needs 60.
const warmWait = 200 * time.Millisecond

// knownWait is the same for the name of a project, which takes a server less than 1 ms.
const knownWait = warmWait / 4

// warm asks the server of the data directory to search, since it has the index in memory. ok is
// false if it cannot answer; then the caller searches, with the same result.
func (a *App) warm(ctx context.Context, in search.SearchInput) (found engram.Found, ok bool) {
	ok = a.ask(ctx, warmWait, daemon.OperationSearch, func() any { return warmSearch{settingsOf(a.opts.Config, time.Now()) + marksOf(a.inForce()), in} }, &found)
	return found, ok
}

// known asks the same server which project a name means: opening the database for that would cost a command more than
// the rest of its question.
func (a *App) known(ctx context.Context, name string) (canonical string, ok bool) {
	ok = a.ask(ctx, knownWait, daemon.OperationProject, func() any { return name }, &canonical)
	return canonical, ok
}

// ask asks the server of the data directory, if it is of this build and has this store open. ok is false if it refuses or
// does not answer in time.
func (a *App) ask(ctx context.Context, wait time.Duration, operation string, in func() any, out any) (ok bool) {
	c := a.opts.Config
	h, held, err := daemon.Look(c.DataDir)
	if err != nil || !held || !h.Here() || h.Version != a.opts.Version || h.Build != build() || h.Database != c.Place() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return h.Ask(ctx, c.HTTPToken, operation, in(), out) == nil
}

// measured returns the process metrics for Prometheus; nil if the settings do not ask for them.
func (a *App) measured() *httpapi.Process {
	if !a.opts.Config.Metrics {
		return nil
	}
	if a.opts.Config.OnServer() {
		return &httpapi.Process{Started: time.Now(), Files: func() (database, log int64) { return 0, 0 }}
	}
	return &httpapi.Process{Started: time.Now(), Files: func() (database, log int64) {
		return logfile.Size(a.opts.Config.DBPath), logfile.Size(a.opts.Config.DBPath + "-wal")
	}}
}

// ForeignOptions configure reading another system's store.
type ForeignOptions = source.Options

// ForeignWhere locates the usual places of other systems.
type ForeignWhere = foreign.Where

// ForeignSystems returns the names of the systems whose memories can be read.
func ForeignSystems() []string {
	return document.Each(foreign.Systems(), func(s source.System) string { return string(s) })
}

// Foreign opens another system's store; the caller closes it. Errors are those of foreign.Open.
func Foreign(ctx context.Context, system, path string, o ForeignOptions) (engram.Source, error) {
	return foreign.Open(ctx, source.System(system), path, o)
}

// ForeignPlaces returns a system's stores found in its usual places, and those places.
func ForeignPlaces(system string, w ForeignWhere) (found, usual []string) {
	return foreign.Places(source.System(system), w), foreign.Usual(source.System(system), w)
}

// EarlierAt returns which earlier Engram the database at path belongs to; "" for anything else.
func EarlierAt(ctx context.Context, path string) string { return earlier.Name(ctx, path) }

// VaultOptions configure how a vault's notes are written.
type VaultOptions struct {
	// Plain writes standard Markdown links instead of Obsidian's.
	Plain bool
	// Graph says what happens to Obsidian's graph settings: preserve, force or skip; "" is skip.
	Graph string
}

// Vault returns the vault in a folder, an absolute path. It opens nothing.
func (a *App) Vault(dir string, o VaultOptions) engram.Vault {
	return markdown.New(markdown.Options{Dir: dir, PlainLinks: o.Plain, Graph: markdown.GraphMode(o.Graph)})
}

// lazyStore opens a store on first use. The next call retries a failed open: a server outlives a
// disk that was full for a minute.
type lazyStore struct {
	open func(context.Context) (engram.Store, error)

	mu     sync.Mutex
	store  engram.Store
	opened func() // called once the store is open; may be nil
	closed bool
}

// whenOpen calls fn when the store opens, or now if it is open.
func (l *lazyStore) whenOpen(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = fn
	if l.store != nil {
		fn()
	}
}

// get returns the open store. Concurrent callers wait while it opens.
func (l *lazyStore) get(ctx context.Context) (engram.Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, engram.Errorf(engram.CodeUnavailable, "the store is closed")
	}
	if l.store == nil {
		s, err := l.open(ctx)
		if err != nil {
			return nil, err
		}
		l.store = s
		if l.opened != nil {
			l.opened()
		}
	}
	return l.store, nil
}

// View implements engram.Store.
func (l *lazyStore) View(ctx context.Context, fn func(engram.Reader) error) error {
	s, err := l.get(ctx)
	if err != nil {
		return err
	}
	return s.View(ctx, fn)
}

// Update implements engram.Store.
func (l *lazyStore) Update(ctx context.Context, fn func(engram.Tx) error) error {
	s, err := l.get(ctx)
	if err != nil {
		return err
	}
	return s.Update(ctx, fn)
}

// UpdateAfter implements engram.Store.
func (l *lazyStore) UpdateAfter(ctx context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	s, err := l.get(ctx)
	if err != nil {
		return err
	}
	return s.UpdateAfter(ctx, look, fn)
}

// Close implements engram.Store. It may be called twice, and without an open store does nothing.
func (l *lazyStore) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.store == nil {
		return nil
	}
	s := l.store
	l.store = nil
	return s.Close()
}

// logHolds reports whether the store's write-ahead log may still contain erased text, because a
// reader keeps it from being emptied.
func (l *lazyStore) logHolds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.store.(interface{ LogHolds() bool })
	return ok && s.LogHolds()
}
