// Package engine implements Engram's operations, one file per operation. It is the only API of the frontends
// and independent of any technology: it receives a Store, a clock and an id source.
//
// Each write operation runs in one transaction that writes state and journal entry together (op.go) and reads
// what it decides upon. Input is cleaned first: private spans leave every text field before anything else sees
// it (clean.go).
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

// Options configure an Engine. Store, Now and NewID are required.
type Options struct {
	Store   engram.Store
	Folders Folders // nil: a folder's project is its base name
	Code    Code    // nil: no anchors to code
	Dir     string  // default folder of operations; "" for none
	// Resolved says that ProjectRequest.Override comes from the settings, not from the call: if it is no valid
	// project name, the folder decides, with a warning.
	Resolved bool
	Now      func() time.Time  // wall clock
	NewID    func() engram.ID  // a new, unique memory id
	Policy   *lifecycle.Policy // nil: lifecycle.DefaultPolicy
	Zone     *time.Location    // for times in questions, such as "yesterday"; nil: UTC
	Actor    string            // journaled as author; "" is "engram"
	// Embedder embeds memories and questions; nil: search by words alone.
	Embedder engram.Embedder
	// Former are embedders whose vectors may still be stored: used while those of Embedder are incomplete.
	Former []engram.Embedder
	// Traces finds other copies of erased memories; nil: no search for them.
	Traces Traces
	// Reranker reorders the best hits on request; nil: none.
	Reranker engram.Reranker
	// Extractor finds patterns among memories during sleep; nil: none, and no memory leaves the process.
	Extractor engram.Extractor
	// Judge judges pairs of memories for a semantic scan; nil: none, and no memory leaves the process.
	Judge engram.Judge
	// Tally counts reads; nil: only saves are counted.
	Tally *Tally
	// Collect adds the counters that other processes left behind to Tally; nil: none.
	Collect func()
	// Clinic examines and repairs the store's files for Doctor; nil: no doctor.
	Clinic Clinic
	// Warm asks a server of the same store and settings, which has it in memory, to search the current state.
	// ok is false if it did not answer; nil: no server.
	Warm func(ctx context.Context, in SearchInput) (found engram.Found, ok bool)
	// Formats are the formats of Export and Import by name; should include NativeFormat.
	Formats map[string]engram.Format
	// Spool opens temporary storage for records of an import; nil: memory.
	Spool func() (Spool, error)
	// TextCacheBytes limits the cache of parsed texts, roughly; 0 is 8 MiB.
	TextCacheBytes int
	// Patience limits how long a read waits to record what it showed, and for the states of anchored code; 0 is
	// 100 ms. The result reports what took longer.
	Patience time.Duration
	// Version of the program for exports; may be "".
	Version string
}

// Engine runs operations on one store. It is safe for concurrent use.
type Engine struct {
	options Options // for what has no field below

	store    engram.Store
	folders  Folders
	code     Code
	dir      string
	now      func() time.Time
	newID    func() engram.ID
	policy   lifecycle.Policy
	zone     *time.Location
	actor    string
	embedder engram.Embedder
	tally    *Tally
	patience time.Duration

	looks     chan struct{}             // limits concurrent checks of code
	coverage  *atomic.Pointer[coverage] // shared by all copies, as are the leanings
	leanings  *leanings
	textCache *textCache
	secrets   func() *secret.Scanner // built on first use
}

// New returns an Engine, to be closed with Finish. The Store remains the caller's to close, afterwards.
func New(o Options) *Engine {
	e := &Engine{options: o, store: o.Store, code: o.Code, dir: o.Dir, newID: o.NewID, embedder: o.Embedder, tally: o.Tally,
		policy: lifecycle.DefaultPolicy(), zone: cmp.Or(o.Zone, time.UTC), actor: cmp.Or(o.Actor, "engram"),
		patience: cmp.Or(o.Patience, readPatience), looks: make(chan struct{}, mostLooks), coverage: new(atomic.Pointer[coverage]), leanings: new(leanings),
		textCache: &textCache{most: cmp.Or(o.TextCacheBytes, textCacheBytes)}, secrets: sync.OnceValue(secret.New)}
	// Stores keep milliseconds: a finer time would differ when read back.
	e.now = func() time.Time { return o.Now().UTC().Truncate(time.Millisecond) }
	if o.Folders != nil {
		e.folders = &recentFolders{folders: o.Folders, now: e.now, facts: map[string]recentFacts{}}
	}
	if o.Policy != nil {
		e.policy = *o.Policy
	}
	return e
}

// view runs read on one snapshot and returns its result; the zero value with an error.
func view[T any](ctx context.Context, e *Engine, read func(engram.Reader) (T, error)) (T, error) {
	var v, none T
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		v, err = read(r)
		return err
	})
	if err != nil {
		return none, err
	}
	return v, nil
}

// perform runs fn as one operation (write) and returns its result; the zero value with an error.
func perform[T any](ctx context.Context, e *Engine, operation string, fn func(*op) (T, error)) (T, error) {
	var v, none T
	err := e.write(ctx, operation, func(o *op) (err error) {
		v, err = fn(o)
		return err
	})
	if err != nil {
		return none, err
	}
	return v, nil
}

// drain reads the first page of a list until it is empty, handles each item, which must remove it from the list,
// and returns the number of items.
func drain[T any](read func() ([]T, error), handle func(T) error) (n int, err error) {
	for {
		page, err := read()
		if err != nil || len(page) == 0 {
			return n, err
		}
		for _, item := range page {
			if err := handle(item); err != nil {
				return n, err
			}
			n++
		}
	}
}

// progress reports the progress of an operation, if anybody listens.
type progress func(what string, done, total int)

func (p progress) report(what string, done, total int) {
	if p != nil {
		p(what, done, total)
	}
}

// As returns the same Engine writing as actor, such as "cli" or "mcp:claude-code".
func (e *Engine) As(actor string) *Engine {
	f := *e
	f.actor = actor
	return &f
}

// Now returns the engine's time, for frontends that show ages.
func (e *Engine) Now() time.Time { return e.now() }

// Excluding returns the same Engine for callers that must not see some projects, such as agents for which a
// person disabled one: its reads leave out these projects and relations to them. off returns nil if none is
// disabled, else a test for a project's name; it runs for every answer and must not block.
//
// The caller refuses requests that name such a project, because it can say why: ProjectsOf and ProjectFor know
// all projects. An operation that would still write to one, such as undoing an import into several, is
// CodeForbidden and does nothing.
func (e *Engine) Excluding(off func() (off func(project string) bool)) *Engine {
	f := *e
	f.store = excludingStore{e.store, off}
	f.coverage = new(atomic.Pointer[coverage])
	if e.options.Warm != nil { // a server that searches for this process does not know who asks
		f.options.Warm = func(ctx context.Context, in SearchInput) (engram.Found, bool) {
			if off() != nil {
				return engram.Found{}, false
			}
			return e.options.Warm(ctx, in)
		}
	}
	return &f
}

// excludingStore is a Store whose Views leave out disabled projects.
type excludingStore struct {
	engram.Store
	off func() func(project string) bool
}

// View runs fn on a snapshot without the disabled projects.
func (s excludingStore) View(ctx context.Context, fn func(engram.Reader) error) error {
	return s.Store.View(engram.Without(ctx, s.off()), fn)
}

// excluded returns the test for disabled projects; nil if none is disabled.
func (e *Engine) excluded() func(project string) bool {
	if s, is := e.store.(excludingStore); is {
		return s.off()
	}
	return nil
}

// everywhere returns the Engine for all projects, for maintenance, which shows nothing to agents.
func (e *Engine) everywhere() *Engine {
	s, is := e.store.(excludingStore)
	if !is {
		return e
	}
	f := *e
	f.store = s.Store
	return &f
}

// mayWrite rejects a write to or out of a disabled project. A relation belongs to two projects, so it may be
// changed from the enabled one.
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
