// Package anchors binds memories to places in source code: it resolves file names to anchors and checks, within a time
// limit, whether the code they point to has changed.
package anchors

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// Resolver resolves and checks anchors to code. It is safe for concurrent use.
type Resolver struct {
	ledger   *ledger.Ledger
	exposure *exposure.Recorder

	Code  Code   // nil: no anchors
	looks Checks // limits concurrent checks of code
}

// Checks limits concurrent checks of code, for all callers.
type Checks chan struct{}

// NewChecks returns Checks.
func NewChecks() Checks { return make(Checks, mostLooks) }

// New returns a Resolver; without code there are no anchors.
func New(l *ledger.Ledger, x *exposure.Recorder, code Code, checks Checks) *Resolver {
	return &Resolver{ledger: l, exposure: x, Code: code, looks: checks}
}

// Code resolves and checks anchors to source code; internal/git implements it.
type Code interface {
	// Anchors returns anchors to the current state of places. An asked place that does not exist is an error; a
	// named one is skipped.
	Anchors(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error)
	// States compares each anchor with the worktree that contains dir.
	States(ctx context.Context, dir string, all []engram.Anchor) []engram.Anchored
}

// FileError wraps an error about a file to anchor to. Its *engram.Error may be CodeNotFound, which then means
// the file, not the memory.
type FileError struct{ Err error }

// Error implements error.
func (f *FileError) Error() string { return f.Err.Error() }

// Unwrap returns the wrapped error.
func (f *FileError) Unwrap() error { return f.Err }

// Anchors returns anchors to places seen from dir. An error about an asked place is a *FileError.
func (a *Resolver) Anchors(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error) {
	all, err := a.anchorsFrom(ctx, dir, asked, named)
	if err != nil && len(asked) > 0 && ctx.Err() == nil {
		err = &FileError{err}
	}
	return all, err
}

func (a *Resolver) anchorsFrom(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error) {
	switch {
	case len(asked) > engram.MaxAnchors:
		return nil, engram.Errorf(engram.CodeInvalid, "%d files are too many", len(asked)).WithHint("at most %d", engram.MaxAnchors)
	case a.Code != nil && dir != "" && len(asked)+len(named) > 0:
		return a.Code.Anchors(ctx, dir, asked, named)
	case a.Code != nil && len(asked) > 0 && !slices.ContainsFunc(asked, isRelative):
		return a.Code.Anchors(ctx, filepath.Dir(asked[0].Path), asked, nil)
	case len(asked) > 0:
		return nil, engram.Errorf(engram.CodeInvalid, "cannot find %s without a folder", asked[0].Path).WithHint("use an absolute path, or a session with a folder")
	}
	return nil, nil
}

func isRelative(p engram.Place) bool { return !filepath.IsAbs(filepath.FromSlash(p.Path)) }

// PlacesOf parses file references.
func PlacesOf(files []string) ([]engram.Place, error) {
	if err := (screen.Raw{}).And("file", files...).Check(); err != nil {
		return nil, err
	}
	all := make([]engram.Place, len(files))
	for i, f := range files {
		var err error
		if all[i], err = engram.ParsePlace(f); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// FolderOf returns the session's folder, else the engine's.
func (a *Resolver) FolderOf(ctx context.Context, session string) (string, error) {
	dir, err := a.FolderOfSession(ctx, session)
	return cmp.Or(dir, a.ledger.Caller.Dir), err
}

// FolderOfSession returns the session's folder; "" if it has none or is unknown.
func (a *Resolver) FolderOfSession(ctx context.Context, session string) (dir string, err error) {
	if session == "" {
		return "", nil
	}
	err = a.ledger.View(ctx, func(r engram.Reader) error {
		s, err := r.Session(ctx, session)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil
		}
		dir = s.Directory
		return err
	})
	return dir, err
}

// CodeFolder is the folder in which a memory's files are looked up.
type CodeFolder struct {
	Dir     string
	Foreign bool // the folder belongs to another project, so names in the text do not mean its files
}

// anchorTime limits one check of anchors. Ten hits take a millisecond; a deleted file needs git, which takes 20
// ms with a thousand commits. A sleeping disk may ignore the limit, so the answer waits at most
// Options.Patience.
const anchorTime = 80 * time.Millisecond

// States returns the states of the memories' anchors, by memory number; nil without anchors.
func (a *Resolver) States(ctx context.Context, dir string, ms []engram.Memory) map[int64][]engram.Anchored {
	var all []engram.Anchor
	for _, m := range ms {
		all = append(all, m.Anchors...)
	}
	if len(all) == 0 {
		return nil
	}
	states := walk.Mapped(all, func(anchor engram.Anchor) engram.Anchored { return engram.Anchored{Anchor: anchor} })
	if dir = cmp.Or(dir, a.ledger.Caller.Dir); a.Code != nil && dir != "" {
		states = a.look(ctx, dir, all, states)
	}
	by := make(map[int64][]engram.Anchored, len(ms))
	for _, m := range ms {
		if n := len(m.Anchors); n > 0 {
			by[m.Num], states = states[:n:n], states[n:]
		}
	}
	return by
}

// mostLooks limits concurrent checks of code, so that checks stuck on a dead disk cannot pile up.
const mostLooks = 16

// Finish waits for running checks of code and prevents new ones; later checks report unknown states. It waits
// at most Options.Patience; a stuck check ends with the process. Checks read files only, never the store, which
// remains the caller's.
func (a *Resolver) Finish() {
	patient := time.NewTimer(a.ledger.Patience)
	defer patient.Stop()
	for range mostLooks {
		select {
		case a.looks <- struct{}{}:
		case <-patient.C:
			return
		}
	}
}

// look checks anchors, and returns unknown if the check takes too long.
func (a *Resolver) look(ctx context.Context, dir string, all []engram.Anchor, unknown []engram.Anchored) []engram.Anchored {
	patient, cancel := context.WithTimeout(ctx, a.ledger.Patience)
	defer cancel()
	select {
	case a.looks <- struct{}{}:
	case <-patient.Done():
		return unknown
	}
	said := make(chan []engram.Anchored, 1)
	go func() {
		defer func() { <-a.looks }()
		limited, cancel := context.WithTimeout(ctx, anchorTime)
		defer cancel()
		said <- a.Code.States(limited, dir, all)
	}()
	select {
	case states := <-said:
		return states
	case <-patient.Done():
		return unknown
	}
}

// LowerStale applies the anchor factor to scores and moves lowered hits behind better ones. The others keep
// their order, which does not depend on scores alone.
func LowerStale(hits []engram.Hit) {
	policy := retrieval.DefaultAnchors()
	for i := len(hits) - 1; i >= 0; i-- {
		factor := policy.Prior(hits[i].Anchors)
		if factor.Value == 1 {
			continue
		}
		h := hits[i]
		h.Score *= factor.Value
		h.Why.Factors = append(slices.Clip(h.Why.Factors), factor)
		to := i
		for to+1 < len(hits) && hits[to+1].Score > h.Score {
			hits[to] = hits[to+1]
			to++
		}
		hits[to] = h
	}
}

// NoteAnchors records changed anchor states after the answer was found, and never fails it. If another process
// is writing, the next check records them.
func (a *Resolver) NoteAnchors(ctx context.Context, by map[int64][]engram.Anchored) {
	seen := map[int64]engram.AnchorState{}
	for num, states := range by {
		if s := retrieval.Standing(states); s != engram.AnchorUnknown {
			seen[num] = s
		}
	}
	if len(seen) == 0 {
		return
	}
	err := a.ledger.View(ctx, func(r engram.Reader) error {
		known, err := r.SeenAnchors(ctx, slices.Collect(maps.Keys(seen)))
		for num, s := range seen {
			if was := known[num]; was == s || was == "" && !s.Stale() {
				delete(seen, num)
			}
		}
		return err
	})
	if err != nil || len(seen) == 0 {
		return
	}
	ctx, cancel := a.exposure.Waiting(ctx)
	defer cancel()
	_ = a.ledger.Update(ctx, func(tx engram.Tx) error { return tx.NoteAnchors(ctx, seen) })
}

// FolderAsked returns a session's folder, in which the states of anchors are checked; "" is the caller's.
func (a *Resolver) FolderAsked(ctx context.Context, session string) string {
	if a.Code == nil || session == "" {
		return ""
	}
	dir, err := a.FolderOf(ctx, screen.Line(session))
	if err != nil {
		return "" // the operation that needs the session reports the error
	}
	return dir
}

// SetAnchors sets the anchor states of notes, by memory number.
func SetAnchors(notes engram.Notes, by map[int64][]engram.Anchored) {
	for num, states := range by {
		note := notes[num]
		note.Anchors = states
		notes[num] = note
	}
}

// PlacesOfAnchors lists the places of anchors for a person.
func PlacesOfAnchors(all []engram.Anchor) string { return strings.Join(PlaceNames(all), ", ") }

// PlaceNames returns the places of anchors as a person writes them; nil for none.
func PlaceNames(all []engram.Anchor) (names []string) {
	for _, a := range all {
		names = append(names, a.Place().String())
	}
	return names
}
