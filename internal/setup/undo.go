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

// Undone is what became of a file by Undo. Its Left says why our part could not be taken out.
type Undone struct {
	Change
	// Guessed says that nobody remembers what the file was: our part was taken out, and the rest
	// is as it is.
	Guessed bool
}

// Undo removes what Apply put into the files of an agent, from all files or none. A file that nobody
// changed since is restored to the byte, with its mode, when its last agent goes; from a changed one
// only our part is removed. Empty folders that Apply created go too. Text that somebody wrote into a
// file of ours is kept aside (Change.Kept). Without a record, what is recognisably ours is removed
// (Undone.Guessed).
//
// The files come with the error, too: CodeUnavailable for one that cannot be read or written,
// CodeInvalid for one that cannot be parsed.
func (w *Wirer) Undo(ctx context.Context, agent string, parts []Part) ([]Undone, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	if !s.has(agent) && len(w.adopt(s, agent, parts)) == 0 && !s.has(agent) {
		return nil, nil // without making a folder for the lock
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

// PlanUndo says what Undo would do, and changes nothing.
func (w *Wirer) PlanUndo(agent string, parts []Part) ([]Undone, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	var all []Undone
	if !s.has(agent) {
		all = w.adopt(s, agent, parts)
	}
	done, _ := w.restoreAll(s, agent, parts, false) // each file says its own
	return append(all, done...), nil
}

// restoreAll takes the parts of an agent out of all of its files; without doing it says only how.
// Where that finds one which cannot be undone, it says of the others that they stay, too: an entry
// that is left behind would call what is gone.
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

// filesOf are the files in which parts of an agent are, sorted.
func (s *state) filesOf(agent string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Files)), func(path string) bool { return s.of(agent, path) == nil })
}

// restore takes the part of an agent out of one file; without doing it says only how.
func (w *Wirer) restore(s *state, agent string, p Part, do bool) (Undone, error) {
	f, err := read(p.Path)
	if err != nil {
		return Undone{Change: Change{Path: p.Path}}, err
	}
	done, mode, err := w.undone(s, agent, p, f)
	if err != nil {
		return done, err
	}
	if done.After != nil && done.Changed() && f.mode&0o200 == 0 { // told by a plan, too
		return done, unwritable(p.Path, fs.ErrPermission)
	}
	if !do {
		return done, nil
	}
	return done, w.take(s, agent, done.Change, f, mode)
}

// undone is a file without the part of an agent, and the mode that it gets.
func (w *Wirer) undone(s *state, agent string, p Part, f file) (done Undone, mode fs.FileMode, err error) {
	was := s.Files[p.Path]
	done, mode = Undone{Change: Change{Path: p.Path, Before: f.content, After: f.content}}, f.mode
	before, err := w.kept(s, was.Before)
	lost := errors.Is(err, fs.ErrNotExist)
	if err != nil && !lost {
		return done, mode, err
	}
	alone, own, as := len(was.Agents) == 1, p.Remove == nil, was.knows(f.content) && !was.Touched // as we wrote it
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
			before = []byte{} // there was a file, and nobody has it any more
		}
		if done.After, err = p.Remove(f.content, before); err != nil {
			return done, mode, inFile(p.Path, err)
		}
		if done.After == nil && (!alone || before != nil) {
			done.After = []byte{} // somebody else's file, and empty
		}
	}
	done.Guessed = done.Changed() && (lost || was.Guessed)
	return done, mode, nil
}

// take writes what becomes of a file, and forgets the agent.
func (w *Wirer) take(s *state, agent string, c Change, f file, mode fs.FileMode) error {
	was := s.Files[c.Path]
	if c.Changed() {
		if c.Kept != "" {
			if err := keepAt(c.Kept, c.Before); err != nil {
				return err
			}
		}
		if len(was.Agents) > 1 { // a kill between the two writes must not look like a change by hand
			was.Last, was.After = sum(f.content), sum(c.After)
			if err := w.save(s); err != nil {
				return err
			}
		}
		if err := replace(c.Path, f, c.After, mode); err != nil {
			return unwritable(c.Path, err)
		}
	}
	_ = atomicfile.Sweep(f.real) // what a kill left beside it
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

// replace writes the file at a path with a mode, or removes it, and with it a link that led to it: we
// made a file there, and somebody has moved it away since.
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
