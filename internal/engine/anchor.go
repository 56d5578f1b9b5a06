package engine

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/redact"
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
