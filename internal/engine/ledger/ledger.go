// Package ledger is the floor of the engine. One write (Write) is one transaction in which state, version stamps,
// journal entry and vector change together, so that no operation can forget one of them; a read (View) is one
// snapshot without the projects that are disabled for the caller. Who calls is a value (Caller).
//
// Rooms above it hold a *Ledger and get a *Tx while they write; neither is embedded anywhere else.
package ledger

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Caller says who calls the engine, from where, and what it must not see.
type Caller struct {
	Actor string // journaled as author, such as "cli" or "mcp:claude-code"; "" is "engram"
	// Dir is the caller's folder: file names are resolved and the state of anchored code is checked there; "" is
	// no folder.
	Dir string
	// Excluded returns a test for the projects that a person disabled for this caller, nil if none is; a nil
	// Excluded disables none. It runs for every answer and must not block. Reads leave out those projects and
	// relations to them. The caller refuses requests that name one, because it can say why; a write to one that
	// comes about otherwise, such as undoing an import into several, is CodeForbidden and does nothing.
	Excluded func() (off func(project string) bool)
}

// By returns the Caller under another actor.
func (c Caller) By(actor string) Caller {
	c.Actor = actor
	return c
}

// In returns the Caller in another folder.
func (c Caller) In(dir string) Caller {
	c.Dir = dir
	return c
}

// Without returns the Caller with other excluded projects.
func (c Caller) Without(off func() (off func(project string) bool)) Caller {
	c.Excluded = off
	return c
}

// Options configure a Ledger. Store, Now and NewID are required.
type Options struct {
	Caller   Caller
	Store    engram.Store
	Now      func() time.Time  // wall clock
	NewID    func() engram.ID  // a new, unique memory id
	Policy   *lifecycle.Policy // nil: lifecycle.DefaultPolicy
	Zone     *time.Location    // for times in questions, such as "yesterday"; nil: UTC
	Embedder engram.Embedder   // compares memories, and questions where Asked does not; nil: no vectors
	Asked    engram.Embedder   // compares questions with memories; nil: Embedder
	// Former returns the embedder of stored vectors of another model, nil if it has none; a nil Former has none.
	Former   func(engram.Model) engram.Embedder
	Patience time.Duration // how long a read waits for what it adds to its answer; 0: 100 ms
}

// Ledger reads and writes one store in the name of one caller. It is safe for concurrent use.
type Ledger struct {
	Caller   Caller
	Screen   *screen.Screen
	Now      func() time.Time // in UTC and whole milliseconds, as stores keep them
	NewID    func() engram.ID
	Policy   lifecycle.Policy
	Zone     *time.Location
	Embedder engram.Embedder // nil: no vectors
	Asked    engram.Embedder // nil: Embedder
	Patience time.Duration

	store    engram.Store
	former   func(engram.Model) engram.Embedder
	coverage *atomic.Pointer[Coverage] // shared by all callers
}

// readPatience is how long a read waits to record what it showed: the answer matters more, and the lock may be held
// long.
const readPatience = 100 * time.Millisecond

// New returns a Ledger. The Store remains the caller's to close.
func New(o Options) *Ledger {
	l := &Ledger{Screen: screen.New(), NewID: o.NewID, Policy: lifecycle.DefaultPolicy(), Zone: cmp.Or(o.Zone, time.UTC), Embedder: o.Embedder, Asked: o.Asked,
		Patience: cmp.Or(o.Patience, readPatience), store: o.Store, former: o.Former, coverage: new(atomic.Pointer[Coverage])}
	// Stores keep milliseconds: a finer time would differ when read back.
	l.Now = func() time.Time { return o.Now().UTC().Truncate(time.Millisecond) }
	if o.Policy != nil {
		l.Policy = *o.Policy
	}
	return l.As(o.Caller)
}

// As returns the same Ledger for another caller.
func (l *Ledger) As(c Caller) *Ledger {
	other := *l
	other.Caller = c
	other.Caller.Actor = cmp.Or(c.Actor, "engram")
	return &other
}

// At returns the same Ledger with a clock that stands still at a time.
func (l *Ledger) At(at time.Time) *Ledger {
	still := *l
	still.Now = func() time.Time { return at }
	return &still
}

// Everywhere returns the Ledger without excluded projects, for maintenance, which shows nothing to the caller.
func (l *Ledger) Everywhere() *Ledger {
	c := l.Caller
	c.Excluded = nil
	return l.As(c)
}

// Excluded returns the test for projects that are disabled for the caller; nil if none is.
func (l *Ledger) Excluded() func(project string) bool {
	if l.Caller.Excluded == nil {
		return nil
	}
	return l.Caller.Excluded()
}

// View runs fn on one snapshot without the projects that are disabled for the caller.
func (l *Ledger) View(ctx context.Context, fn func(engram.Reader) error) error {
	if off := l.Excluded(); off != nil {
		ctx = engram.Without(ctx, off)
	}
	return l.store.View(ctx, fn)
}

// Update runs fn in a transaction that is not journaled: for counters and facts about this machine, never for
// what a memory says.
func (l *Ledger) Update(ctx context.Context, fn func(engram.Tx) error) error {
	return l.store.Update(ctx, fn)
}

// updateAfter is Update that first runs look on a snapshot without the projects that are disabled for the caller.
func (l *Ledger) updateAfter(ctx context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	if off := l.Excluded(); off != nil {
		ctx = engram.Without(ctx, off)
	}
	return l.store.UpdateAfter(ctx, look, fn)
}

// Read runs read on one snapshot and returns its result; the zero value with an error.
func Read[T any](ctx context.Context, l *Ledger, read func(engram.Reader) (T, error)) (T, error) {
	var v, none T
	err := l.View(ctx, func(r engram.Reader) (err error) {
		v, err = read(r)
		return err
	})
	if err != nil {
		return none, err
	}
	return v, nil
}

// Perform runs fn as one operation (write) and returns its result; the zero value with an error.
func Perform[T any](ctx context.Context, l *Ledger, operation string, fn func(*Tx) (T, error)) (T, error) {
	var v, none T
	err := l.Write(ctx, operation, func(o *Tx) (err error) {
		v, err = fn(o)
		return err
	})
	if err != nil {
		return none, err
	}
	return v, nil
}

// Progress reports the progress of an operation, if anybody listens.
type Progress func(what string, done, total int)

// Report reports that done of total steps are done.
func (p Progress) Report(what string, done, total int) {
	if p != nil {
		p(what, done, total)
	}
}
