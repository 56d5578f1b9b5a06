package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/alanbuscaglia/engram"
)

// state is what a Wirer remembers: of each agent, of each file, what it was and what it was
// made. It lies as JSON beside the copies of what was there.
type state struct {
	Version int                         `json:"version"`
	Agents  map[string]map[string]wired `json:"agents"`
}

// wired is a file that was changed for an agent.
type wired struct {
	At      time.Time   `json:"at"`
	Existed bool        `json:"existed"`
	Mode    fs.FileMode `json:"mode,omitempty"`    // that it had
	Before  string      `json:"before,omitempty"`  // SHA-256 of what it was, which is the name of the copy
	After   string      `json:"after"`             // SHA-256 of what it was made
	Folders []string    `json:"folders,omitempty"` // that were made for it, the outermost first
}

const (
	stateVersion = 1
	stateName    = "setup.json"
	copiesName   = "before"
)

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

func (w *Wirer) load() (*state, error) {
	s := &state{Version: stateVersion, Agents: map[string]map[string]wired{}}
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
			WithHint("what files were before lies in %s beside it", copiesName).WithCause(err)
	}
	if s.Version > stateVersion {
		return nil, engram.Errorf(engram.CodeConflict, "%s was written by a newer version", path).WithHint("update engram")
	}
	return s, nil
}

func (w *Wirer) save(s *state) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(w.o.Dir, stateName)
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
	dir := filepath.Join(w.o.Dir, copiesName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unwritable(dir, err)
	}
	path := filepath.Join(dir, sum(content))
	f, err := read(path)
	if err == nil && f.content == nil {
		err = write(f, content, 0o600)
	}
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}

// kept is what a file was, by its sum.
func (w *Wirer) kept(name string) ([]byte, error) {
	path := filepath.Join(w.o.Dir, copiesName, name)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if sum(b) != name {
		return nil, engram.Errorf(engram.CodeInvalid, "%s was changed since", path).WithHint("the file that it is a copy of is left as it is")
	}
	return b, nil
}
