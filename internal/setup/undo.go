package setup

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

// Undone is the result of Undo for a file. Left says why our part was not removed.
type Undone struct {
	Change
	// Guessed means that the original is unknown: our part was removed, and the rest is unchanged.
	Guessed bool
}

// Undo removes what Apply put into the files of an agent, from all files or none. A file that was
// not edited since is restored to the byte, with its mode, when its last agent is removed; from an
// edited one only our part is removed. Empty folders that Apply created are removed too. Text that
// a person wrote into a file of ours is copied aside (Change.Kept). Without a record, it removes
// what is recognisably ours (Undone.Guessed).
//
// The files are also returned with an error: CodeUnavailable for one that cannot be read or
// written, CodeInvalid for one that cannot be parsed.
func (w *Wirer) Undo(ctx context.Context, agent string, parts []Part) ([]Undone, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	if !s.has(agent) && len(w.adopt(s, agent, parts)) == 0 && !s.has(agent) {
		return nil, nil // do not create a folder just for the lock
	}
	var all []Undone
	err = w.alone(ctx, func(s *state) error {
		var failed error
		if !s.has(agent) {
			all = w.adopt(s, agent, parts)
			failed = w.keepCopies(s)
		}
		done, err := w.restoreAll(s, agent, parts, false)
		if err == nil {
			done, err = w.restoreAll(s, agent, parts, true)
		}
		all = append(all, done...)
		return errors.Join(failed, err, w.tidy(s))
	})
	return all, err
}

// PlanUndo returns what Undo would do, and changes nothing.
func (w *Wirer) PlanUndo(agent string, parts []Part) ([]Undone, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	var all []Undone
	if !s.has(agent) {
		all = w.adopt(s, agent, parts)
	}
	done, _ := w.restoreAll(s, agent, parts, false) // each file has its own reason
	return append(all, done...), nil
}

// restoreAll removes the parts of an agent from all of its files; without do it only plans that. If
// one cannot be undone, the plan leaves the others too: a remaining entry would call a missing
// program.
func (w *Wirer) restoreAll(s *state, agent string, parts []Part, do bool) (all []Undone, failed error) {
	for _, path := range s.filesOf(agent) {
		done, err := w.restore(s, agent, partAt(parts, path), do)
		if err != nil {
			done.After, done.Left, failed = done.Before, plainly(path, err), errors.Join(failed, err)
		}
		all = append(all, done)
	}
	for n := range all {
		if failed != nil && !do && all[n].Left == "" {
			all[n].After, all[n].Left = all[n].Before, "another file of the agent cannot be undone"
		}
	}
	return all, failed
}

// filesOf returns the files with parts of an agent, sorted.
func (s *state) filesOf(agent string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Files)), func(path string) bool { return s.of(agent, path) == nil })
}

// restore removes the part of an agent from one file; without do it only plans that.
func (w *Wirer) restore(s *state, agent string, p Part, do bool) (Undone, error) {
	f, err := read(p.Path)
	if err != nil {
		return Undone{Change: Change{Path: p.Path}}, err
	}
	done, mode, err := w.undone(s, agent, p, f)
	if err != nil {
		return done, err
	}
	if done.After != nil && done.Changed() && f.mode&0o200 == 0 { // also checked in a plan
		return done, unwritable(p.Path, fs.ErrPermission)
	}
	if !do {
		return done, nil
	}
	return done, w.take(s, agent, done.Change, f, mode)
}

// undone returns a file without the part of an agent, and its new mode.
func (w *Wirer) undone(s *state, agent string, p Part, f file) (done Undone, mode fs.FileMode, err error) {
	was := s.Files[p.Path]
	done, mode = Undone{Change: Change{Path: p.Path, Before: f.content, After: f.content}}, f.mode
	before, err := w.kept(s, was.Before)
	lost := errors.Is(err, fs.ErrNotExist)
	if err != nil && !lost {
		return done, mode, err
	}
	alone, own, as := len(was.Agents) == 1, p.Remove == nil, was.knows(f.content) && !was.Touched // as: unchanged since we wrote it
	switch {
	case f.content == nil, sum(f.content) == was.Before, was.shares(agent), own && !alone:
	case alone && as && !lost:
		done.After, mode = before, was.Mode
	case own && as:
		done.After = nil
	case own:
		done.Change, done.Left = s.restoreOwn(p, f.content, before)
	default:
		if lost {
			before = []byte{} // there was a file, but its copy is lost
		}
		if done.After, err = p.Remove(f.content, before); err != nil {
			return done, mode, inFile(p.Path, err)
		}
		if done.After == nil && (!alone || before != nil) {
			done.After = []byte{} // someone else's file, now empty
		}
	}
	done.Guessed = done.Changed() && (lost || was.Guessed)
	return done, mode, nil
}

// take writes a removal, and deletes the agent from the record.
func (w *Wirer) take(s *state, agent string, c Change, f file, mode fs.FileMode) error {
	was := s.Files[c.Path]
	if c.Changed() {
		if c.Kept != "" {
			if err := keepAt(c.Kept, c.Before); err != nil {
				return err
			}
		}
		if len(was.Agents) > 1 { // a kill between the two writes must not look like an edit
			was.Last, was.After = sum(f.content), sum(c.After)
			if err := w.save(s); err != nil {
				return err
			}
		}
		if err := replace(c.Path, f, c.After, mode); err != nil {
			return unwritable(c.Path, err)
		}
	}
	_ = atomicfile.Sweep(f.real) // files left by a kill
	if c.After == nil {
		s.leave(c.Path)
	}
	if delete(was.Agents, agent); len(was.Agents) == 0 {
		delete(s.Files, c.Path)
	}
	if len(s.Files) == 0 {
		s.Folders, s.Programs = nil, nil
	}
	return w.save(s)
}

// replace writes a file with a mode, or removes it together with a link to it: someone moved our
// file and left a link.
func replace(path string, f file, content []byte, mode fs.FileMode) error {
	if content != nil {
		if f.mode&0o200 == 0 {
			return fs.ErrPermission
		}
		f.mode = mode
		return write(f, content, 0)
	}
	if err := os.Remove(f.real); err != nil {
		return err
	}
	if is, err := os.Lstat(path); err == nil && is.Mode()&fs.ModeSymlink != 0 {
		return os.Remove(path)
	}
	return nil
}

// If the record is lost while our parts are still in the files, the files without our parts count
// as the originals and are recorded as such; Undo reports it (Undone.Guessed).

// Trace is the evidence that an agent without a record was set up.
type Trace int

// Traces of an agent.
const (
	None   Trace = iota
	Unsure       // a person may have added it by hand
	Sure         // only a setup writes it
)

// Trace reports whether an agent without a record has our parts in its files; unreadable files
// count as None. CodeInvalid and CodeUnavailable for a record that cannot be parsed or read.
func (w *Wirer) Trace(agent string, parts []Part) (Trace, error) {
	s, err := w.load()
	if err != nil || s.has(agent) {
		return None, err
	}
	return traceOf(parts), nil
}

func traceOf(parts []Part) Trace {
	found := None
	for _, p := range parts {
		f, err := read(p.Path)
		if err != nil {
			continue
		}
		switch there, sure := p.there(f.content, false); {
		case sure:
			return Sure
		case there:
			found = Unsure
		}
	}
	return found
}

func (s *state) has(agent string) bool {
	for path := range s.Files {
		if s.of(agent, path) != nil {
			return true
		}
	}
	return false
}

// adopt records the parts of an agent that are in its files, and returns those it leaves to a
// person: unreadable files, and files of ours that may have been changed. The copies stay in memory
// until keepCopies writes them.
func (w *Wirer) adopt(s *state, agent string, parts []Part) (left []Undone) {
	ours := traceOf(parts) == Sure
	for _, p := range parts {
		f, err := read(p.Path)
		why := ""
		switch there, _ := p.there(f.content, ours); {
		case errors.Is(err, syscall.ENOTDIR): // no file can be below a file
		case err != nil:
			why = plainly(p.Path, err)
		case there:
			if err := w.adoptFile(s, agent, p, f); err != nil {
				why = plainly(p.Path, inFile(p.Path, err))
			}
		case p.Remove == nil && f.content != nil && p.wrote(f.content):
			why = "it differs from what engram writes now: " + p.differs(f.content)
		}
		if why != "" {
			left = append(left, Undone{Change: Change{Path: p.Path, Before: f.content, After: f.content, Left: why}})
		}
	}
	return left
}

func (w *Wirer) adoptFile(s *state, agent string, p Part, f file) (err error) {
	known, was := s.Files[p.Path], f.content
	switch {
	case known == nil:
		known = &wired{Mode: f.mode, Guessed: true, Agents: map[string]string{}}
	case known.Guessed:
		if was, err = w.kept(s, known.Before); err != nil {
			return err
		}
	default: // recorded for another agent: only our part may be removed
		known.Touched, known.Agents[agent] = true, p.Shared
		return nil
	}
	before, err := p.without(was)
	if err != nil {
		return err
	}
	known.At, known.Before, known.Last, known.After = w.o.Now().UTC(), sum(before), sum(f.content), sum(f.content)
	known.Touched = p.Remove == nil && !p.pure(f.content) && !p.moved(f.content)
	known.Agents[agent] = p.Shared
	s.Files[p.Path] = known
	s.copies[known.Before] = before
	s.Folders = append(s.Folders, foldersOf(p, s.Folders)...)
	return nil
}

// without returns a content without our part: as if there had been no file before, unless the file
// is a link, which only a person makes.
func (p Part) without(content []byte) ([]byte, error) {
	var before []byte
	if is, err := os.Lstat(p.Path); err == nil && is.Mode()&os.ModeSymlink != 0 {
		before = []byte{}
	}
	if p.Remove == nil {
		return before, nil
	}
	return p.Remove(content, before)
}

// foldersOf returns the folders that were created for a file of ours, judging by the name: from one
// called engram down. It leaves out known ones.
func foldersOf(p Part, known []string) (all []string) {
	if p.Remove != nil {
		return nil
	}
	for dir := filepath.Dir(p.Path); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		all = append(all, dir)
		if filepath.Base(dir) == "engram" {
			slices.Reverse(all)
			return slices.DeleteFunc(all, func(dir string) bool { return slices.Contains(known, dir) })
		}
	}
	return nil
}

// keepCopies writes the results of adopt.
func (w *Wirer) keepCopies(s *state) error {
	for _, content := range s.copies {
		if content == nil {
			continue
		}
		if err := w.keep(content); err != nil {
			return err
		}
	}
	return w.save(s)
}

// places returns parts with their alternatives (Part.Instead).
func places(parts []Part) []Part {
	all := slices.Clone(parts)
	for _, p := range parts {
		all = append(all, p.Instead...)
	}
	return all
}

// partAt returns the part for a path: the one with that path or, for shared files, one of the same
// name, since variables move folders. Any other path is a file of ours.
func partAt(parts []Part, path string) Part {
	all := places(parts)
	n := slices.IndexFunc(all, func(p Part) bool { return p.Path == path })
	if n < 0 {
		n = slices.IndexFunc(all, func(p Part) bool { return p.Remove != nil && filepath.Base(p.Path) == filepath.Base(path) })
	}
	if n < 0 {
		return Part{Path: path}
	}
	p := all[n]
	p.Path = path
	return p
}

// Former returns the files, sorted, that have our part from an earlier setup and are not among the
// agent's parts now. Apply removes it from those that are former, because the agent has moved on.
// It stays elsewhere, since the variables that locate the agent's files may differ just now.
func (w *Wirer) Former(agent string, parts []Part) (former, elsewhere []string, err error) {
	s, err := w.load()
	if err != nil {
		return nil, nil, err
	}
	former, elsewhere = s.former(agent, parts)
	return former, elsewhere, nil
}

func (s *state) former(agent string, parts []Part) (former, elsewhere []string) {
	at := func(path string) func(Part) bool { return func(p Part) bool { return p.Path == path } }
	beside := func(path string) func(Part) bool {
		return func(p Part) bool { return filepath.Dir(p.Path) == filepath.Dir(path) }
	}
	for _, path := range s.filesOf(agent) {
		switch {
		case slices.ContainsFunc(parts, at(path)):
		case slices.ContainsFunc(places(parts), at(path)), slices.ContainsFunc(parts, beside(path)):
			former = append(former, path)
		default:
			elsewhere = append(elsewhere, path)
		}
	}
	return former, elsewhere
}

// moveOn removes the part of an agent from its former files; without do it only plans that. A file
// that cannot be undone is left with a reason, since the new wiring works anyway.
func (w *Wirer) moveOn(s *state, agent string, parts []Part, do bool) (all []Change) {
	former, _ := s.former(agent, parts)
	for _, path := range former {
		done, err := w.restore(s, agent, partAt(parts, path), do)
		if err != nil {
			done.Left = plainly(path, err)
		}
		done.Former = true
		all = append(all, done.Change)
	}
	return all
}

// DataDirOf returns the data directory with which an agent's files call this program, the first
// that any of them has; "" for the default and for unreadable files.
func (w *Wirer) DataDirOf(parts []Part) string {
	for _, p := range places(parts) {
		if p.DataDir == nil {
			continue
		}
		if f, err := read(p.Path); err == nil && f.content != nil {
			if dir := p.DataDir(f.content); dir != "" {
				return dir
			}
		}
	}
	return ""
}
