package setup

import (
	"path/filepath"
	"slices"
)

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
