package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Apply carries out Plan and returns the changes: those of the parts in order, then those of files
// that the agent no longer uses (Former). If a write fails, it restores the files written before.
// Errors are those of Plan, and CodeUnavailable for a failed write.
func (w *Wirer) Apply(ctx context.Context, agent string, parts []Part) ([]Change, error) {
	var all []Change
	err := w.alone(ctx, func(s *state) (err error) {
		if all, err = s.plan(agent, parts); err != nil {
			return err
		}
		if !s.has(agent) && traceOf(parts) == Sure {
			w.adopt(s, agent, parts)
			if err := w.keepCopies(s); err != nil {
				return err
			}
		}
		var done []written
		for n, c := range all {
			if err = ctx.Err(); err == nil {
				was := s.Files[c.Path].copy()
				if err = w.put(s, agent, c, parts[n]); err == nil {
					done = append(done, written{c, was})
				}
			}
			if err != nil {
				return errors.Join(err, w.back(s, done))
			}
		}
		all = append(all, w.moveOn(s, agent, parts, true)...)
		return w.tidy(s)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// written is a change that was made, and the file's record before it.
type written struct {
	Change
	was *wired
}

// alone runs fn while no other process runs a setup.
func (w *Wirer) alone(ctx context.Context, fn func(*state) error) (err error) {
	if err := os.MkdirAll(w.o.Dir, 0o700); err != nil {
		return unwritable(w.o.Dir, err)
	}
	release, err := w.o.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	s, err := w.load()
	if err != nil {
		return err
	}
	return fn(s)
}

func (w *Wirer) put(s *state, agent string, c Change, p Part) error {
	if !c.Changed() {
		return w.join(s, agent, p)
	}
	f, err := read(c.Path)
	if err != nil {
		return err
	}
	if sum(f.content) != sum(c.Before) {
		return engram.Errorf(engram.CodeConflict, "%s was changed by another program just now", c.Path).WithHint("try again")
	}
	if c.Kept != "" {
		if err := keepAt(c.Kept, c.Before); err != nil {
			return err
		}
	}
	was := s.Files[c.Path].copy()
	if err = w.remember(s, agent, c, p, f); err == nil {
		if err = os.MkdirAll(filepath.Dir(f.real), 0o755); err == nil {
			err = write(f, c.After, p.Mode)
		}
		if err != nil {
			err = unwritable(c.Path, err)
		}
	}
	if err != nil { // nothing was written, so restore the record
		s.set(c.Path, was)
		s.leave(c.Path)
		return errors.Join(err, w.save(s))
	}
	return nil
}

// join records an agent whose part is already in a file because another agent shares it.
func (w *Wirer) join(s *state, agent string, p Part) error {
	known := s.Files[p.Path]
	if known == nil || p.Shared == "" || s.of(agent, p.Path) != nil {
		return nil
	}
	for _, part := range known.Agents {
		if part == p.Shared {
			known.Agents[agent] = p.Shared
			return w.save(s)
		}
	}
	return nil
}

// remember records the original of a file and its new content.
func (w *Wirer) remember(s *state, agent string, c Change, p Part, f file) error {
	known := s.Files[c.Path]
	switch {
	case known == nil || f.content == nil || sum(f.content) == known.Before:
		known = &wired{Mode: f.mode, Before: sum(f.content), Agents: map[string]string{}}
		if f.content != nil {
			if err := w.keep(f.content); err != nil {
				return err
			}
		}
	case p.Remove != nil && !known.knows(f.content):
		known.Touched = true
	}
	if p.Remove == nil {
		known.Touched = !p.pure(c.After)
	}
	known.At, known.Last, known.After = w.o.Now().UTC(), sum(f.content), sum(c.After)
	known.Agents[agent] = p.Shared
	s.Files[c.Path] = known
	if n, known := slices.BinarySearch(s.Programs, w.o.Program); !known && w.o.Program != "" {
		s.Programs = slices.Insert(s.Programs, n, w.o.Program)
	}
	for _, dir := range f.missing {
		if !slices.Contains(s.Folders, dir) {
			s.Folders = append(s.Folders, dir)
		}
	}
	return w.save(s)
}

// missing returns the missing folders on the way to dir, outermost first.
func missing(dir string) []string {
	var all []string
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			slices.Reverse(all)
			return all
		}
		all = append(all, dir)
		dir = filepath.Dir(dir)
	}
}

// back restores files after a failed Apply.
func (w *Wirer) back(s *state, done []written) error {
	var failed error
	for _, c := range slices.Backward(done) {
		s.set(c.Path, c.was)
		if !c.Changed() {
			continue
		}
		f, err := read(c.Path)
		switch {
		case err != nil:
		case c.Before != nil:
			err = write(f, c.Before, 0)
		default:
			if err = os.Remove(f.real); err == nil {
				s.leave(c.Path)
			}
		}
		failed = errors.Join(failed, err)
	}
	return errors.Join(failed, w.save(s), w.tidy(s))
}

// set sets the record of a file; nil removes it.
func (s *state) set(path string, w *wired) {
	if w == nil {
		delete(s.Files, path)
		return
	}
	s.Files[path] = w
}

// leave removes the folders created for a removed file if they are empty.
func (s *state) leave(path string) {
	for n, dir := range slices.Backward(s.Folders) {
		inside, err := filepath.Rel(dir, path)
		if err != nil || strings.HasPrefix(inside, "..") {
			continue
		}
		if is, err := os.Lstat(dir); err == nil && !is.IsDir() {
			continue // someone replaced it by a link
		}
		if err := os.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			s.Folders = slices.Delete(s.Folders, n, n+1)
		}
	}
}
