// Package app wires Engram: it is the one package that knows every technology and
// every frontend's constructor. Commands ask it for an App and talk to its Engine.
//
// Opening is lazy: an App costs nothing until the first verb needs the store, so
// help never touches the disk and an agent gets its list of tools before a
// database is opened, or although it cannot be.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/httpapi"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
	"github.com/alanbuscaglia/engram/internal/replica/markdown"
)

// Options make an App.
type Options struct {
	Config  config.Config
	Actor   string       // who writes, for the journal: "cli", "mcp", "http"
	Version string       // what servers report
	Dir     string       // folder that decides the project of calls that name none; absolute
	Log     *slog.Logger // nil: nothing is logged
	// Warm lets a server of the same store search for this App, for a process too short
	// to gain from what it reads.
	Warm bool
	// Mapped reads the database where the system has it, for a process too short to gain
	// from copies of it: sqlite.Options.
	Mapped bool
	// Single reads and writes on one connection where it can, for a process that does one thing:
	// sqlite.Options.
	Single bool
	// Try is for a process that only says what it would do: a database that is not there is
	// not made, and what is tried is tried in an empty one that goes with the App.
	Try bool
	// WriteWait is how long a write waits for other programs. 0 is the store's own patience.
	WriteWait time.Duration
}

// App is an engine over a SQLite file, with what it takes to serve it. It may be
// used by many goroutines.
type App struct {
	Engine *engine.Engine

	opts  Options
	store *lazyStore
	jobs  *background
	lock  *daemon.Lock // nil: commands do not know of this App

	counting counting
	embedder engram.Embedder // of every engine: its table is read once; nil: there is none
}

// New returns an App. It opens nothing; Close it all the same.
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
	if o.Config.EmbeddingModel != config.NoModel {
		a.embedder = static.New()
	}
	main := a.engineOptions(store, time.Now)
	main.Extractor = extractorOf(o.Config) // and not of scratch engines: what they hold is nobody's memory
	main.Judge = judgeOf(o.Config)
	main.Clinic = clinic{path: o.Config.DBPath, store: store, now: time.Now, off: a.OffState, earlier: a.earlier,
		hooks: func() health.Hooks { return lateHooks(o.Config.DataDir, "", o.Config.HookWithin, time.Now()) }, chunks: a.ownChunks, settings: o.Config.Remarks}
	main.Traces = a.tracesIn()
	main.Tally, main.Collect = a.counting.tally, a.counting.collect
	main.Spool = newSpool
	main.Code, main.Dir = git.Code{}, o.Dir
	main.Resolved = o.Config.Origins["project"].Source != config.SourceFlag
	if o.Warm {
		main.Warm = a.warm
	}
	a.Engine = engine.New(main)
	a.jobs = newBackground(a.embedMissing, a.sleepNightly, a.counting.run, a.writeNotes)
	return a
}

// engineOptions are those of every engine of this App.
func (a *App) engineOptions(store engram.Store, now func() time.Time) engine.Options {
	o := engine.Options{Store: store, Folders: git.Folders{}, Now: now, NewID: newIDs(), Actor: a.opts.Actor, Zone: a.opts.Config.Timezone,
		Policy: policyOf(a.opts.Config), Embedder: a.embedder,
		Formats: jsonfile.Formats(), Version: a.opts.Version}
	return o
}

// Ready opens the store now, for a caller that wants to know whether it can be
// opened. Errors carry the store's codes.
func (a *App) Ready(ctx context.Context) error {
	_, err := a.store.get(ctx)
	return err
}

// Close ends what runs beside the answers and closes the store, if it was opened. The App cannot be used afterwards.
func (a *App) Close() error {
	a.jobs.close()
	a.counting.end()
	a.Engine.Finish()
	err := a.store.Close()
	if a.lock != nil { // last: who waits for it finds everything as it stays
		err = errors.Join(err, a.lock.Release())
		a.lock = nil
	}
	return err
}

// ServeHTTP answers HTTP, and MCP under /mcp, until ctx ends; requests under way
// are finished first. It closes l.
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
		Engine: a.Engine.As("http"), Version: a.opts.Version, Dir: a.opts.Dir, Project: a.opts.Config.Project,
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
	return httpapi.Serve(ctx, l, handler, a.opts.Log)
}

// ServeMCP speaks MCP until in ends or ctx does. tools names profiles and tools by commas; "" is the
// default profile, an unknown name CodeInvalid.
func (a *App) ServeMCP(ctx context.Context, in io.Reader, out io.Writer, tools string) error {
	a.store.whenOpen(a.jobs.start)
	server, err := mcp.New(a.mcp(tools, false))
	if err != nil {
		return err
	}
	return server.ServeStdio(ctx, in, out)
}

// askWithin is how long a tool waits for the person it asks. Clients give a call up after
// a minute, as far as is known, and would take what was saved for not saved.
const askWithin = 45 * time.Second

func (a *App) mcp(tools string, remote bool) mcp.Options {
	return mcp.Options{
		Engine: a.Engine, Version: a.opts.Version, Tools: tools, Project: a.opts.Config.Project,
		Dir: a.opts.Dir, Remote: remote, Zone: a.opts.Config.Timezone, Log: a.opts.Log, AskWithin: askWithin,
		Instructions: instructions(), Off: a.whileOff,
	}
}

// newIDs returns a source of memory ids: ULIDs of the current millisecond that rise
// within a process even inside one millisecond. It may be called by many goroutines.
func newIDs() func() engram.ID {
	var mu sync.Mutex
	entropy := ulid.Monotonic(rand.Reader, 0)
	return func() engram.ID {
		mu.Lock()
		defer mu.Unlock()
		ms := ulid.Timestamp(time.Now())
		id, err := ulid.New(ms, entropy)
		if err != nil {
			// The counter of this millisecond ran over: order within it is lost,
			// uniqueness is not. crypto/rand itself cannot fail.
			id, _ = ulid.New(ms, rand.Reader)
		}
		return engram.ID(engram.IDPrefix + strings.ToLower(id.String()))
	}
}

// policyOf is the policy of the life of memories, as the settings have it.
func policyOf(c config.Config) *lifecycle.Policy {
	p := lifecycle.DefaultPolicy()
	p.Decay, p.TypeDecay = c.Decay, c.TypeDecay
	if c.ReviewMonths != nil { // nil is a Config that nobody loaded
		p.ReviewMonths = c.ReviewMonths
	}
	p.KeepJournal = time.Duration(c.JournalDays) * 24 * time.Hour
	return &p
}

// warmPatience is how long a search waits for the server before it goes on alone. At
// 100,000 memories a server answers in 30 ms, and a command of its own needs 60.
const warmPatience = 200 * time.Millisecond

// warm asks the server of the data directory to search, since it has in memory what a command would
// have to read. When it cannot answer, ok is false and the caller searches; the finds are the same.
func (a *App) warm(ctx context.Context, in engine.SearchInput) (found engram.Found, ok bool) {
	c := a.opts.Config
	h, held, err := daemon.Look(c.DataDir)
	if err != nil || !held || !h.Here() || h.Version != a.opts.Version || h.Build != build() || h.Database != c.DBPath {
		return found, false
	}
	settings := settingsOf(c, time.Now())
	if settings == "" {
		return found, false
	}
	ctx, cancel := context.WithTimeout(ctx, warmPatience)
	defer cancel()
	err = h.Ask(ctx, c.HTTPToken, daemon.OperationSearch, warmSearch{Settings: settings, In: in}, &found)
	return found, err == nil
}

// measured is what Prometheus is told of this process; nil where the settings do not ask
// for it.
func (a *App) measured() *httpapi.Process {
	if !a.opts.Config.Metrics {
		return nil
	}
	return &httpapi.Process{Started: time.Now(), Files: func() (database, log int64) {
		return size(a.opts.Config.DBPath), size(a.opts.Config.DBPath + "-wal")
	}}
}

// size is that of a file, 0 when there is none. It is looked at and not opened: closing
// it would drop the locks of SQLite.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// ForeignOptions say how what another system keeps is read.
type ForeignOptions = foreign.Options

// ForeignWhere says where the usual places of other systems are.
type ForeignWhere = foreign.Where

// ForeignSystems are the names of the systems whose memory can be read.
func ForeignSystems() []string {
	var names []string
	for _, s := range foreign.Systems() {
		names = append(names, string(s))
	}
	return names
}

// Foreign opens what a system keeps at path; the caller closes it. Errors are those of
// foreign.Open.
func Foreign(ctx context.Context, system, path string, o ForeignOptions) (engram.Source, error) {
	return foreign.Open(ctx, foreign.System(system), path, o)
}

// ForeignPlaces are what a system keeps in its usual places, and those places.
func ForeignPlaces(system string, w ForeignWhere) (found, usual []string) {
	return foreign.Places(foreign.System(system), w), foreign.Usual(foreign.System(system), w)
}

// EarlierAt says which earlier Engram the database at path is of; "" for anything else.
func EarlierAt(ctx context.Context, path string) string { return foreign.Earlier(ctx, path) }

// VaultOptions say how the notes of a vault are written.
type VaultOptions struct {
	// Plain makes links as every reader of Markdown knows them, not those of Obsidian.
	Plain bool
	// Graph is what becomes of how Obsidian draws the graph: preserve, force or skip; "" is skip.
	Graph string
}

// Vault is the vault in a folder, an absolute path. It opens nothing.
func (a *App) Vault(dir string, o VaultOptions) engram.Vault {
	return markdown.New(markdown.Options{Dir: dir, PlainLinks: o.Plain, Graph: markdown.GraphMode(o.Graph)})
}

// lazyStore opens a store when it is first used. An open that failed is tried again
// by the next call: a server outlives a disk that was full for a minute.
type lazyStore struct {
	open func(context.Context) (engram.Store, error)

	mu     sync.Mutex
	store  engram.Store
	opened func() // called once the store is open; nil: nothing
	closed bool
}

// whenOpen has fn called when the store is opened, or now if it is.
func (l *lazyStore) whenOpen(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = fn
	if l.store != nil {
		fn()
	}
}

// get returns the store, opened. Callers that come while it opens wait for it.
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

// Close implements engram.Store. A store that was never used has nothing to close,
// and closing twice is closing once.
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

// logHolds reports whether the store's log may hold what was erased, because somebody
// keeps it from being emptied.
func (l *lazyStore) logHolds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.store.(interface{ LogHolds() bool })
	return ok && s.LogHolds()
}
