// Package toggle remembers whether agents are switched off, for everything or for single projects,
// in one small file beside the database, off.json. The file exists only while something is off.
//
// State opens no database, waits for no lock and takes some microseconds, so every call and every
// hook can ask, and running programs notice a switch at once. An unreadable file means off:
// somebody switched something off, and a damaged byte must not undo that. Where no file can exist,
// because the data directory is not a folder, nothing is off.
package toggle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/project"
)

// FileName is the name of the file in the data directory.
const FileName = "off.json"

// Options configure a Switch.
type Options struct {
	Dir string // the data directory; created when something is switched off
	// Lock waits for other processes that switch, and returns how to let the next one.
	Lock func(ctx context.Context) (release func() error, err error)
}

// Switch is the switch of a data directory. It keeps nothing in memory and is safe for concurrent
// use by goroutines and processes.
type Switch struct{ o Options }

// New returns the Switch of a data directory, which need not exist.
func New(o Options) Switch { return Switch{o} }

// State is what is off. The zero value means nothing.
type State struct {
	// Everything means that all projects are off, also those not in Projects.
	Everything bool
	Since      time.Time            // when Everything was switched off, UTC; zero if unknown
	Projects   map[string]time.Time // projects switched off by name, and when, UTC; nil for none
	// Broken is why the file is unreadable; nil if it is not. Then Everything is true and Projects
	// is unknown.
	Broken error
	// Kept is the path of the unreadable content that a switch kept; "" for none.
	Kept string
}

// Any reports whether anything is off.
func (s State) Any() bool { return s.Everything || len(s.Projects) > 0 }

// Off reports whether a project is off; "" is off only with everything.
func (s State) Off(name string) bool {
	if s.Everything {
		return true
	}
	_, off := s.Projects[project.Normalize(name)]
	return off
}

// Names returns the projects switched off by name, sorted; nil for none.
func (s State) Names() []string { return slices.Sorted(maps.Keys(s.Projects)) }

// State reads what is off now. It never fails: see State.Broken.
func (s Switch) State() State {
	text, err := readFile(s.path())
	if errors.Is(err, fs.ErrNotExist) || err != nil && s.nowhere() {
		return State{}
	}
	var now State
	if err == nil {
		now, err = decode(text)
	}
	if err != nil {
		return State{Everything: true, Broken: engram.Errorf(engram.CodeInvalid, "cannot read %s, so agents are switched off", s.path()).
			WithHint("run {on}, which keeps a copy, then switch projects off again by name").WithCause(err)}
	}
	return now
}

// nowhere reports whether the data directory is missing, not a folder, or inaccessible. Nothing was
// switched off there; reporting agents as off would hide the error that the database reports.
func (s Switch) nowhere() bool {
	_, err := os.Lstat(s.path())
	return err != nil
}

// Off switches projects off, or everything if there are no names. It returns the state before and
// after. What is already off keeps its time.
//
// A project with several names needs all of them. CodeInvalid for a name that no project can have,
// CodeUnavailable if the file cannot be written.
func (s Switch) Off(ctx context.Context, names []string, at time.Time) (before, after State, err error) {
	at = at.UTC().Truncate(time.Second)
	return s.change(ctx, names, at, func(now *State, names []string) {
		if len(names) == 0 && !now.Everything {
			now.Everything, now.Since = true, at
		}
		for _, name := range names {
			if _, off := now.Projects[name]; off {
				continue
			}
			if now.Projects == nil {
				now.Projects = map[string]time.Time{}
			}
			now.Projects[name] = at
		}
	})
}

// On switches projects on; no names means everything, and leaves off the projects switched off by
// name. A project is on only if everything is: if the file was unreadable, everything is off since
// at until switched on itself. Results and errors are those of Off.
func (s Switch) On(ctx context.Context, names []string, at time.Time) (before, after State, err error) {
	return s.change(ctx, names, at, func(now *State, names []string) {
		if len(names) == 0 {
			now.Everything, now.Since = false, time.Time{}
		}
		for _, name := range names {
			delete(now.Projects, name)
		}
	})
}

// change changes the state under the lock, with normalized names. Unreadable content is kept aside
// and counts as everything off since at.
func (s Switch) change(ctx context.Context, names []string, at time.Time, do func(now *State, names []string)) (before, after State, err error) {
	names = slices.Clone(names)
	for i, name := range names {
		if err := project.CheckText(name); err != nil {
			return before, after, err
		}
		if names[i] = project.Normalize(name); names[i] == "" {
			return before, after, engram.Errorf(engram.CodeInvalid, "a project has no name").
				WithHint("see {projects list}")
		}
	}
	if err := os.MkdirAll(s.o.Dir, 0o700); err != nil {
		return before, after, s.unwritable(err)
	}
	release, err := s.o.Lock(ctx)
	if err != nil {
		return before, after, err
	}
	defer func() { err = errors.Join(err, release()) }()
	before, after = s.State(), s.State()
	if before.Broken != nil {
		after = State{Everything: true, Since: at.UTC().Truncate(time.Second)}
		if after.Kept, err = s.keepAside(); err != nil {
			return before, before, s.unwritable(err)
		}
	}
	do(&after, names)
	if err := s.write(after); err != nil {
		if _, there := os.Lstat(s.path()); after.Kept != "" && errors.Is(there, fs.ErrNotExist) {
			err = errors.Join(err, os.Rename(after.Kept, s.path())) // without a file nothing would be off
		}
		return before, before, s.unwritable(err)
	}
	return before, after, nil
}

func (s Switch) path() string { return filepath.Join(s.o.Dir, FileName) }

func (s Switch) unwritable(err error) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot write %s", s.path()).
		WithHint("check the rights of the folder and the space on the disk").WithCause(fmt.Errorf("switch: %w", err))
}

// version is that of the file format. Later ones are rejected.
const version = 1

// maxFile is the largest accepted file, in bytes: some thousand projects.
const maxFile = 1 << 20

// file is the content of off.json.
type file struct {
	Version    int                  `json:"version"`
	Everything *time.Time           `json:"everything,omitempty"` // since when; absent: on
	Projects   map[string]time.Time `json:"projects,omitempty"`   // since when, by name
}

func decode(text []byte) (State, error) {
	var f file
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // an unknown field may mean off
	if err := d.Decode(&f); err != nil {
		return State{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return State{}, errors.New("it has more than one value")
	}
	if f.Version != version {
		return State{}, fmt.Errorf("it has version %d, but only %d is known", f.Version, version)
	}
	s := State{Projects: f.Projects}
	if f.Everything != nil {
		s.Everything, s.Since = true, *f.Everything
	}
	return s, nil
}

func encode(s State) ([]byte, error) {
	f := file{Version: version, Projects: s.Projects}
	if s.Everything {
		f.Everything = &s.Since
	}
	text, err := json.MarshalIndent(f, "", "  ")
	return append(text, '\n'), err
}

// readFile reads a file of at most maxFile bytes.
func readFile(path string) (text []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return text, err
}

// write stores now atomically, except on a full disk, where a partial file means off. If nothing is
// off, there is no file.
func (s Switch) write(now State) error {
	if !now.Everything && len(now.Projects) == 0 {
		if err := os.Remove(s.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := encode(now)
	if err != nil {
		return err
	}
	err = atomicfile.Write(s.path(), text, atomicfile.Options{Mode: 0o600}) // an empty file after a power cut would switch everything off
	if err == nil || s.overwrite(text) == nil || now.Everything && s.empty() == nil {
		return nil
	}
	return err
}

// keepAside keeps the unreadable content under an unused name beside the file and returns that
// path; "" if the file is blank. The caller holds the lock.
func (s Switch) keepAside() (path string, err error) {
	text, err := readFile(s.path())
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		return "", nil
	}
	for n := 1; ; n++ {
		path = filepath.Join(s.o.Dir, fmt.Sprintf("off.unread-%d.json", n))
		if _, there := os.Lstat(path); errors.Is(there, fs.ErrNotExist) {
			break
		} else if there != nil {
			return "", there
		}
	}
	if err == nil { // a copy, because a missing file would mean on
		err = atomicfile.Write(path, text, atomicfile.Options{Mode: 0o600})
	}
	if err != nil { // full disk, or unreadable content
		err = os.Rename(s.path(), path)
	}
	return path, err
}

// overwrite writes into the existing file, which needs no space on a full disk. A partial write is
// unreadable and means off.
func (s Switch) overwrite(text []byte) error {
	f, err := os.OpenFile(s.path(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	if err == nil {
		err = f.Truncate(int64(len(text)))
	}
	return errors.Join(err, f.Close())
}

// empty truncates the file, which a full disk mostly allows. It is unreadable and so means
// everything is off.
func (s Switch) empty() error {
	f, err := os.OpenFile(s.path(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
