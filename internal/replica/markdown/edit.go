package markdown

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// strays are notes that are not at their place in the list of notes.
type strays struct {
	of   map[engram.ID][]string // by the memory they name
	new  []string               // without a memory
	bad  []stray                // unreadable
	read map[string]read
}

type stray struct {
	path string
	*flaw
}

// asRead is the file of a note when Edits reported it.
type asRead struct {
	fileState
	tail string
}

// strays finds notes that are not in the list, once.
func (n *notes) strays() *strays {
	if n.stray != nil {
		return n.stray
	}
	s := &strays{of: map[engram.ID][]string{}, read: map[string]read{}}
	n.stray = s
	listed := map[string]bool{}
	for _, x := range n.state.Notes {
		listed[sameFile(x.Path)] = true
	}
	for _, x := range n.state.Hubs {
		listed[sameFile(x.Path)] = true
	}
	for _, key := range slices.Sorted(maps.Keys(n.files)) {
		f := n.files[key]
		if listed[key] || !noteLike(f.path) {
			continue
		}
		n.asRead[f.path] = asRead{}
		b, err := n.readFile(f.path, maxNote)
		if err != nil {
			s.bad = append(s.bad, stray{f.path, &flaw{0, asError(err)}})
			continue
		}
		r, bad := readNote(b)
		if bad == nil && r.unmerged > 0 {
			bad = &flaw{r.unmerged, errUnmerged()}
		}
		if bad == nil {
			bad = r.end("")
		}
		switch {
		case bad != nil:
			s.bad = append(s.bad, stray{f.path, bad})
			continue
		case r.foreign:
			s.bad = append(s.bad, stray{f.path, &flaw{0, engram.Errorf(engram.CodeInvalid, "its id is not that of a memory").
				WithHint("remove the line id to make it a new memory")}})
			continue
		case r.id != "":
			s.of[r.id] = append(s.of[r.id], f.path)
		default:
			s.new = append(s.new, f.path)
		}
		s.read[f.path] = r
		n.asRead[f.path] = asRead{fileState{digest(b), f.size, f.time}, digest([]byte(r.tail))}
	}
	return s
}

// noteLike reports whether a file may be the note of a memory: not a hub or a conflict copy.
func noteLike(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.HasSuffix(strings.ToLower(name), suffix) && !strings.HasSuffix(strings.ToLower(name), asideSuffix) &&
		(!strings.HasPrefix(first, "_") || first == noProject)
}

// follow finds the note of a memory that a person moved, and keeps its new place.
func (n *notes) follow(id engram.ID, x *noteState) {
	if _, stands := n.file(x.Path); stands || n.taken(x.Path) {
		return
	}
	if at := n.strays().of[id]; len(at) > 0 {
		delete(n.holders, sameFile(x.Path))
		x.Path, x.Own, n.changed = at[0], true, true
		n.holders[sameFile(x.Path)] = id
		n.stray.of[id] = at[1:]
	}
}

// differs returns the changed fields of a note.
func (r read) differs(base engram.NoteDigest) []string {
	return slices.DeleteFunc(r.fields.Digest().Differs(base), func(f string) bool { return slices.Contains(r.lacks, f) })
}

// Edits implements engram.VaultNotes: known notes first, then others.
func (n *notes) Edits(ctx context.Context) iter.Seq2[engram.NoteEdit, error] {
	return func(yield func(engram.NoteEdit, error) bool) {
		for _, id := range n.Known() {
			if err := ctx.Err(); err != nil {
				yield(engram.NoteEdit{}, err)
				return
			}
			if e, ok := n.edit(id, n.state.Notes[id]); ok && !yield(e, nil) {
				return
			}
		}
		for e := range n.unknown() {
			if err := ctx.Err(); err != nil {
				yield(engram.NoteEdit{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// edit returns the edit of a known note; ok is false without one.
func (n *notes) edit(id engram.ID, x *noteState) (e engram.NoteEdit, ok bool) {
	n.follow(id, x)
	base := x.Base
	e = engram.NoteEdit{Path: shown(x.Path), ID: id, Base: &base}
	f, stands := n.file(x.Path)
	switch {
	case !stands && n.taken(x.Path):
		e.Flaw = engram.Errorf(engram.CodeInvalid, "it is a link now").WithHint("replace it by the file; links are not followed")
		return e, true
	case !stands:
		e.Deleted = true
		return e, true
	}
	if changed, err := n.changedSince(f, &x.fileState); err == nil && !changed {
		return e, false
	}
	b, err := n.readFile(f.path, maxNote)
	if err != nil {
		e.Flaw = asError(err)
		return e, true
	}
	r, bad := readNote(b)
	switch {
	case bad != nil:
		e.Line, e.Flaw = bad.line, bad.err
		return e, true
	case r.id != id && !(x.Hand && r.id == "" && !r.foreign):
		e.Flaw = engram.Errorf(engram.CodeInvalid, "its id is missing or changed").WithHint("restore the line id: %s", id)
		return e, true
	}
	if bad := r.end(x.Tail); bad != nil {
		e.Line, e.Flaw = bad.line, bad.err
		return e, true
	}
	if r.unmarked {
		x.Said, n.changed = "", true // the next export restores the marker
	}
	if r.unmerged > 0 {
		e.Line, e.Flaw = r.unmerged, errUnmerged()
	}
	tail := digest([]byte(r.tail))
	n.asRead[e.Path] = asRead{fileState{digest(b), f.size, f.time}, tail}
	if tail != x.Tail {
		e.Ignored = append(e.Ignored, "text below the line that ends the memory is ignored; move it above")
	}
	if e.Flaw == nil && len(r.differs(base)) == 0 && tail == x.Tail {
		x.fileState, n.changed = fileState{digest(b), f.size, f.time}, true // only the person's own parts were edited
		return e, false
	}
	e.Project, e.Fields, e.Lacks, e.Unended = r.project, r.fields, r.lacks, r.unmarked
	return e, true
}

// unknown yields notes that people wrote, and notes of unknown state.
func (n *notes) unknown() iter.Seq[engram.NoteEdit] {
	return func(yield func(engram.NoteEdit) bool) {
		s := n.strays()
		for _, id := range slices.Sorted(maps.Keys(s.of)) {
			for i, name := range s.of[id] {
				r := s.read[name]
				e := engram.NoteEdit{Path: shown(name), ID: id, Project: r.project, Fields: r.fields, Lacks: r.lacks}
				n.asRead[e.Path] = n.asRead[name]
				if n.state.Notes[id] != nil || i > 0 {
					e.Flaw = engram.Errorf(engram.CodeInvalid, "%s has a note already", id).
						WithHint("remove its id to make it a new memory")
				}
				if !yield(e) {
					return
				}
			}
		}
		for _, name := range s.new {
			e, ok := n.newNote(name, s.read[name])
			if !ok && s.read[name].fields.Content != "" {
				n.remark(name, "it names no project, so it was skipped: move it into a project's folder, or add a line project: NAME")
			}
			if ok && !yield(e) {
				return
			}
		}
		for _, x := range s.bad {
			if !yield(engram.NoteEdit{Path: shown(x.path), Line: x.line, Flaw: x.err}) {
				return
			}
		}
	}
}

// newNote returns a note that a person wrote; ok is false if it is empty, or has neither a folder
// nor a project.
func (n *notes) newNote(name string, r read) (e engram.NoteEdit, ok bool) {
	if r.fields.Content == "" {
		return e, false
	}
	e = engram.NoteEdit{Path: shown(name), Project: r.project, Fields: r.fields, Lacks: r.lacks}
	n.asRead[e.Path] = n.asRead[name]
	parts := strings.Split(name, "/")
	if e.Project == "" && len(parts) == 1 {
		return e, false
	}
	if e.Project == "" && parts[0] != noProject {
		e.Project = parts[0]
		if named, known := n.state.Folders[parts[0]]; known {
			e.Project = named
		}
	}
	if e.Fields.Type == "" && len(parts) > 2 && folder(parts[1], typeBytes) == parts[1] {
		e.Fields.Type = engram.Type(parts[1])
	}
	e.Fields.Title = cmp.Or(e.Fields.Title, titleOf(r.fields.Content, parts[len(parts)-1]))
	return e, true
}

// titleOf returns the heading at the start of a text, or the name of its file.
func titleOf(content, file string) string {
	first, _, _ := strings.Cut(content, "\n")
	if heading, is := strings.CutPrefix(first, "# "); is && strings.TrimSpace(heading) != "" {
		return strings.TrimSpace(heading)
	}
	return strings.TrimSuffix(file, path.Ext(file))
}

// under returns the path below engram/ of a path in the vault.
func under(shownPath string) string { return strings.TrimPrefix(shownPath, folderName+"/") }

// Settle implements engram.VaultNotes.
func (n *notes) Settle(e engram.NoteEdit, id engram.ID, base engram.NoteDigest) error {
	r, known := n.asRead[e.Path]
	if !known {
		return engram.Errorf(engram.CodeInternal, "note %s was not reported", e.Path)
	}
	x := n.state.Notes[id]
	if x == nil {
		x = &noteState{Path: under(e.Path), Own: true, Hand: e.ID == "", fileState: r.fileState, Tail: r.tail}
		n.state.Notes[id] = x
		n.holders[sameFile(x.Path)] = id
	}
	x.Base, x.Said, n.changed = base, "", true
	if r.tail == x.Tail { // otherwise the text below the marker would be lost
		x.fileState = r.fileState
	}
	return nil
}

// SetAside implements engram.VaultNotes.
func (n *notes) SetAside(e engram.NoteEdit) (string, error) {
	if _, stands := n.file(under(e.Path)); !stands {
		return "", errors.New("note " + e.Path + " does not exist")
	}
	at, err := n.aside(under(e.Path))
	if err != nil {
		return "", err
	}
	n.Drop(e)
	return at, nil
}

// Drop implements engram.VaultNotes.
func (n *notes) Drop(e engram.NoteEdit) {
	if x := n.state.Notes[e.ID]; x != nil {
		delete(n.holders, sameFile(x.Path))
		delete(n.state.Notes, e.ID)
		n.changed = true
	}
}
