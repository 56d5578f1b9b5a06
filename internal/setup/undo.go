package setup

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

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
