// Package app wires Engram: it is the one package that knows every technology and
// every frontend's constructor. Commands ask it for an App and talk to its Engine.
//
// Opening is lazy: an App costs nothing until the first verb needs the store, so
// help never touches the disk and an agent gets its list of tools before a
// database is opened, or although it cannot be.
package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/httpapi"
	"github.com/alanbuscaglia/engram/internal/mcp"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
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
	main.Settled = o.Config.Origins["project"].Source != config.SourceFlag
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

// ServeMCP speaks MCP over in and out until in ends or ctx does. tools names
// profiles and tools, separated by commas; "" is the default profile, and a name
// that does not exist is an *engram.Error of CodeInvalid.
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
