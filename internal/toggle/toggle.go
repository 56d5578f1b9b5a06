// Package toggle remembers whether agents are switched off: for everything, or for single
// projects. What it remembers stands in one small file beside the database, off.json,
// which is there only while something is off.
//
// A caller may rely on this: State opens no database, waits for no lock and costs some
// microseconds, so that it can be asked at every call and every hook, and whoever is
// running notices a switch at once. A file that cannot be understood means off: somebody
// said so once, and must not be overheard because a byte fell over. Where there can be no
// file, because the data directory is none, nothing is off.
package toggle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
)

// FileName is the name of the file in the data directory.
const FileName = "off.json"

// Options are what a Switch works with.
type Options struct {
	Dir string // the data directory; made when something is switched off
	// Lock waits until no other process switches, and returns how to let the next one.
	Lock func(ctx context.Context) (release func() error, err error)
}

// Switch is the switch of a data directory. It keeps nothing in memory, and may be used by
// any number of goroutines and processes.
type Switch struct{ o Options }

// New returns the Switch of a data directory, which need not exist.
func New(o Options) Switch { return Switch{o} }

// State is what is off. The zero value is that nothing is.
type State struct {
	// Everything says that all projects are off, those of Projects and the others.
	Everything bool
	Since      time.Time            // when Everything was switched off, UTC; zero when it was not, or nobody knows
	Projects   map[string]time.Time // projects that are off by their name, and since when, UTC; nil for none
	// Broken is why the file could not be understood, nil when it could. Everything is off
	// then, and Projects are not known.
	Broken error
	// Kept is the path at which a switch has kept what it could not understand; "" for nothing.
	Kept string
}

// Any reports whether anything is off.
func (s State) Any() bool { return s.Everything || len(s.Projects) > 0 }

// Off reports whether a project is off; "" is none, which is off with everything.
func (s State) Off(name string) bool {
	if s.Everything {
		return true
	}
	_, off := s.Projects[project.Normalize(name)]
	return off
}

// Names are the projects that are off by their name, sorted; nil for none.
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
		return State{Everything: true, Broken: engram.Errorf(engram.CodeInvalid, "%s cannot be understood, so agents are switched off", s.path()).
			WithHint("{on} keeps what it says beside it and writes it anew; projects that were off by name have to be switched off again").WithCause(err)}
	}
	return now
}

// nowhere reports whether the data directory is none, or nobody may look into it. Nothing was
// switched off there, and the database, which lies there too, says what is wrong: that agents
// are switched off would hide it.
func (s Switch) nowhere() bool {
	_, err := os.Lstat(s.path())
	return err != nil
}

// Off switches projects off; no names at all are everything. It returns what was off before
// and what is now. What is off already stays off since it was.
//
// A name is one that a project may have, such as that of its folder; whoever means a project that
// has several gives all of them. CodeInvalid for a name that no project can have, CodeUnavailable
// when the file cannot be written.
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

// On switches projects on; no names at all are everything, and leave off what is off by its
// name. A project is on only when everything is, too: where the file could not be understood, that
// is off since at, until it is switched on itself. Returns and errors are those of Off.
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

// change does something to the state while no other process does. It writes the names as
// projects are kept. What it cannot understand it keeps aside, and takes for everything off since at.
func (s Switch) change(ctx context.Context, names []string, at time.Time, do func(now *State, names []string)) (before, after State, err error) {
	names = slices.Clone(names)
	for i, name := range names {
		if err := project.CheckText(name); err != nil {
			return before, after, err
		}
		if names[i] = project.Normalize(name); names[i] == "" {
			return before, after, engram.Errorf(engram.CodeInvalid, "a project has no name").
				WithHint("{projects list} shows what there is")
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
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be written", s.path()).
		WithHint("check the rights of the folder and the space on the disk").WithCause(fmt.Errorf("switch: %w", err))
}
