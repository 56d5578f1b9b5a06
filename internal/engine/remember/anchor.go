package remember

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// anchorSave sets a draft's anchors: the requested files and those that its text names.
func (w *Writer) anchorSave(ctx context.Context, t *Intake) (err error) {
	t.remembered = false
	asked, err := anchors.PlacesOf(t.in.Files)
	if err != nil {
		return err
	}
	named := capture.Places(t.Draft.Title + "\n" + t.Draft.Content)
	if len(asked)+len(named) == 0 {
		return nil
	}
	dir, err := w.folderOfSave(ctx, t, len(asked) > 0)
	if err != nil {
		return err
	}
	if t.Draft.Anchors, err = w.anchors.Anchors(ctx, dir, asked, named); len(t.Draft.Anchors) == 0 {
		return err
	}
	if err != nil || w.speaksOf(ctx, t.Draft.Project, dir) {
		return err
	}
	t.Draft.Anchors = engram.CleanAnchors(slices.DeleteFunc(t.Draft.Anchors, func(a engram.Anchor) bool { return a.Named }))
	return nil
}

// speaksOf reports whether names in a memory's text mean files in dir. A README.md exists everywhere, and a
// memory saved from here for another project means its own.
func (w *Writer) speaksOf(ctx context.Context, project, dir string) bool {
	at, err := w.projects.FolderProject(ctx, projects.ProjectRequest{Dir: dir, Lenient: true})
	return err == nil && (project == "" || at.Name == project)
}

// folderOfSave returns the folder that file names are relative to: the caller's folder for requested files, the
// session's folder for names in the text, since the session may work elsewhere than the server.
func (w *Writer) folderOfSave(ctx context.Context, t *Intake, asked bool) (string, error) {
	if asked && t.in.Directory != "" {
		return t.in.Directory, nil
	}
	dir, known := w.folders.get(t.Draft.SessionID)
	if known && !asked { // an error about a file must be right at once
		t.folder, t.remembered = dir, true
		return cmp.Or(dir, t.in.Directory, w.ledger.Caller.Dir), nil
	}
	dir, err := w.anchors.FolderOfSession(ctx, t.Draft.SessionID)
	if err == nil && t.Draft.SessionID != "" {
		w.folders.put(t.Draft.SessionID, dir)
	}
	return cmp.Or(dir, t.in.Directory, w.ledger.Caller.Dir), err
}

// PrecomputedAnchors are anchors looked up before the transaction, for the memory as it was then.
type PrecomputedAnchors struct {
	Was    engram.Memory
	Now    []engram.Anchor
	Unseen bool            // the code cannot be seen from here
	Gone   []engram.Anchor // anchors of was whose code no longer exists
	from   anchors.CodeFolder
}

// codeFolderOf returns the folder for an update: that of the memory's session if in.InSession, else the engine's.
func (w *Writer) codeFolderOf(ctx context.Context, was engram.Memory, in UpdateInput) (s anchors.CodeFolder, err error) {
	s.Dir = w.ledger.Caller.Dir
	if in.InSession {
		if s.Dir, err = w.anchors.FolderOf(ctx, was.SessionID); err != nil {
			return s, err
		}
	}
	if in.Project != nil {
		was.Project = *in.Project
	}
	s.Foreign = s.Dir != "" && !w.speaksOf(ctx, was.Project, s.Dir)
	return s, nil
}

// anchorAhead looks up anchors before the transaction of an update: files may be on a slow disk.
func (w *Writer) anchorAhead(ctx context.Context, in UpdateInput) (a PrecomputedAnchors, err error) {
	if in.Files == nil && in.Title == nil && in.Content == nil {
		return a, nil
	}
	err = w.ledger.View(ctx, func(r engram.Reader) error {
		a.Was, err = ledger.Live(ctx, r, in.Ref)
		return err
	})
	if err != nil {
		return PrecomputedAnchors{from: anchors.CodeFolder{Dir: w.ledger.Caller.Dir, Foreign: true}}, nil // the update says what is wrong
	}
	if a.from, err = w.codeFolderOf(ctx, a.Was, in); err != nil {
		return a, err
	}
	a.Now, err = w.anchorUpdate(ctx, a.Was, in, a.from)
	return a, err
}

// anchorsFor returns the anchors computed before the transaction, or recomputes them if the memory changed
// meanwhile.
func (w *Writer) anchorsFor(ctx context.Context, a PrecomputedAnchors, was engram.Memory, in UpdateInput) ([]engram.Anchor, error) {
	if a.Was.Num == was.Num && a.Was.Title == was.Title && a.Was.Content == was.Content && slices.Equal(a.Was.Anchors, was.Anchors) {
		return a.Now, nil
	}
	return w.anchorUpdate(ctx, was, in, a.from)
}

// anchorUpdate returns a memory's anchors after a change. New text keeps requested files, and drops places that
// only the old text named.
func (w *Writer) anchorUpdate(ctx context.Context, was engram.Memory, in UpdateInput, from anchors.CodeFolder) ([]engram.Anchor, error) {
	now := was
	if in.Title != nil {
		now.Title = screen.Line(*in.Title)
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
		if asked, err = anchors.PlacesOf(*in.Files); err != nil {
			return nil, err
		}
	}
	if said {
		named = capture.Places(now.Title + "\n" + now.Content)
	}
	looked := named
	if from.Foreign {
		looked = nil
	}
	made, err := w.anchors.Anchors(ctx, from.Dir, asked, looked)
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

// anchoredAnew re-anchors a memory that a person confirmed to what its places contain now. It drops anchors to
// code that no longer exists (gone) and keeps those it cannot see; unseen is true if that is all of them.
func (w *Writer) anchoredAnew(ctx context.Context, m engram.Memory) (now, gone []engram.Anchor, unseen bool) {
	if w.anchors.Code == nil || w.ledger.Caller.Dir == "" || len(m.Anchors) == 0 {
		return m.Anchors, nil, true
	}
	unseen = true
	for _, a := range w.anchors.Code.States(ctx, w.ledger.Caller.Dir, m.Anchors) {
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
		anew, err := w.anchors.Code.Anchors(ctx, w.ledger.Caller.Dir, nil, []engram.Place{place})
		if err != nil || len(anew) == 0 {
			now = append(now, a.Anchor)
			continue
		}
		anew[0].Named = a.Named
		now = append(now, anew[0])
	}
	return engram.CleanAnchors(now), gone, unseen
}

// AnchorAnew computes new anchors before the transaction of a review.
func (w *Writer) AnchorAnew(ctx context.Context, ref engram.Ref) (a PrecomputedAnchors) {
	err := w.ledger.View(ctx, func(r engram.Reader) (err error) {
		a.Was, err = ledger.Live(ctx, r, ref)
		return err
	})
	if err != nil {
		return PrecomputedAnchors{} // the review reports the error
	}
	a.Now, a.Gone, a.Unseen = w.anchoredAnew(ctx, a.Was)
	return a
}
