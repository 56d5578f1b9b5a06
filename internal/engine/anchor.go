package engine

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// Code resolves and checks anchors to source code; internal/git implements it.
type Code interface {
	// Anchors returns anchors to the current state of places. An asked place that does not exist is an error; a
	// named one is skipped.
	Anchors(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error)
	// States compares each anchor with the worktree that contains dir.
	States(ctx context.Context, dir string, all []engram.Anchor) []engram.Anchored
}

// In returns the same Engine for a caller in folder dir: it resolves file names there and reports the state of
// anchored code there. "" is no folder.
func (e *Engine) In(dir string) *Engine {
	f := *e
	f.dir = dir
	return &f
}

// anchorSave sets a draft's anchors: the requested files and those that its text names.
func (e *Engine) anchorSave(ctx context.Context, t *intake) (err error) {
	asked, err := placesOf(t.in.Files)
	if err != nil {
		return err
	}
	named := capture.Places(t.draft.Title + "\n" + t.draft.Content)
	if len(asked)+len(named) == 0 {
		return nil
	}
	dir, err := e.folderOfSave(ctx, t, len(asked) > 0)
	if err != nil {
		return err
	}
	if t.draft.Anchors, err = e.anchors(ctx, dir, asked, named); len(t.draft.Anchors) == 0 {
		return err
	}
	if err != nil || e.speaksOf(ctx, t.draft.Project, dir) {
		return err
	}
	t.draft.Anchors = engram.CleanAnchors(slices.DeleteFunc(t.draft.Anchors, func(a engram.Anchor) bool { return a.Named }))
	return nil
}

// speaksOf reports whether names in a memory's text mean files in dir. A README.md exists everywhere, and a
// memory saved from here for another project means its own.
func (e *Engine) speaksOf(ctx context.Context, project, dir string) bool {
	at, err := e.folderProject(ctx, ProjectRequest{Dir: dir, Lenient: true})
	return err == nil && (project == "" || at.Name == project)
}

// FileError wraps an error about a file to anchor to. Its *engram.Error may be CodeNotFound, which then means
// the file, not the memory.
type FileError struct{ Err error }

// Error implements error.
func (f *FileError) Error() string { return f.Err.Error() }

// Unwrap returns the wrapped error.
func (f *FileError) Unwrap() error { return f.Err }

// anchors returns anchors to places seen from dir. An error about an asked place is a *FileError.
func (e *Engine) anchors(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error) {
	all, err := e.anchorsFrom(ctx, dir, asked, named)
	if err != nil && len(asked) > 0 && ctx.Err() == nil {
		err = &FileError{err}
	}
	return all, err
}

func (e *Engine) anchorsFrom(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error) {
	switch {
	case len(asked) > engram.MaxAnchors:
		return nil, engram.Errorf(engram.CodeInvalid, "%d files are too many", len(asked)).WithHint("at most %d", engram.MaxAnchors)
	case e.code != nil && dir != "" && len(asked)+len(named) > 0:
		return e.code.Anchors(ctx, dir, asked, named)
	case e.code != nil && len(asked) > 0 && !slices.ContainsFunc(asked, isRelative):
		return e.code.Anchors(ctx, filepath.Dir(asked[0].Path), asked, nil)
	case len(asked) > 0:
		return nil, engram.Errorf(engram.CodeInvalid, "cannot find %s without a folder", asked[0].Path).WithHint("use an absolute path, or a session with a folder")
	}
	return nil, nil
}

func isRelative(p engram.Place) bool { return !filepath.IsAbs(filepath.FromSlash(p.Path)) }

// placesOf parses file references.
func placesOf(files []string) ([]engram.Place, error) {
	if err := (raw{}).and("file", files...).check(); err != nil {
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

// folderOfSave returns the folder that file names are relative to: the caller's folder for requested files, the
// session's folder for names in the text, since the session may work elsewhere than the server.
func (e *Engine) folderOfSave(ctx context.Context, t *intake, asked bool) (string, error) {
	if asked && t.in.Directory != "" {
		return t.in.Directory, nil
	}
	dir, err := e.folderOfSession(ctx, t.draft.SessionID)
	return cmp.Or(dir, t.in.Directory, e.dir), err
}

// folderOf returns the session's folder, else the engine's.
func (e *Engine) folderOf(ctx context.Context, session string) (string, error) {
	dir, err := e.folderOfSession(ctx, session)
	return cmp.Or(dir, e.dir), err
}

// folderOfSession returns the session's folder; "" if it has none or is unknown.
func (e *Engine) folderOfSession(ctx context.Context, session string) (dir string, err error) {
	if session == "" {
		return "", nil
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		s, err := r.Session(ctx, session)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil
		}
		dir = s.Directory
		return err
	})
	return dir, err
}

// precomputedAnchors are anchors looked up before the transaction, for the memory as it was then.
type precomputedAnchors struct {
	was    engram.Memory
	now    []engram.Anchor
	unseen bool            // the code cannot be seen from here
	gone   []engram.Anchor // anchors of was whose code no longer exists
	from   codeFolder
}

// codeFolder is the folder in which a memory's files are looked up.
type codeFolder struct {
	dir     string
	foreign bool // the folder belongs to another project, so names in the text do not mean its files
}

// codeFolderOf returns the folder for an update: that of the memory's session if in.InSession, else the engine's.
func (e *Engine) codeFolderOf(ctx context.Context, was engram.Memory, in UpdateInput) (s codeFolder, err error) {
	s.dir = e.dir
	if in.InSession {
		if s.dir, err = e.folderOf(ctx, was.SessionID); err != nil {
			return s, err
		}
	}
	if in.Project != nil {
		was.Project = *in.Project
	}
	s.foreign = s.dir != "" && !e.speaksOf(ctx, was.Project, s.dir)
	return s, nil
}

// anchorAhead looks up anchors before the transaction of an update: files may be on a slow disk.
func (e *Engine) anchorAhead(ctx context.Context, in UpdateInput) (a precomputedAnchors, err error) {
	if in.Files == nil && in.Title == nil && in.Content == nil {
		return a, nil
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		a.was, err = live(ctx, r, in.Ref)
		return err
	})
	if err != nil {
		return precomputedAnchors{from: codeFolder{dir: e.dir, foreign: true}}, nil // the update says what is wrong
	}
	if a.from, err = e.codeFolderOf(ctx, a.was, in); err != nil {
		return a, err
	}
	a.now, err = e.anchorUpdate(ctx, a.was, in, a.from)
	return a, err
}

// anchorsFor returns the anchors computed before the transaction, or recomputes them if the memory changed
// meanwhile.
func (e *Engine) anchorsFor(ctx context.Context, a precomputedAnchors, was engram.Memory, in UpdateInput) ([]engram.Anchor, error) {
	if a.was.Num == was.Num && a.was.Title == was.Title && a.was.Content == was.Content && slices.Equal(a.was.Anchors, was.Anchors) {
		return a.now, nil
	}
	return e.anchorUpdate(ctx, was, in, a.from)
}

// anchorUpdate returns a memory's anchors after a change. New text keeps requested files, and drops places that
// only the old text named.
func (e *Engine) anchorUpdate(ctx context.Context, was engram.Memory, in UpdateInput, from codeFolder) ([]engram.Anchor, error) {
	now := was
	if in.Title != nil {
		now.Title = line(*in.Title)
	}
	if in.Content != nil {
		now.Content = redact.Private(*in.Content)
	}
	said := was.Title != now.Title || was.Content != now.Content
	if in.Files == nil && !said {
		return was.Anchors, nil
	}
	var asked, named []engram.Place
	var err error
	if in.Files != nil {
		if asked, err = placesOf(*in.Files); err != nil {
			return nil, err
		}
	}
	if said {
		named = capture.Places(now.Title + "\n" + now.Content)
	}
	looked := named
	if from.foreign {
		looked = nil
	}
	made, err := e.anchors(ctx, from.dir, asked, looked)
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(was.Anchors), func(a engram.Anchor) bool {
		if a.Named {
			return said && !slices.ContainsFunc(named, func(p engram.Place) bool { return p == a.Place() })
		}
		return in.Files != nil
	})
	kept = slices.DeleteFunc(kept, func(a engram.Anchor) bool {
		return slices.ContainsFunc(made, func(b engram.Anchor) bool {
			return b.Repository == a.Repository && b.Place() == a.Place() && (a.Named || !b.Named)
		})
	})
	return engram.CleanAnchors(slices.Concat(made, kept)), nil
}

// anchorTime limits one check of anchors. Ten hits take a millisecond; a deleted file needs git, which takes 20
// ms with a thousand commits. A sleeping disk may ignore the limit, so the answer waits at most
// Options.Patience.
const anchorTime = 80 * time.Millisecond

// states returns the states of the memories' anchors, by memory number; nil without anchors.
func (e *Engine) states(ctx context.Context, dir string, ms []engram.Memory) map[int64][]engram.Anchored {
	var all []engram.Anchor
	for _, m := range ms {
		all = append(all, m.Anchors...)
	}
	if len(all) == 0 {
		return nil
	}
	states := mapped(all, func(a engram.Anchor) engram.Anchored { return engram.Anchored{Anchor: a} })
	if dir = cmp.Or(dir, e.dir); e.code != nil && dir != "" {
		states = e.look(ctx, dir, all, states)
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
func (e *Engine) Finish() {
	patient := time.NewTimer(e.patience)
	defer patient.Stop()
	for range mostLooks {
		select {
		case e.looks <- struct{}{}:
		case <-patient.C:
			return
		}
	}
}

// look checks anchors, and returns unknown if the check takes too long.
func (e *Engine) look(ctx context.Context, dir string, all []engram.Anchor, unknown []engram.Anchored) []engram.Anchored {
	patient, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	select {
	case e.looks <- struct{}{}:
	case <-patient.Done():
		return unknown
	}
	said := make(chan []engram.Anchored, 1)
	go func() {
		defer func() { <-e.looks }()
		limited, cancel := context.WithTimeout(ctx, anchorTime)
		defer cancel()
		said <- e.code.States(limited, dir, all)
	}()
	select {
	case states := <-said:
		return states
	case <-patient.Done():
		return unknown
	}
}

// lookAtCode sets the anchor states of hits, moves stale hits behind about equally good ones, and records the
// states for the review queue.
func (e *Engine) lookAtCode(ctx context.Context, dir string, found *engram.Found, in SearchInput) {
	by := e.states(ctx, dir, memoriesOf(found.Hits, found.BelowThreshold))
	if by == nil {
		return
	}
	for _, hits := range [][]engram.Hit{found.Hits, found.BelowThreshold} {
		for i := range hits {
			hits[i].Anchors = by[hits[i].Memory.Num]
		}
		if !in.ByStrength && !in.Rerank { // the caller asked for another order
			lowerStale(hits)
		}
	}
	e.noteAnchors(ctx, by)
}

// lowerStale applies the anchor factor to scores and moves lowered hits behind better ones. The others keep
// their order, which does not depend on scores alone.
func lowerStale(hits []engram.Hit) {
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

func memoriesOf(lists ...[]engram.Hit) []engram.Memory {
	return mapped(slices.Concat(lists...), func(h engram.Hit) engram.Memory { return h.Memory })
}

// noteAnchors records changed anchor states after the answer was found, and never fails it. If another process
// is writing, the next check records them.
func (e *Engine) noteAnchors(ctx context.Context, by map[int64][]engram.Anchored) {
	seen := map[int64]engram.AnchorState{}
	for num, states := range by {
		if s := retrieval.Standing(states); s != engram.AnchorUnknown {
			seen[num] = s
		}
	}
	if len(seen) == 0 {
		return
	}
	err := e.store.View(ctx, func(r engram.Reader) error {
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
	ctx, cancel := e.waiting(ctx)
	defer cancel()
	_ = e.store.Update(ctx, func(tx engram.Tx) error { return tx.NoteAnchors(ctx, seen) })
}

// folderAsked returns a session's folder, in which the states of anchors are checked; "" is the caller's.
func (e *Engine) folderAsked(ctx context.Context, session string) string {
	if e.code == nil || session == "" {
		return ""
	}
	dir, err := e.folderOf(ctx, line(session))
	if err != nil {
		return "" // the operation that needs the session reports the error
	}
	return dir
}

// reportAnchors sets the anchor states of hits that did not come from a search.
func (t *reminderBuilder) reportAnchors(ctx context.Context) {
	if slices.ContainsFunc(t.hits, func(h engram.Hit) bool { return h.Anchors != nil }) {
		return
	}
	by := t.states(ctx, t.in.Directory, memoriesOf(t.hits))
	for i := range t.hits {
		t.hits[i].Anchors = by[t.hits[i].Memory.Num]
	}
}

// reportAnchors adds anchor states to the notes of a brief.
func (b *briefBuilder) reportAnchors(ctx context.Context) {
	setAnchors(b.notes, b.states(ctx, b.in.Directory, b.worth))
}

func setAnchors(notes engram.Notes, by map[int64][]engram.Anchored) {
	for num, states := range by {
		note := notes[num]
		note.Anchors = states
		notes[num] = note
	}
}

// reportAnchors adds anchor states to the notes of a context.
func (e *Engine) reportAnchors(ctx context.Context, t *contextBuilder) {
	by := e.states(ctx, t.session.Directory, t.worth[:min(len(t.worth), 3*t.most)])
	setAnchors(t.notes, by)
	e.noteAnchors(ctx, by)
}

// anchoredAnew re-anchors a memory that a person confirmed to what its places contain now. It drops anchors to
// code that no longer exists (gone) and keeps those it cannot see; unseen is true if that is all of them.
func (e *Engine) anchoredAnew(ctx context.Context, m engram.Memory) (now, gone []engram.Anchor, unseen bool) {
	if e.code == nil || e.dir == "" || len(m.Anchors) == 0 {
		return m.Anchors, nil, true
	}
	unseen = true
	for _, a := range e.code.States(ctx, e.dir, m.Anchors) {
		place := a.Place()
		switch a.State {
		case engram.AnchorUnknown:
			now = append(now, a.Anchor)
			continue
		case engram.AnchorGone:
			gone, unseen = append(gone, a.Anchor), false
			continue
		case engram.AnchorMoved:
			place = a.Now
		case engram.AnchorChanged:
			place.Path = cmp.Or(a.Now.Path, place.Path)
		}
		unseen = false
		anew, err := e.code.Anchors(ctx, e.dir, nil, []engram.Place{place})
		if err != nil || len(anew) == 0 {
			now = append(now, a.Anchor)
			continue
		}
		anew[0].Named = a.Named
		now = append(now, anew[0])
	}
	return engram.CleanAnchors(now), gone, unseen
}

// anchorAnew computes new anchors before the transaction of a review.
func (e *Engine) anchorAnew(ctx context.Context, ref engram.Ref) (a precomputedAnchors) {
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		a.was, err = live(ctx, r, ref)
		return err
	})
	if err != nil {
		return precomputedAnchors{} // the review reports the error
	}
	a.now, a.gone, a.unseen = e.anchoredAnew(ctx, a.was)
	return a
}

// renewAnchors re-anchors a reviewed memory, unless its anchors changed meanwhile. If its code cannot be seen
// (unseen), it changes nothing, and the memory stays in the queue.
func renewAnchors(ctx context.Context, o *op, a precomputedAnchors, m *engram.Memory, res *ReviewResult) (unseen bool, err error) {
	if a.was.Num != m.Num || len(m.Anchors) == 0 || !slices.Equal(a.was.Anchors, m.Anchors) {
		return false, nil
	}
	if a.unseen {
		return true, nil
	}
	m.Anchors, res.Released = a.now, a.gone
	res.Anchored = slices.DeleteFunc(slices.Clone(a.now), func(now engram.Anchor) bool { return slices.Contains(a.was.Anchors, now) })
	return false, o.tx.NoteAnchors(ctx, map[int64]engram.AnchorState{m.Num: engram.AnchorVerified})
}

// placesOfAnchors lists the places of anchors for a person.
func placesOfAnchors(all []engram.Anchor) string { return strings.Join(placeNames(all), ", ") }

// placeNames returns the places of anchors as a person writes them; nil for none.
func placeNames(all []engram.Anchor) (names []string) {
	for _, a := range all {
		names = append(names, a.Place().String())
	}
	return names
}
