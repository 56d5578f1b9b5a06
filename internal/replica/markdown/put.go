package markdown

import (
	"errors"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// notes is an open vault.
type notes struct {
	opts  Options
	how   engram.VaultMode
	vault *os.Root // nil if missing and not to be created
	root  *os.Root // its folder engram/; nil like vault

	state   *state
	changed bool             // state must be written
	files   map[string]found // files under engram/, by sameFile
	links   map[string]bool  // neither files nor folders
	folders map[string]bool  // created or verified

	places  map[engram.ID]string // places of memories
	holders map[string]engram.ID // owners of names, by sameFile
	stray   *strays              // nil: not searched yet
	stems   map[string]engram.ID // nil: not collected yet; by the names in links
	asRead  map[string]asRead    // notes that Edits reported, by path
	remarks []engram.NoteRemark
}

// Remarks implements engram.VaultNotes.
func (n *notes) Remarks() []engram.NoteRemark { return n.remarks }

// remark records a skipped file; name is under engram/.
func (n *notes) remark(name, reason string) {
	n.remarks = append(n.remarks, engram.NoteRemark{Path: shown(name), Reason: reason})
}

// Known implements engram.VaultNotes.
func (n *notes) Known() []engram.ID { return slices.Sorted(maps.Keys(n.state.Notes)) }

// End implements engram.VaultNotes.
func (n *notes) End() error { return errors.Join(n.writeState(), n.close()) }

// tails are the numbers of ID characters in the name of a note: more if a name is taken.
func tails() []int { return []int{6, 10, 16, 26} }

// Place implements engram.VaultNotes. A note keeps its name while its title still implies it; one
// that a person renamed or moved keeps it forever.
func (n *notes) Place(p engram.NotePlace) {
	n.rememberFolder(p.Project)
	x := n.state.Notes[p.ID]
	if x == nil {
		if at := n.strays().of[p.ID]; len(at) > 0 {
			n.settle(p.ID, at[0])
			return
		}
	} else {
		n.follow(p.ID, x)
		if x.Own || slices.ContainsFunc(tails(), func(t int) bool { return sameFile(noteName(p, t)) == sameFile(x.Path) }) {
			n.settle(p.ID, x.Path)
			return
		}
	}
	for _, t := range tails() {
		want := noteName(p, t)
		holder, held := n.holders[sameFile(want)]
		if held && holder != p.ID || n.taken(want) && !slices.Contains(n.strays().of[p.ID], want) {
			continue
		}
		n.settle(p.ID, want)
		return
	}
	// Other files have all of these names.
	want := noteName(p, 26)
	for n.taken(want) {
		want = strings.TrimSuffix(want, suffix) + "-" + digest([]byte(want))[:6] + suffix
	}
	n.settle(p.ID, want)
}

func (n *notes) settle(id engram.ID, name string) {
	n.places[id] = name
	n.holders[sameFile(name)] = id
}

func (n *notes) rememberFolder(project string) {
	if f := projectFolder(project); n.state.Folders[f] != project {
		n.state.Folders[f] = project
		n.changed = true
	}
}

// pathOf returns the present or future path of a memory's note; "" for none.
func (n *notes) pathOf(id engram.ID) string {
	if name, placed := n.places[id]; placed {
		return name
	}
	if x := n.state.Notes[id]; x != nil {
		return x.Path
	}
	return ""
}

// Put implements engram.VaultNotes.
func (n *notes) Put(v engram.VaultNote) (engram.NoteDone, error) {
	m := v.Memory
	if n.places[m.ID] == "" {
		n.Place(engram.NotePlace{ID: m.ID, Project: m.Project, Type: m.Type, Title: m.Title})
	}
	p := putting{notes: n, note: v, want: n.places[m.ID], tailText: n.tail(v), was: n.state.Notes[m.ID]}
	p.said = digest([]byte(p.text(kept{})))
	return p.put()
}

type putting struct {
	*notes
	note     engram.VaultNote
	want     string // its place
	tailText string
	said     string
	was      *noteState // nil for a new note
	done     engram.NoteDone
}

func (p *putting) text(own kept) string { return noteText(p.note.Memory, own) + p.tailText }

func (p *putting) put() (engram.NoteDone, error) {
	if dir := p.barred(p.want); dir != "" {
		p.done.Path = shown(p.want)
		p.remark(p.want, shown(dir)+" is a link or not a folder, so the note was not written")
		return p.end(engram.NoteSkipped)
	}
	at := p.want
	if p.was != nil {
		at = p.was.Path
	}
	p.done.Path = shown(at)
	f, stands := p.file(at)
	switch {
	case !stands && p.was == nil:
		return p.write(kept{}, engram.NoteCreated)
	case !stands && p.taken(at):
		return p.end(engram.NoteEdited) // a link
	case !stands && !p.how.Force:
		return p.end(engram.NoteMissing)
	case !stands:
		return p.write(kept{}, engram.NoteCreated)
	}
	edited := true
	if p.was != nil {
		var err error
		if edited, err = p.changedSince(f, &p.was.fileState); err != nil {
			return p.done, err
		}
		if !edited && p.was.Said == p.said && sameFile(p.was.Path) == sameFile(p.want) {
			return p.end(engram.NoteSkipped)
		}
	}
	return p.over(f, edited)
}

// over writes the note over an existing one and keeps the person's part; an edited one is left
// alone, or renamed if forced.
func (p *putting) over(f found, edited bool) (engram.NoteDone, error) {
	b, err := p.readFile(f.path, maxState)
	if err != nil {
		return p.done, err
	}
	r, bad := readNote(b)
	if bad == nil && r.id == p.note.Memory.ID && string(b) == p.text(r.kept) && sameFile(f.path) == sameFile(p.want) {
		p.left(fileState{digest(b), f.size, f.time}) // it was written, but not the list of notes
		return p.end(engram.NoteSkipped)
	}
	if bad == nil {
		tail := ""
		if p.was != nil {
			tail = p.was.Tail
		}
		bad = r.end(tail)
	}
	if bad != nil {
		r.kept = kept{}
	}
	if !edited || bad == nil && p.untouched(r) {
		if edited && !r.unmarked && p.was != nil && p.was.Said == p.said && sameFile(f.path) == sameFile(p.want) {
			p.left(fileState{digest(b), f.size, f.time}) // only the person's part was edited
			return p.end(engram.NoteSkipped)
		}
		return p.write(r.kept, engram.NoteUpdated)
	}
	if !p.how.Force {
		return p.end(engram.NoteEdited)
	}
	if p.done.Aside, err = p.aside(f.path); err != nil {
		return p.done, err
	}
	return p.write(r.kept, engram.NoteUpdated)
}

// untouched reports whether Engram's part of a note is unedited.
func (p *putting) untouched(r read) bool {
	base, tail := engram.NoteFieldsOf(p.note.Memory).Digest(), digest([]byte(p.tailText))
	if p.was != nil {
		base, tail = p.was.Base, p.was.Tail
	}
	return r.id == p.note.Memory.ID && digest([]byte(r.tail)) == tail && len(r.differs(base)) == 0
}

func (p *putting) write(own kept, act engram.NoteAct) (engram.NoteDone, error) {
	left, still, err := p.notes.write(p.want, []byte(p.text(own)))
	if err != nil {
		return p.done, err
	}
	if !still {
		return p.end(engram.NoteEdited)
	}
	if p.was != nil && sameFile(p.was.Path) != sameFile(p.want) {
		if _, stands := p.file(p.was.Path); stands {
			if err := p.remove(p.was.Path); err != nil {
				return p.done, err
			}
		}
	}
	p.left(left)
	p.done.Path = shown(p.want)
	return p.end(act)
}

func (p *putting) left(f fileState) {
	x := &noteState{Path: p.want, Said: p.said, fileState: f, Tail: digest([]byte(p.tailText)),
		Base: engram.NoteFieldsOf(p.note.Memory).Digest()}
	x.Own = p.was != nil && p.was.Own || p.was == nil && !p.named()
	x.Hand = p.was != nil && p.was.Hand
	p.state.Notes[p.note.Memory.ID] = x
	p.changed = true
}

// named reports whether the note has a name that Engram would give it.
func (p *putting) named() bool {
	m := p.note.Memory
	place := engram.NotePlace{ID: m.ID, Project: m.Project, Type: m.Type, Title: m.Title}
	stem := path.Base(strings.TrimSuffix(noteName(place, tails()[0]), suffix))
	return strings.HasPrefix(path.Base(p.want), strings.TrimSuffix(stem, idTail(m.ID, tails()[0])))
}

func (p *putting) end(act engram.NoteAct) (engram.NoteDone, error) {
	p.done.Act = act
	return p.done, nil
}

// Remove implements engram.VaultNotes.
func (n *notes) Remove(id engram.ID) (engram.NoteDone, error) {
	x := n.state.Notes[id]
	if x == nil {
		return engram.NoteDone{Act: engram.NoteSkipped}, nil
	}
	n.follow(id, x)
	done := engram.NoteDone{Act: engram.NoteDeleted, Path: shown(x.Path)}
	f, stands := n.file(x.Path)
	switch {
	case !stands && n.taken(x.Path):
		done.Act = engram.NoteEdited
		return done, nil
	case !stands:
		done.Act = engram.NoteSkipped // already deleted
	case x.Hand:
		n.remark(x.Path, "its memory is gone, but you wrote the note: delete it if you no longer want it")
		done.Act = engram.NoteSkipped
		return done, nil
	default:
		edited, err := n.changedSince(f, &x.fileState)
		if edited {
			done.Act = engram.NoteEdited
		}
		if err != nil || edited {
			return done, err
		}
		if err := n.remove(x.Path); err != nil {
			return done, err
		}
	}
	delete(n.state.Notes, id)
	n.changed = true
	return done, nil
}

// aside renames a file to a name that is never read, and returns its reported path.
func (n *notes) aside(name string) (string, error) {
	stem := strings.TrimSuffix(name, suffix)
	to := stem + asideSuffix
	for i := 2; n.taken(to); i++ {
		to = stem + "-" + string('0'+rune(i%10)) + asideSuffix
		if i > 9 {
			stem += "-x"
		}
	}
	return shown(to), n.rename(name, to)
}
