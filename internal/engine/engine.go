// Package engine is Engram's operations over one store, in the name of one caller. It is the only API of the frontends
// and independent of any technology: it receives a Store, a clock and an id source.
//
// It assembles its rooms, which hold the operations and the rules, and has none itself. Errors are *engram.Error; those
// about a project carry a *project.Problem.
package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/alias"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/engine/vault"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Options configure an Engine. Store, Now and NewID are required.
type Options struct {
	Caller  ledger.Caller // its Dir is the default folder of operations
	Store   engram.Store
	Folders projects.Folders // nil: a folder's project is its base name
	Code    anchors.Code     // nil: no anchors to code
	// Resolved says that projects.ProjectRequest.Override comes from the settings, not from the call: if it is no
	// valid project name, the folder decides, with a warning.
	Resolved bool
	Now      func() time.Time  // wall clock
	NewID    func() engram.ID  // a new, unique memory id
	Policy   *lifecycle.Policy // nil: lifecycle.DefaultPolicy
	Zone     *time.Location    // for times in questions, such as "yesterday"; nil: UTC
	// Embedder embeds memories and questions; nil: search by words alone. Beside Asked it compares memories with each
	// other, and answers questions while Asked cannot.
	Embedder engram.Embedder
	// Asked embeds memories later, and questions, where Embedder should not; nil: none.
	Asked engram.Embedder
	// Former returns the embedder of another model's stored vectors, nil if it has none: it is used while those of the
	// configured model are incomplete. A nil Former has none.
	Former func(engram.Model) engram.Embedder
	// Traces finds other copies of erased memories; nil: no search for them.
	Traces forget.Traces
	// Reranker reorders the best hits on request; nil: none.
	Reranker engram.Reranker
	// Extractor finds patterns among memories during sleep; nil: none, and no memory leaves the process.
	Extractor engram.Extractor
	// Judge judges pairs of memories for a semantic scan; nil: none, and no memory leaves the process.
	Judge engram.Judge
	// Tally counts reads; nil: only saves are counted.
	Tally *exposure.Tally
	// Collect adds the counters that other processes left behind to Tally; nil: none.
	Collect func() error
	// Clinic examines and repairs the store's files for Doctor; nil: no doctor.
	Clinic consolidate.Clinic
	// Warm asks a server of the same store and settings to search; nil: no server.
	Warm search.Warm
	// Known asks it which project a name means; nil: no server.
	Known projects.Known
	// Formats are the formats of Export and Import by name; should include exchange.NativeFormat.
	Formats map[string]engram.Format
	// Spool opens temporary storage for records of an import; nil: memory.
	Spool func() (exchange.Spool, error)
	// Aliases are groups of words that a search takes as the same, besides the built-in ones, as alias.Parse returns
	// them.
	Aliases [][]string
	// TextCacheBytes limits the cache of parsed texts, roughly; 0 is 5 MiB.
	TextCacheBytes int
	// Patience limits how long a read waits to record what it showed, and for the states of anchored code; 0 is
	// 100 ms. The result reports what took longer.
	Patience time.Duration
	// Version of the program for exports; may be "".
	Version string
}

// Engine is every operation over one store, in the name of one caller; the rooms hold them. It is safe for concurrent
// use.
type Engine struct {
	*projects.Registry
	*forget.Eraser
	*search.Finder
	*undo.Reverter
	*read.Reader
	*relate.Linker
	*remember.Writer
	*brief.Briefer
	*consolidate.Consolidator
	*exchange.Porter
	*vault.Keeper
	*sync.Replicator
	*review.Desk

	// The floor: frontends reach it through the methods below alone.
	ledger   *ledger.Ledger
	exposure *exposure.Recorder
	anchors  *anchors.Resolver
	shared   *shared
}

// shared is what the engines of all callers have in common.
type shared struct {
	options  Options
	folders  projects.Folders
	checks   anchors.Checks
	cache    *search.Cache
	texts    *contradiction.Reader
	sessions *remember.Folders
	lines    *brief.Lines
}

// New returns an Engine, to be closed with Finish. The Store remains the caller's to close, afterwards.
func New(o Options) *Engine {
	l := ledger.New(ledger.Options{Caller: o.Caller, Store: o.Store, Now: o.Now, NewID: o.NewID, Policy: o.Policy, Zone: o.Zone,
		Embedder: o.Embedder, Asked: o.Asked, Former: o.Former, Patience: o.Patience})
	return assemble(l, &shared{options: o, folders: projects.Recently(o.Folders, l.Now), checks: anchors.NewChecks(), cache: search.NewCache(o.TextCacheBytes, alias.New(o.Aliases)),
		texts: new(contradiction.Reader), sessions: new(remember.Folders), lines: new(brief.Lines)})
}

// assemble builds the rooms from the ground up.
func assemble(l *ledger.Ledger, s *shared) *Engine {
	o := s.options
	x := exposure.New(l, o.Tally, o.Collect)
	a := anchors.New(l, x, o.Code, s.checks)
	e := &Engine{ledger: l, exposure: x, anchors: a, shared: s}
	e.Registry = projects.New(l, s.folders, o.Resolved, o.Known)
	e.Eraser = forget.New(l, x, o.Traces)
	e.Finder = search.New(l, x, a, s.cache, o.Reranker, o.Warm)
	e.Reverter = undo.New(l)
	e.Reader = read.New(l, x, a, e.Finder)
	e.Linker = relate.New(l, o.Judge)
	e.Writer = remember.New(l, x, a, e.Registry, e.Finder, e.Linker, s.texts, s.sessions)
	e.Briefer = brief.New(l, x, a, e.Finder, e.Writer, s.lines)
	e.Consolidator = consolidate.New(l, e.Registry, e.Finder, e.Linker, e.Writer, o.Extractor, o.Clinic)
	e.Porter = exchange.New(l, exchange.Options{Clinic: o.Clinic, Formats: o.Formats, Spool: o.Spool, Version: o.Version})
	e.Keeper = vault.New(l, e.Writer, e.Porter)
	e.Replicator = sync.New(l, e.Porter)
	e.Desk = review.New(l, x, a, e.Finder, e.Writer, e.Replicator)
	return e
}

// Caller returns in whose name the engine works.
func (e *Engine) Caller() ledger.Caller { return e.ledger.Caller }

// As returns the same Engine for another caller.
func (e *Engine) As(c ledger.Caller) *Engine { return assemble(e.ledger.As(c), e.shared) }

// Now returns the engine's time, for frontends that show ages.
func (e *Engine) Now() time.Time { return e.ledger.Now() }

// CleanText replaces private spans and secrets in a text by marks (redact.Mark, secret.Mark). Operations clean
// their own input; this is for text kept outside the store, such as the notes of a session. Without an engine,
// use secret.Shared and Scanner.Clean(redact.Private(s)).
func (e *Engine) CleanText(s string) string { return e.ledger.Screen.CleanText(s) }

// FlushTally writes the counters of reads to the store, as a server does from time to time.
func (e *Engine) FlushTally(ctx context.Context) error { return e.exposure.FlushTally(ctx) }

// Finish waits for running checks of code and prevents new ones; later checks report unknown states. It waits
// at most Options.Patience; a stuck check ends with the process. Checks read files only, never the store, which
// remains the caller's.
func (e *Engine) Finish() { e.anchors.Finish() }
