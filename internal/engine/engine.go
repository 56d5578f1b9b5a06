// Package engine holds the verbs: what Engram does, a file per verb. It is the one
// API of every frontend, and it knows no technology: it is given a Store, a clock
// and a way to make ids.
//
// A verb that writes does so in one transaction, which writes the state and the
// journal entry together (op.go). What a verb reads in order to decide, it reads in
// that transaction. What comes in is cleaned first: private spans leave every text
// field before anything else sees it (clean.go).
//
// Errors are *engram.Error; those about a project carry a *project.Problem.
package engine

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// Options make an Engine. Store, Now and NewID are required.
type Options struct {
	Store   engram.Store
	Folders Folders // nil: a folder's project is its base name
	Code    Code    // nil: nothing is anchored to code
	Dir     string  // the folder that verbs are called from, as far as they do not say; "" for none
	// Resolved says that the Override of a ProjectRequest stands in the settings and was not said
	// for this call: where it can be no project's name, that of the folder counts, with a warning.
	Resolved bool
	Now      func() time.Time  // the wall clock
	NewID    func() engram.ID  // a new, unique memory id
	Policy   *lifecycle.Policy // nil: lifecycle.DefaultPolicy
	Zone     *time.Location    // in which "yesterday" of a question ends; nil: UTC
	Actor    string            // who writes, for the journal; "engram" when empty
	// Embedder puts memories and questions into vectors; nil: finding by words alone.
	Embedder engram.Embedder
	// Former are embedders whose vectors may still be in the store: asked while those of
	// Embedder do not cover it.
	Former []engram.Embedder
	// Traces knows who else holds what is erased; nil: nobody.
	Traces Traces
	// Reranker reads the best finds again when a search asks for it; nil: none.
	Reranker engram.Reranker
	// Extractor finds patterns among memories that sleep goes through; nil: none are
	// looked for, and no memory leaves the process.
	Extractor engram.Extractor
	// Judge says how two memories relate, when a scan is told to ask it; nil: nobody is asked,
	// and no memory leaves the process.
	Judge engram.Judge
	// Tally counts what is asked; nil: nothing is counted but what is saved.
	Tally *Tally
	// Collect takes into Tally what other processes have counted and left; nil: none do.
	Collect func()
	// Clinic looks at the store from outside for Doctor; nil: there is no doctor.
	Clinic Clinic
	// Warm is asked first to search what there is now: a server of the same store and
	// settings, which has it in memory. ok is false where it did not answer; nil: nobody.
	Warm func(ctx context.Context, in SearchInput) (found engram.Found, ok bool)
	// Formats are what Export writes and Import reads, by name; NativeFormat should be one.
	Formats map[string]engram.Format
	// Spool makes a place for what an import has looked through and not written yet; nil:
	// it is kept in memory.
	Spool func() (Spool, error)
	// Shelf is about how many bytes of what texts say are kept from one search to the
	// next; 0 is 4 MiB.
	Shelf int
	// Patience is how long a read waits until what it showed is written down, while others
	// write, and for word of the code that it speaks of; 0 is 100 ms. What takes longer is told
	// in the answer.
	Patience time.Duration
	// Version of the program, which exports tell; may be "".
	Version string
}

// Engine is the verbs over one store. It may be used by many goroutines.
type Engine struct {
	store    engram.Store
	folders  Folders
	resolved bool
	code     Code
	dir      string
	now      func() time.Time
	newID    func() engram.ID
	policy   lifecycle.Policy
	zone     *time.Location
	actor    string

	embedder  engram.Embedder
	former    []engram.Embedder
	reranker  engram.Reranker
	traces    Traces
	extractor engram.Extractor
	judgeOf   engram.Judge
	clinic    Clinic
	warm      func(context.Context, SearchInput) (engram.Found, bool)
	formats   map[string]engram.Format
	spool     func() (Spool, error)
	version   string
	patience  time.Duration
	looks     chan struct{}             // at the code, as many at once as it holds
	coverage  *atomic.Pointer[coverage] // shared by every actor, as the leanings are
	leanings  *leanings
	shelf     *shelf
	tally     *Tally
	collect   func()
	secrets   func() *secret.Scanner // made when the first text is looked at
}

// New returns an Engine, to be finished with Finish. The Store stays the caller's to close, afterwards.
func New(o Options) *Engine {
	e := &Engine{store: o.Store, code: o.Code, dir: o.Dir, resolved: o.Resolved, newID: o.NewID, policy: lifecycle.DefaultPolicy(), actor: o.Actor,
		embedder: o.Embedder, former: o.Former, reranker: o.Reranker, traces: o.Traces, extractor: o.Extractor, judgeOf: o.Judge, clinic: o.Clinic, warm: o.Warm,
		formats: o.Formats, spool: o.Spool, version: o.Version, patience: cmp.Or(o.Patience, readPatience), looks: make(chan struct{}, mostLooks),
		coverage: new(atomic.Pointer[coverage]), leanings: new(leanings), shelf: &shelf{most: cmp.Or(o.Shelf, shelfBytes)}, tally: o.Tally, collect: o.Collect, secrets: sync.OnceValue(secret.New)}
	// Stores keep milliseconds: a finer time would not equal itself when read back.
	e.now = func() time.Time { return o.Now().UTC().Truncate(time.Millisecond) }
	if o.Folders != nil {
		e.folders = &recentFolders{folders: o.Folders, now: e.now, facts: map[string]recentFacts{}}
	}
	if o.Policy != nil {
		e.policy = *o.Policy
	}
	if e.zone = o.Zone; e.zone == nil {
		e.zone = time.UTC
	}
	if e.actor == "" {
		e.actor = "engram"
	}
	return e
}

// view reads something on one snapshot.
func view[T any](ctx context.Context, e *Engine, read func(engram.Reader) (T, error)) (v T, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		v, err = read(r)
		return err
	})
	return v, err
}

// As returns the same Engine writing in the name of actor, such as "cli" or
// "mcp:claude-code".
func (e *Engine) As(actor string) *Engine {
	f := *e
	f.actor = actor
	return &f
}

// Now is the engine's clock, for frontends that show how long ago something was.
func (e *Engine) Now() time.Time { return e.now() }

// Apart returns the same Engine for callers that must not see some projects, such as agents that
// a person has switched off for one: what it reads everywhere leaves out what is in them or tied
// to it. off returns nil while there are none, else a test for a project's name; it is
// asked for every answer and must not wait.
//
// The caller refuses requests that name such a project, because it can say why: ProjectsOf
// and ProjectFor know all of them. A verb that would still write in one, such as the undo
// of an import into several, is CodeForbidden and does nothing.
func (e *Engine) Apart(off func() (off func(project string) bool)) *Engine {
	f := *e
	f.store = apartStore{e.store, off}
	f.coverage = new(atomic.Pointer[coverage])
	if e.warm != nil { // a server that is asked to search does not know who asks
		f.warm = func(ctx context.Context, in SearchInput) (engram.Found, bool) {
			if off() != nil {
				return engram.Found{}, false
			}
			return e.warm(ctx, in)
		}
	}
	return &f
}

// apartStore is a Store whose Views leave out projects.
type apartStore struct {
	engram.Store
	off func() func(project string) bool
}

// View runs fn on a snapshot without the projects that are off now.
func (s apartStore) View(ctx context.Context, fn func(engram.Reader) error) error {
	return s.Store.View(engram.Without(ctx, s.off()), fn)
}

// keptApart returns the test for projects that are off now; nil while none is.
func (e *Engine) keptApart() func(project string) bool {
	if s, is := e.store.(apartStore); is {
		return s.off()
	}
	return nil
}

// everywhere is the Engine over all projects, for upkeep, which shows nothing to agents.
func (e *Engine) everywhere() *Engine {
	s, is := e.store.(apartStore)
	if !is {
		return e
	}
	f := *e
	f.store = s.Store
	return &f
}

// mayWrite rejects a write to a thing in a project that is off, or that takes it from there. A
// relation belongs to both its projects: the end that is not off may be changed, and
// what ties it with it.
func (o *op) mayWrite(t thing, project string, was map[string]any) error {
	if o.off == nil || t.entity == engram.EntityRelation {
		return nil
	}
	names := []string{project}
	if t.entity == engram.EntityProject {
		names = append(names, t.key)
	}
	if from, moved := was["project"].(string); moved {
		names = append(names, from)
	}
	for _, name := range names {
		if name != "" && o.off(name) {
			return engram.Errorf(engram.CodeForbidden, "Engram is switched off for project %q, and this would write in it: nothing was done", name).
				WithHint("the user runs {on --project %s}", name)
		}
	}
	return nil
}
