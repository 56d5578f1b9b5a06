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
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	if whole.Hint == "" {
		whole.Hint = "fix the file; it was not touched"
	}
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
