package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

// Status is the state of an agent's file.
type Status string

// States of a file.
const (
	Absent  Status = "absent"  // our part is not in it
	Wired   Status = "wired"   // our part is in it and up to date
	Changed Status = "changed" // our part is in it, but was edited or is not up to date
	Broken  Status = "broken"  // it cannot be parsed or read
	Taken   Status = "taken"   // someone else's file has its name, and stays
)

// Standing is the state of an agent's file with its reason.
type Standing struct {
	Status Status
	// Why is the problem: missing or different entries, the first line in which a file of ours
	// differs, or the line that cannot be parsed. "" for none.
	Why string
	// Over is how many characters of the file the agent ignores: Part.Limit.
	Over int
	// Known means that the original is recorded.
	Known bool
}

// Status returns the states of an agent's files, in the order of its parts.
func (w *Wirer) Status(agent string, parts []Part) ([]Standing, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	ours := s.has(agent) || traceOf(parts) == Sure
	all := make([]Standing, len(parts))
	for n, p := range parts {
		all[n] = s.standing(agent, p, ours)
		all[n].Known = s.of(agent, p.Path) != nil
	}
	return all, nil
}

func (s *state) standing(agent string, p Part, ours bool) Standing {
	known := s.of(agent, p.Path)
	c, err := s.change(agent, p)
	switch {
	case err != nil:
		return Standing{Status: Broken, Why: plainly(p.Path, err)}
	case c.Taken:
		return Standing{Status: Taken, Why: "another file of that name is there"}
	case !c.Changed():
		return Standing{Status: Wired, Over: c.Over}
	case c.Before == nil && known != nil:
		return Standing{Status: Absent, Why: "it was removed since it was set up"}
	case c.Before == nil:
		return Standing{Status: Absent}
	}
	if there, _ := p.there(c.Before, ours); known != nil || there || p.Remove == nil || p.Entries != nil && slices.ContainsFunc(p.Entries(c.Before), func(e Entry) bool { return e.Stand != Missing }) {
		return Standing{Status: Changed, Why: s.differs(agent, p, c.Before), Over: p.over(c.Before)}
	}
	return Standing{Status: Absent}
}

// differs describes how a content differs from the current one, and why.
func (s *state) differs(agent string, p Part, content []byte) string {
	what := p.differs(content)
	switch known := s.of(agent, p.Path); {
	case known == nil:
	case known.After == sum(content):
		what = "for another version, program or data directory: " + what
	default:
		what = "changed since it was set up: " + what
	}
	return what
}

// differs describes how a content differs from the current one.
func (p Part) differs(content []byte) string {
	if p.Entries == nil {
		now, err := p.Set(nil)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("line %d differs", firstDifference(content, now))
	}
	var missing, other []string
	for _, e := range p.Entries(content) {
		switch e.Stand {
		case Missing:
			missing = append(missing, e.Name)
		case Theirs, Older:
			other = append(other, e.Name)
		case Same:
		}
	}
	var all []string
	if len(missing) > 0 {
		all = append(all, verb(missing, "is missing", "are missing"))
	}
	if len(other) > 0 {
		all = append(all, verb(other, "differs", "differ"))
	}
	if len(all) == 0 {
		return "it differs"
	}
	return strings.Join(all, "; ")
}

func verb(names []string, one, many string) string {
	if len(names) > 1 {
		one = many
	}
	return strings.Join(names, ", ") + " " + one
}

func firstDifference(a, b []byte) int {
	one, other := slices.Collect(bytes.Lines(a)), slices.Collect(bytes.Lines(b))
	for n := range min(len(one), len(other)) {
		if !bytes.Equal(one[n], other[n]) {
			return n + 1
		}
	}
	return min(len(one), len(other)) + 1
}

// plainly returns an error about a file without its path, which is shown beside it.
func plainly(path string, err error) string {
	if in, ok := errors.AsType[*fileError](err); ok {
		return in.cause.Error()
	}
	if rest, ok := strings.CutPrefix(err.Error(), path); ok {
		return "it" + rest
	}
	return err.Error()
}

// Agents returns the recorded agents, sorted.
func (w *Wirer) Agents() ([]string, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, f := range s.Files {
		for name := range f.Agents {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// state is the record of a Wirer: for each file its original, its current content, and whose parts
// are in it. It is stored as JSON beside the copies of originals.
type state struct {
	Version int               `json:"version"`
	Files   map[string]*wired `json:"files"`
	Folders []string          `json:"folders,omitempty"` // folders created for files, outermost first
	// Programs are the paths written into files, by which our lines are recognised.
	Programs []string `json:"programs,omitempty"`

	dir     string            // folder of the record
	program string            // path that is written now
	copies  map[string][]byte // unwritten copies of adopted originals, by hash
}

// wired is the record of a changed file. Hashes are SHA-256 of contents; "" means no file.
type wired struct {
	At     time.Time         `json:"at"`
	Mode   fs.FileMode       `json:"mode,omitempty"`   // its original mode
	Before string            `json:"before,omitempty"` // hash of the original, which names the copy
	Last   string            `json:"last,omitempty"`   // hash before the latest write, which a kill may have prevented
	After  string            `json:"after"`            // hash after the latest write
	Agents map[string]string `json:"agents"`           // agents with a part in it, and what they share
	// Touched means that another program changed it between two writes of ours, and the change is
	// still in it: restoring the original would lose it.
	Touched bool `json:"touched,omitempty"`
	// Guessed means that the original is unknown, and Before is the rest without our part.
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

// of returns the record of a file that has a part of the agent, or nil.
func (s *state) of(agent, path string) *wired {
	if w := s.Files[path]; w != nil {
		if _, in := w.Agents[agent]; in {
			return w
		}
	}
	return nil
}

// knows reports whether a Wirer wrote or saw exactly this content.
func (w *wired) knows(content []byte) bool {
	is := sum(content)
	return w != nil && (is == w.After || is == w.Last && !w.Touched)
}

// copy returns a copy for restoring the record.
func (w *wired) copy() *wired {
	if w == nil {
		return nil
	}
	c := *w
	c.Agents = maps.Clone(w.Agents)
	return &c
}

// shares reports whether another agent shares the part of this one in the file.
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
		return nil, engram.Errorf(engram.CodeInvalid, "cannot parse %s", path).
			WithHint("move %s away, and set the agents up again; the original files are in its folder %s", w.o.Dir, copiesName).WithCause(err)
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

// Programs returns the recorded paths that agents call, sorted. CodeInvalid and CodeUnavailable for
// a record that cannot be parsed or read.
func (w *Wirer) Programs() ([]string, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	return s.Programs, nil
}

// save writes the record, or removes it if it is empty.
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

// keep copies an original; equal contents share a copy.
func (w *Wirer) keep(content []byte) error {
	return keepAt(filepath.Join(w.o.Dir, copiesName, sum(content)), content)
}

// keepAt writes a content to a path that contains its hash, unless it exists.
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

// kept returns an original by its hash; nil for "". fs.ErrNotExist if the copy is missing.
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
		return nil, engram.Errorf(engram.CodeInvalid, "%s was changed since it was written", path).WithHint("remove it to undo without the original, which only removes engram's part; nothing was changed")
	}
	return b, nil
}

// tidy removes copies that are no longer needed: they may contain keys and tokens.
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
		_ = os.Remove(dir) // fails if something else is in it
	}
	return nil
}
