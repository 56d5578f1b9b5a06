// Package setup connects agents to Engram: it adds entries to their configuration and plugin files
// beside it, records the originals, and removes its changes again.
//
// A wiring is planned first, and the plan can be shown. Applying it reads every file again and
// rejects one that changed meanwhile. Writes are atomic (atomicfile) and keep links and modes. The
// original of a file is stored before its first change, so that Undo works after a kill at any
// moment.
package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// Change is the change of a file.
type Change struct {
	Path   string
	Before []byte // nil: no file
	After  []byte // nil: no file
	// Taken means that someone else's file has the name of ours and stays: Part.Yields.
	Taken bool
	// Over is how many characters of After the agent ignores: Part.Limit.
	Over int
	// Cut means that a hard link keeps the old content: an atomic write replaces one name.
	Cut bool
	// Former means that our part is removed because the agent has it elsewhere now.
	Former bool
	// Kept is the path of a copy of Before if a person edited our file, else "".
	Kept string
	// Left says why our part was not removed from the file; "" if it was, or was not meant to be.
	Left string
}

// Changed reports whether the file changes.
func (c Change) Changed() bool {
	return (c.Before == nil) != (c.After == nil) || !bytes.Equal(c.Before, c.After)
}

// Options configure a Wirer.
type Options struct {
	Dir string           // folder of originals and records; created if missing
	Now func() time.Time // clock for the records
	// Program is the path that agents call, for the records: Programs. "" for none.
	Program string
	// Lock waits for other processes, and returns the function that unlocks.
	Lock func(ctx context.Context) (release func() error, err error)
}

// Wirer applies and undoes wirings. Several processes may do so at once: they wait for each other.
type Wirer struct{ o Options }

// New returns a Wirer.
func New(o Options) *Wirer { return &Wirer{o: o} }

// Plan returns the changes that Apply would make. CodeInvalid for a file that cannot be parsed,
// CodeConflict for one that is in the way, CodeUnavailable for one that cannot be read.
func (w *Wirer) Plan(agent string, parts []Part) ([]Change, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	all, err := s.plan(agent, parts)
	if err != nil {
		return nil, err
	}
	return append(all, w.moveOn(s, agent, parts, false)...), nil
}

func (s *state) plan(agent string, parts []Part) ([]Change, error) {
	var all []Change
	for _, p := range parts {
		c, err := s.change(agent, p)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func (s *state) change(agent string, p Part) (Change, error) {
	f, err := read(p.Path)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: p.Path, Before: f.content}
	known := s.of(agent, p.Path)
	if p.Remove == nil && f.content != nil {
		c, err = s.changeOwn(known, p, f.content)
	} else {
		c.After, err = p.Set(f.content)
	}
	if err != nil {
		return Change{}, inFile(p.Path, err)
	}
	if f.content != nil && c.Changed() && f.mode&0o200 == 0 { // also checked in a plan
		return Change{}, unwritable(p.Path, fs.ErrPermission)
	}
	c.Over, c.Cut = p.over(c.After), c.Changed() && f.names > 1
	return c, nil
}

type fileError struct {
	cause error         // without the path
	whole *engram.Error // with the path
}

func (e *fileError) Error() string { return e.whole.Error() }
func (e *fileError) Unwrap() error { return e.whole }

func inFile(path string, err error) error {
	cause, ok := errors.AsType[*engram.Error](err)
	if !ok {
		return err
	}
	whole := *cause
	whole.Msg = path + ": " + cause.Msg
	if at, placed := errors.AsType[*edit.Fault](err); placed { // in the form that editors open
		whole.Msg = fmt.Sprintf("%s:%d:%d: %s", path, at.Line, at.Column, at.Why)
	}
	whole.Hint = cmp.Or(whole.Hint, "fix the file; it was not touched")
	return &fileError{cause, &whole}
}

type file struct {
	real    string // target of a link
	content []byte // nil: no file
	mode    fs.FileMode
	names   int      // number of hard links
	missing []string // missing parent folders, outermost first
}

// maxFile is the size limit of a configuration file: 16 MiB.
const maxFile = 16 << 20

func read(path string) (file, error) {
	real, info, err := atomicfile.Resolve(path)
	switch {
	case errors.Is(err, atomicfile.ErrLeadsNowhere):
		return file{}, engram.Errorf(engram.CodeConflict, "%s is a link to a missing file", path).WithHint("remove it; nothing was changed")
	case err != nil:
		return file{}, unreadable(path, err)
	case info == nil:
		return file{real: real, missing: missing(filepath.Dir(path))}, nil
	case !info.Mode().IsRegular():
		return file{}, engram.Errorf(engram.CodeConflict, "%s is not a file", path).WithHint("remove it; nothing was changed")
	case info.Size() > maxFile:
		return file{}, engram.Errorf(engram.CodeInvalid, "%s has more than %d MiB, too much for a configuration", path, maxFile>>20).
			WithHint("check the file; nothing was changed")
	}
	content, err := os.ReadFile(real)
	if err != nil {
		return file{}, unreadable(path, err)
	}
	if content == nil {
		content = []byte{}
	}
	return file{real: real, content: content, mode: info.Mode().Perm(), names: names(info)}, nil
}

func unreadable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be read", path).
		WithHint("check the permissions of the file and its folders; nothing was changed").WithCause(err)
}

func unwritable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be written", path).
		WithHint("check the permissions of the file and its folder, and the space on the disk; the file is unchanged").WithCause(err)
}

// write replaces a file atomically.
func write(f file, content []byte, usual fs.FileMode) error {
	mode := f.mode
	if mode == 0 {
		if mode = usual; mode == 0 {
			mode = 0o644
		}
	} else if mode&0o200 == 0 {
		return fs.ErrPermission // a rename would succeed, but read-only is a choice to respect
	}
	return atomicfile.Write(f.real, content, atomicfile.Options{Mode: mode, Alone: true})
}

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
