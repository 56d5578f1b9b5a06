package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

// state is what a Wirer remembers: of each file, what it was before the first agent, what it
// was made, and whose parts are in it. It lies as JSON beside the copies of what was there.
type state struct {
	Version int               `json:"version"`
	Files   map[string]*wired `json:"files"`
	Folders []string          `json:"folders,omitempty"` // that were made for files, the outermost first
	// Programs are those that files were made to call: whose a line in a file is, is told by them.
	Programs []string `json:"programs,omitempty"`

	dir     string            // where it lies
	program string            // that files are made to call now
	copies  map[string][]byte // of what was adopted, by sum, as long as they are not written
}

// wired is a file that was changed for agents. A sum is the SHA-256 of a content; "" is that
// of no file.
type wired struct {
	At     time.Time         `json:"at"`
	Mode   fs.FileMode       `json:"mode,omitempty"`   // that it had
	Before string            `json:"before,omitempty"` // what it was: its sum, which is the name of the copy
	Last   string            `json:"last,omitempty"`   // what it was before the latest write, which a kill may have prevented
	After  string            `json:"after"`            // what it was made
	Agents map[string]string `json:"agents"`           // whose parts are in it, and what they share
	// Touched says that somebody else wrote it between two writes of ours, and that what they wrote
	// is in it: what it was before is not what anybody wants back.
	Touched bool `json:"touched,omitempty"`
	// Guessed says that Before is what is left without our part: what was there is not known.
	Guessed bool `json:"guessed,omitempty"`
}

const (
	stateVersion = 1
	stateName    = "setup.json"
	copiesName   = "before"
)

func sum(content []byte) string {
	if content == nil {
		return ""
	}
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// of is what is remembered of a file when a part of the agent is in it; nil when none is.
func (s *state) of(agent, path string) *wired {
	if w := s.Files[path]; w != nil {
		if _, in := w.Agents[agent]; in {
			return w
		}
	}
	return nil
}

// knows reports whether a content is one that the file had at the hands of a Wirer.
func (w *wired) knows(content []byte) bool {
	is := sum(content)
	return w != nil && (is == w.After || is == w.Last && !w.Touched)
}

// copy is for setting it back.
func (w *wired) copy() *wired {
	if w == nil {
		return nil
	}
	c := *w
	c.Agents = maps.Clone(w.Agents)
	return &c
}

// shares reports whether another agent has the part of this one in the file, too.
func (w *wired) shares(agent string) bool {
	part := w.Agents[agent]
	for other, its := range w.Agents {
		if other != agent && part != "" && its == part {
			return true
		}
	}
	return false
}

func (w *Wirer) load() (*state, error) {
	s := &state{Version: stateVersion, Files: map[string]*wired{}, dir: w.o.Dir, program: w.o.Program, copies: map[string][]byte{}}
	path := filepath.Join(w.o.Dir, stateName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "%s cannot be understood", path).
			WithHint("move %s away, and set the agents up again; what their files were before lies in %s of it", w.o.Dir, copiesName).WithCause(err)
	}
	if s.Version > stateVersion {
		return nil, engram.Errorf(engram.CodeConflict, "%s was written by a newer version", path).WithHint("update engram")
	}
	if s.Files == nil { // "files": null
		s.Files = map[string]*wired{}
	}
	maps.DeleteFunc(s.Files, func(_ string, w *wired) bool { return w == nil || len(w.Agents) == 0 })
	return s, nil
}

// Programs are those that agents were made to call, as far as that is remembered, sorted.
//
// CodeInvalid and CodeUnavailable for a record that cannot be understood or read.
func (w *Wirer) Programs() ([]string, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	return s.Programs, nil
}

// save writes the state, and nothing when there is nothing to remember.
func (w *Wirer) save(s *state) error {
	path := filepath.Join(w.o.Dir, stateName)
	if len(s.Files) == 0 {
		_ = atomicfile.Sweep(path)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(path, err)
		}
		return nil
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	f, err := read(path)
	if err == nil {
		err = write(f, append(b, '\n'), 0o600)
	}
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}

// keep copies what a file was; twice the same is one copy.
func (w *Wirer) keep(content []byte) error {
	return keepAt(filepath.Join(w.o.Dir, copiesName, sum(content)), content)
}

// keepAt writes what must not be lost to a path that says by a sum what it is.
func keepAt(path string, content []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unwritable(dir, err)
	}
	f, err := read(path)
	if err == nil && f.content == nil {
		err = write(f, content, 0o600)
	}
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}

// kept is what a file was, by its sum; nil for none. The error is fs.ErrNotExist, too, when the
// copy is gone.
func (w *Wirer) kept(s *state, name string) ([]byte, error) {
	if content, ok := s.copies[name]; ok || name == "" {
		return content, nil
	}
	path := filepath.Join(w.o.Dir, copiesName, name)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if sum(b) != name {
		return nil, engram.Errorf(engram.CodeInvalid, "%s was changed since", path).WithHint("remove it, and only what is engram's is taken out of the file that it was a copy of; nothing was changed")
	}
	return b, nil
}

// tidy removes the copies that nothing needs any more: there may be keys and tokens in them.
func (w *Wirer) tidy(s *state) error {
	dir := filepath.Join(w.o.Dir, copiesName)
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	needed := func(f fs.DirEntry) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(s.Files)), func(w *wired) bool { return w.Before == f.Name() })
	}
	for _, f := range all {
		if !needed(f) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, f.Name())))
		}
	}
	if err != nil {
		return unwritable(dir, err)
	}
	if len(s.Files) == 0 {
		_ = os.Remove(dir) // which is empty, unless somebody put something there
	}
	return nil
}
