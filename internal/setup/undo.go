package setup

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Undone is what became of a file by Undo.
type Undone struct {
	Change
	// Left says why our part could not be taken out; "" when it was.
	Left string
}

// Undo takes out what Apply put into the files of an agent. A file that is as Apply left it
// becomes what it was, to the byte and with its mode; of one that was changed since only our
// part is taken out. Folders that were made for it and are empty are removed. What is not
// wired is undone already.
//
// CodeUnavailable for what cannot be read or written.
func (w *Wirer) Undo(ctx context.Context, agent string, parts []Part) ([]Undone, error) {
	var all []Undone
	err := w.alone(ctx, func(s *state) error {
		for _, path := range slices.Sorted(maps.Keys(s.Agents[agent])) {
			p := Part{Path: path}
			if n := slices.IndexFunc(parts, func(p Part) bool { return p.Path == path }); n >= 0 {
				p = parts[n]
			}
			done, err := w.restore(s, agent, p)
			if err != nil {
				return err
			}
			if all = append(all, done); done.Left == "" {
				if err := w.save(s); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return all, err
}

// restore takes our part out of one file.
func (w *Wirer) restore(s *state, agent string, p Part) (Undone, error) {
	was := s.Agents[agent][p.Path]
	f, err := read(p.Path)
	if err != nil {
		return Undone{}, err
	}
	done := Undone{Change: Change{Path: p.Path, Before: f.content, After: f.content}}
	switch is := sum(f.content); {
	case f.content == nil, is == was.Before:
	case is == was.After && !was.Existed:
		if err := os.Remove(f.real); err != nil {
			return done, unwritable(p.Path, err)
		}
		done.After = nil
	case is == was.After:
		if done.After, err = w.kept(was.Before); err != nil {
			return done, err
		}
		if err := write(f, done.After, was.Mode); err != nil {
			return done, unwritable(p.Path, err)
		}
	case p.Remove == nil:
		done.Left = "it was changed since engram wrote it"
		return done, nil
	default:
		if done.After, err = p.Remove(f.content); err != nil {
			return done, inFile(p.Path, err)
		}
		if err := write(f, done.After, f.mode); err != nil {
			return done, unwritable(p.Path, err)
		}
		if err := w.passOn(s, agent, p, was, f.content, done.After); err != nil {
			return done, err
		}
	}
	if done.After == nil {
		for _, dir := range slices.Backward(was.Folders) {
			if os.Remove(dir) != nil {
				break // something else is in it
			}
		}
	}
	if delete(s.Agents[agent], p.Path); len(s.Agents[agent]) == 0 {
		delete(s.Agents, agent)
	}
	return done, nil
}

// passOn tells the other agents that are in the same file what it is now, and that our part
// was none of what it was before them.
func (w *Wirer) passOn(s *state, agent string, p Part, was wired, content, now []byte) error {
	for name, files := range s.Agents {
		other, shared := files[p.Path]
		if name == agent || !shared || other.After != sum(content) {
			continue
		}
		switch {
		case other.Existed && other.Before == was.After:
			other.Existed, other.Before, other.Mode, other.Folders = was.Existed, was.Before, was.Mode, was.Folders
		case other.Existed:
			before, err := w.kept(other.Before)
			if err != nil {
				return err
			}
			if before, err = p.Remove(before); err != nil {
				return inFile(p.Path, err)
			}
			if err := w.keep(before); err != nil {
				return err
			}
			other.Before = sum(before)
		}
		other.After = sum(now)
		files[p.Path] = other
	}
	return nil
}

// Status is how a file of an agent stands.
type Status string

// The states of a file.
const (
	Absent  Status = "absent"  // our part is not in it
	Wired   Status = "wired"   // our part is in it, as it would be put in now
	Changed Status = "changed" // our part would be put in otherwise now, or was changed by hand
	Broken  Status = "broken"  // it cannot be understood or read
)

// Status says how the files of an agent stand, in the order of its parts.
func (w *Wirer) Status(agent string, parts []Part) ([]Status, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	all := make([]Status, len(parts))
	for n, p := range parts {
		_, known := s.Agents[agent][p.Path]
		switch c, err := s.change(agent, p); {
		case engram.CodeOf(err) == engram.CodeConflict && known:
			all[n] = Changed
		case err != nil:
			all[n] = Broken
		case !c.Changed():
			all[n] = Wired
		case known && c.Before != nil:
			all[n] = Changed
		default:
			all[n] = Absent
		}
	}
	return all, nil
}
