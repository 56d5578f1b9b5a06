package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// stateName is the file in which it stands what was written.
const stateName = ".engram-vault.json"

const (
	stateVersion = 1
	maxState     = 512 << 20
)

// state is what was written into a vault. It is a file that anybody may have changed: what
// it names is looked at, and never trusted further than that.
type state struct {
	Version int                      `json:"version"`
	Notes   map[engram.ID]*noteState `json:"notes"`
	Hubs    map[string]*hubState     `json:"hubs"`
	// Folders has the projects by their folders.
	Folders map[string]string `json:"folders"`
}

// noteState is a note as it was written.
type noteState struct {
	Path string `json:"path"` // under engram/, with slashes
	Own  bool   `json:"own,omitempty"`
	// Hand says that a person wrote the note: it stays whatever becomes of its memory, and has
	// no id before an export wrote it anew.
	Hand bool   `json:"hand,omitempty"`
	Said string `json:"said"` // digest of what the export said, without what the person keeps in it
	fileState
	Base engram.NoteDigest `json:"base"`
	Tail string            `json:"tail"` // digest of what stands below the marker
}

// hubState is a hub as it was written.
type hubState struct {
	Path    string `json:"path"`
	Project string `json:"project"`
	fileState
}

// fileState is how a file was left. Where size and time are the same, it is not read again.
type fileState struct {
	File string `json:"file"` // digest
	Size int64  `json:"size"`
	Time int64  `json:"time"` // nanoseconds since 1970
}

func newState() *state {
	return &state{Version: stateVersion, Notes: map[engram.ID]*noteState{}, Hubs: map[string]*hubState{}, Folders: map[string]string{}}
}

// readState reads what was written. What cannot be read of it is made anew of the notes,
// and told: the list is worth less than they are, and git merges it line by line.
func (n *notes) readState() (*state, error) {
	b, err := n.readFile(stateName, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return newState(), nil
	}
	if err != nil {
		return nil, err
	}
	s, why := parseState(b)
	newer := s.Version
	if why != "" {
		s, newer = n.salvage(b)
		n.remark(stateName, "it could not be read ("+why+"): what is missing in it is known again by the id of each note; "+
			"notes that were deleted are written again")
		n.changed = true
	}
	if newer > stateVersion {
		return nil, engram.Errorf(engram.CodeConflict, "%s was written by a newer version", shown(stateName)).WithHint("update engram")
	}
	return s, nil
}

// parseState reads a list of notes; why says why it is none.
func parseState(b []byte) (s *state, why string) {
	s = newState()
	if line := unmerged(string(b)); line > 0 {
		return s, fmt.Sprintf("line %d: a merge was left unfinished", line)
	}
	var head struct{ Version int }
	if err := json.Unmarshal(b, &head); err != nil {
		return s, err.Error()
	}
	if s.Version = head.Version; s.Version > stateVersion {
		return s, ""
	}
	if err := json.Unmarshal(b, s); err != nil {
		return s, err.Error()
	}
	return s, s.check()
}

// check says what in a state cannot be.
func (s *state) check() string {
	for id, x := range s.Notes {
		if x == nil || !ourID(string(id)) || !local(x.Path) {
			return "a note of it is none"
		}
	}
	for name, x := range s.Hubs {
		if x == nil || !strings.Contains(name, ":") || !local(x.Path) {
			return "a hub of it is none"
		}
	}
	if s.Notes == nil || s.Hubs == nil || s.Folders == nil {
		return "a list is missing"
	}
	return ""
}

// local reports the path of a note under engram/.
func local(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name && strings.HasSuffix(name, suffix) &&
		!strings.ContainsAny(name, "\\\x00")
}

// writeState keeps what was written, where it is not what was read.
func (n *notes) writeState() error {
	if !n.changed || n.how.DryRun {
		return nil
	}
	b, err := n.state.text()
	if err != nil {
		return engram.Errorf(engram.CodeInternal, "the list of notes cannot be written").WithCause(err)
	}
	_, err = n.writeFile(stateName, b, true)
	return err
}

// text is the state as it is kept, a note a line: people and git look at what changed.
func (s *state) text() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"version\": %d,\n", s.Version)
	err := errors.Join(putLines(&b, "notes", s.Notes), putLines(&b, "hubs", s.Hubs))
	folders, foldersErr := json.Marshal(s.Folders)
	fmt.Fprintf(&b, "\"folders\": %s}\n", folders)
	return b.Bytes(), errors.Join(err, foldersErr)
}

func putLines[K ~string, V any](b *bytes.Buffer, name string, all map[K]V) error {
	fmt.Fprintf(b, "%q: {", name)
	before := "\n"
	for _, k := range slices.Sorted(maps.Keys(all)) {
		key, keyErr := json.Marshal(k)
		value, err := json.Marshal(all[k])
		if err = errors.Join(keyErr, err); err != nil {
			return err
		}
		fmt.Fprintf(b, "%s%s: %s", before, key, value)
		before = ",\n"
	}
	b.WriteString("},\n")
	return nil
}

// readFile reads a regular file of Engram's folder, of so many bytes at most.
func (n *notes) readFile(name string, most int64) ([]byte, error) {
	if n.root == nil {
		return nil, fs.ErrNotExist
	}
	local := filepath.FromSlash(name)
	info, err := n.root.Lstat(local)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, unread(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, engram.Errorf(engram.CodeInvalid, "%s is no file", shown(name)).WithHint("nothing is read through links")
	}
	if info.Size() > most {
		return nil, engram.Errorf(engram.CodeInvalid, "%s has %d bytes, the limit is %d", shown(name), info.Size(), most)
	}
	f, err := n.root.Open(local)
	if err != nil {
		return nil, unread(name, err)
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, unread(name, err)
	}
	return b, nil
}

func unread(name string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be read", shown(name)).WithCause(err)
}
