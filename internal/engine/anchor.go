package engine

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// Code says what stands in code, and what became of it; internal/git does.
type Code interface {
	// Anchors returns anchors to places as they are now: of asked, one that is none is an error;
	// of named, those that are none are left out.
	Anchors(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error)
	// States tells what became of each anchor, as the worktree has it that dir lies in.
	States(ctx context.Context, dir string, all []engram.Anchor) []engram.Anchored
}

// In returns the same Engine for callers that work in a folder: what they name is looked for
// there, and of what they find is told how it stands there. "" is nowhere.
func (e *Engine) In(dir string) *Engine {
	f := *e
	f.dir = dir
	return &f
}

// anchorEach gives drafts their anchors. Of a batch every item that names what is no file is told.
func (e *Engine) anchorEach(ctx context.Context, intakes []intake, batch bool) error {
	var wrong BatchError
	for i := range intakes {
		switch err := e.anchorSave(ctx, &intakes[i]); {
		case err != nil && batch && ofItem(err):
			wrong.Items = append(wrong.Items, ItemError{i, err})
		case err != nil:
			return err
		}
	}
	if len(wrong.Items) > 0 {
		return &wrong
	}
	return nil
}

// anchorSave gives a draft its anchors: the files that were asked for, and those that its text
// names.
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

// speaksOf reports whether a memory of a project may well speak of the files of a folder: there is
// a README.md everywhere, and a memory that is saved from here for another project means its own.
func (e *Engine) speaksOf(ctx context.Context, project, dir string) bool {
	at, err := e.folderProject(ctx, ProjectRequest{Dir: dir, Lenient: true})
	return err == nil && (project == "" || at.Name == project)
}

// FileError is what is wrong with a file to which somebody wanted to anchor. The *engram.Error in
// it may be CodeNotFound: of the file, not of the memory.
type FileError struct{ Err error }

// Error implements error.
func (f *FileError) Error() string { return f.Err.Error() }

// Unwrap returns the error itself.
func (f *FileError) Unwrap() error { return f.Err }

// anchors are those to places, seen from a folder. What is wrong with one that was asked for is a
// *FileError.
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
		return nil, engram.Errorf(engram.CodeInvalid, "nobody knows where %s is", asked[0].Path).WithHint("name it by its absolute path, or in a session that works in a folder")
	}
	return nil, nil
}

func isRelative(p engram.Place) bool { return !filepath.IsAbs(filepath.FromSlash(p.Path)) }

// placesOf reads how files are named.
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

// folderOfSave is where the files of a save are looked for. Whoever asks for some means those of the
// folder that they are in; what a text names is of the session, which may work elsewhere than the
// server that it talks to.
func (e *Engine) folderOfSave(ctx context.Context, t *intake, asked bool) (string, error) {
	if asked && t.in.Directory != "" {
		return t.in.Directory, nil
	}
	dir, err := e.folderOfSession(ctx, t.draft.SessionID)
	return cmp.Or(dir, t.in.Directory, e.dir), err
}

// folderOf is the folder that a session works in, else the one that the engine is used in.
func (e *Engine) folderOf(ctx context.Context, session string) (string, error) {
	dir, err := e.folderOfSession(ctx, session)
	return cmp.Or(dir, e.dir), err
}

// folderOfSession is the folder that a session works in; "" where it is in none, or nobody knows it.
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

// anchoredAhead are anchors that were looked up before a transaction, for what a memory was then.
type anchoredAhead struct {
	was    engram.Memory
	now    []engram.Anchor
	unseen bool            // none of its code is to be seen from here
	gone   []engram.Anchor // of was, those to what is not there any more
	from   seat
}

// seat is where one looks for the files of a memory.
type seat struct {
	dir     string
	foreign bool // it is of another project than the memory: what a text names is not meant
}

// seatOf is the folder in which a change is made: that of the session of the memory where the
// change came from elsewhere, else the one that the engine is used in.
func (e *Engine) seatOf(ctx context.Context, was engram.Memory, in UpdateInput) (s seat, err error) {
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

// anchorAhead looks up, before the transaction of an update, what it will need: files may lie on a
// slow disk.
func (e *Engine) anchorAhead(ctx context.Context, in UpdateInput) (a anchoredAhead, err error) {
	if in.Files == nil && in.Title == nil && in.Content == nil {
		return a, nil
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		a.was, err = live(ctx, r, in.Ref)
		return err
	})
	if err != nil {
		return anchoredAhead{from: seat{dir: e.dir, foreign: true}}, nil // the update says what is wrong
	}
	if a.from, err = e.seatOf(ctx, a.was, in); err != nil {
		return a, err
	}
	a.now, err = e.anchorUpdate(ctx, a.was, in, a.from)
	return a, err
}

// of are the anchors of what was in the transaction.
func (a anchoredAhead) of(ctx context.Context, o *op, was engram.Memory, in UpdateInput) ([]engram.Anchor, error) {
	if a.was.Num == was.Num && a.was.Title == was.Title && a.was.Content == was.Content && slices.Equal(a.was.Anchors, was.Anchors) {
		return a.now, nil
	}
	return o.anchorUpdate(ctx, was, in, a.from)
}

// anchorUpdate are the anchors that a memory has after a change. Who asked for files is not undone
// by another text; what a text named goes with it.
func (e *Engine) anchorUpdate(ctx context.Context, was engram.Memory, in UpdateInput, from seat) ([]engram.Anchor, error) {
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

// anchorTime is how long somebody looks what became of the code that an answer's memories speak of.
// Ten hits take a millisecond; of a file that went git is asked, which takes 20 where there are a
// thousand commits. What a disk that is asleep keeps busy does not look at the time, so that the
// answer does not wait for it longer than Options.Patience.
const anchorTime = 80 * time.Millisecond

// states tells what became of the anchors of memories, by number; nil where none has any.
func (e *Engine) states(ctx context.Context, ms []engram.Memory) map[int64][]engram.Anchored {
	var all []engram.Anchor
	for _, m := range ms {
		all = append(all, m.Anchors...)
	}
	if len(all) == 0 {
		return nil
	}
	states := make([]engram.Anchored, len(all))
	for i, a := range all {
		states[i].Anchor = a
	}
	if e.code != nil && e.dir != "" {
		states = e.look(ctx, all, states)
	}
	by := make(map[int64][]engram.Anchored, len(ms))
	for _, m := range ms {
		if n := len(m.Anchors); n > 0 {
			by[m.Num], states = states[:n:n], states[n:]
		}
	}
	return by
}

// mostLooks is how many looks at the code are waited for at once: those that a disk keeps for ever
// must not grow in number.
const mostLooks = 16

// Finish waits until nobody looks at code any more, and lets nobody look from then on: what is
// asked after it is not known. It waits for Options.Patience at most; a look that a disk keeps
// longer ends with the process. It reads files alone, never the store, which stays the caller's.
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

// look asks how anchors stand, and gives unknown back when nobody says so in time.
func (e *Engine) look(ctx context.Context, all []engram.Anchor, unknown []engram.Anchored) []engram.Anchored {
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
		said <- e.code.States(limited, e.dir, all)
	}()
	select {
	case states := <-said:
		return states
	case <-patient.Done():
		return unknown
	}
}

// lookAtCode tells of hits what became of the code that they speak of; what it says otherwise by
// now goes behind what is about as good. What was seen is noted for the review.
func (e *Engine) lookAtCode(ctx context.Context, found *engram.Found, in SearchInput) {
	by := e.states(ctx, memoriesOf(found.Hits, found.BelowThreshold))
	if by == nil {
		return
	}
	for _, hits := range [][]engram.Hit{found.Hits, found.BelowThreshold} {
		for i := range hits {
			hits[i].Anchors = by[hits[i].Memory.Num]
		}
		if !in.ByStrength && !in.Rerank { // who asked for another order gets that
			lowerStale(hits)
		}
	}
	e.noteAnchors(ctx, by)
}

// lowerStale multiplies the scores of hits by what the state of their code makes of them, and lets
// those that lost pass behind the ones that are better now. The others keep their order, which is
// not only that of scores.
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
	var ms []engram.Memory
	for _, hits := range lists {
		for _, h := range hits {
			ms = append(ms, h.Memory)
		}
	}
	return ms
}

// noteAnchors notes what was seen of anchors, where it is news: after the answer was found, and
// without failing it. Where another process is writing, it is seen again the next time.
func (e *Engine) noteAnchors(ctx context.Context, by map[int64][]engram.Anchored) {
	seen := map[int64]engram.AnchorState{}
	var nums []int64
	for num, states := range by {
		if s := retrieval.Standing(states); s != engram.AnchorUnknown {
			seen[num] = s
			nums = append(nums, num)
		}
	}
	if len(nums) == 0 {
		return
	}
	err := e.store.View(ctx, func(r engram.Reader) error {
		known, err := r.SeenAnchors(ctx, nums)
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

// inFolderOf is the engine in the folder that a session works in, as far as somebody looks at code.
func (e *Engine) inFolderOf(ctx context.Context, session string) *Engine {
	if e.code == nil || session == "" {
		return e
	}
	dir, err := e.folderOf(ctx, line(session))
	if err != nil || dir == e.dir {
		return e // whoever needs the session says what is wrong
	}
	return e.In(dir)
}

// inFolder is the engine in a folder; "" is the one that it is in.
func (e *Engine) inFolder(dir string) *Engine {
	if dir == "" {
		return e
	}
	return e.In(dir)
}

// reportAnchors adds to hits that nobody searched for what became of their code.
func (t *reminding) reportAnchors(ctx context.Context) {
	if slices.ContainsFunc(t.hits, func(h engram.Hit) bool { return h.Anchors != nil }) {
		return
	}
	by := t.inFolder(t.in.Directory).states(ctx, memoriesOf(t.hits))
	for i := range t.hits {
		t.hits[i].Anchors = by[t.hits[i].Memory.Num]
	}
}

// reportAnchors adds to the notes of a brief what became of the code, as far as memories may be told.
func (b *briefBuilder) reportAnchors(ctx context.Context) {
	for num, states := range b.inFolder(b.in.Directory).states(ctx, b.worth) {
		note := b.notes[num]
		note.Anchors = states
		b.notes[num] = note
	}
}

// reportAnchors adds to the notes of a context what became of the code, as far as memories may be
// told.
func (e *Engine) reportAnchors(ctx context.Context, t *contextBuilder) {
	by := e.states(ctx, t.worth[:min(len(t.worth), 3*t.most)])
	for num, states := range by {
		note := t.notes[num]
		note.Anchors = states
		t.notes[num] = note
	}
	e.noteAnchors(ctx, by)
}

// anchoredAnew are the anchors of a memory of which somebody said that it holds: to what its places
// say now. What is not there any more is let go (gone), and what nobody can see from here stays as it
// was; unseen is when that is all of it.
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

// anchorAnew looks up, before the transaction of a review, how the code of a memory stands.
func (e *Engine) anchorAnew(ctx context.Context, ref engram.Ref) (a anchoredAhead) {
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		a.was, err = live(ctx, r, ref)
		return err
	})
	if err != nil {
		return anchoredAhead{} // the review says what is wrong
	}
	a.now, a.gone, a.unseen = e.anchoredAnew(ctx, a.was)
	return a
}

// anchor anchors a memory that was reviewed, unless it got other anchors meanwhile; it waits for
// nobody any more. Where none of its code is to be seen from here (unseen), nothing becomes of
// them, and what waits because they changed goes on waiting.
func (a anchoredAhead) anchor(ctx context.Context, o *op, m *engram.Memory, res *ReviewResult) (unseen bool, err error) {
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

// placesOfAnchors are the places of anchors, for a person.
func placesOfAnchors(all []engram.Anchor) string { return strings.Join(placeNames(all), ", ") }

// placeNames are the places of anchors, as a person writes them; nil for none.
func placeNames(all []engram.Anchor) (names []string) {
	for _, a := range all {
		names = append(names, a.Place().String())
	}
	return names
}
