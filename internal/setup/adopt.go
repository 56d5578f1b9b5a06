package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

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
