package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Apply carries out what Plan says, and returns it. When a file cannot be written, those that
// were written before it are what they were.
//
// The errors of Plan, and CodeUnavailable for what cannot be written.
func (w *Wirer) Apply(ctx context.Context, agent string, parts []Part) ([]Change, error) {
	var all []Change
	err := w.alone(ctx, func(s *state) (err error) {
		if all, err = s.plan(agent, parts); err != nil {
			return err
		}
		var done []Change
		for n, c := range all {
			if err = ctx.Err(); err == nil && c.Changed() {
				err = w.put(s, agent, c, parts[n])
			}
			if err != nil {
				return errors.Join(err, w.back(s, agent, done))
			}
			if c.Changed() {
				done = append(done, c)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// alone runs fn while no other process sets anything up.
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

// put writes one file, after it is remembered what it was.
func (w *Wirer) put(s *state, agent string, c Change, p Part) error {
	f, err := read(c.Path)
	if err != nil {
		return err
	}
	if sum(f.content) != sum(c.Before) || (f.content == nil) != (c.Before == nil) {
		return engram.Errorf(engram.CodeConflict, "%s was changed by somebody else just now", c.Path).WithHint("try again")
	}
	if s.Agents[agent] == nil {
		s.Agents[agent] = map[string]wired{}
	}
	if err := w.remember(s, agent, c, f); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.real), 0o755); err != nil {
		return unwritable(c.Path, err)
	}
	if err := write(f, c.After, p.Mode); err != nil {
		return unwritable(c.Path, err)
	}
	return nil
}

// remember notes what a file was before the first time, and what it is made now.
func (w *Wirer) remember(s *state, agent string, c Change, f file) error {
	known, wiredBefore := s.Agents[agent][c.Path]
	if !wiredBefore || f.content == nil || known.After != sum(f.content) {
		known = wired{Existed: f.content != nil, Mode: f.mode, Folders: missing(filepath.Dir(f.real))}
		if known.Existed {
			known.Before = sum(f.content)
			if err := w.keep(f.content); err != nil {
				return err
			}
		}
	}
	known.At, known.After = w.o.Now().UTC(), sum(c.After)
	s.Agents[agent][c.Path] = known
	return w.save(s)
}

// missing are the folders on the way to dir that are not there, the outermost first.
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

// back sets files back that were written in vain.
func (w *Wirer) back(s *state, agent string, done []Change) error {
	var failed error
	for _, c := range slices.Backward(done) {
		_, err := w.restore(s, agent, Part{Path: c.Path})
		failed = errors.Join(failed, err)
	}
	return errors.Join(failed, w.save(s))
}
