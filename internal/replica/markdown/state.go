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
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// stateName is the file that records what was written.
const stateName = ".engram-vault.json"

const (
	stateVersion = 1
	maxState     = 512 << 20
)

// state records what was written into a vault. Anyone may have changed the file, so its claims are
// verified.
type state struct {
	Version int                      `json:"version"`
	Notes   map[engram.ID]*noteState `json:"notes"`
	Hubs    map[string]*hubState     `json:"hubs"`
	// Folders maps folders to projects.
	Folders map[string]string `json:"folders"`
}

// noteState is a note as it was written.
type noteState struct {
	Path string `json:"path"` // under engram/, with slashes
	Own  bool   `json:"own,omitempty"`
	// Hand means that a person wrote the note: it stays even if its memory goes, and has no id
	// until an export writes it.
	Hand bool   `json:"hand,omitempty"`
	Said string `json:"said"` // digest of the exported text, without the person's part
	fileState
	Base engram.NoteDigest `json:"base"`
	Tail string            `json:"tail"` // digest of the text below the marker
}

// hubState is a hub as it was written.
type hubState struct {
	Path    string `json:"path"`
	Project string `json:"project"`
	fileState
}

// fileState is the state of a written file. If size and time match, it is not read again.
type fileState struct {
	File string `json:"file"` // digest
	Size int64  `json:"size"`
	Time int64  `json:"time"` // nanoseconds since 1970
}

func newState() *state {
	return &state{Version: stateVersion, Notes: map[engram.ID]*noteState{}, Hubs: map[string]*hubState{}, Folders: map[string]string{}}
}

// readState reads the record. Unreadable parts are rebuilt from the notes, with a remark: git
// merges the list by line, and the notes are worth more.
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
		n.remark(stateName, "cannot read it ("+why+"): its missing notes are found by their ids; "+
			"deleted notes are written again")
		n.changed = true
	}
	if newer > stateVersion {
		return nil, engram.Errorf(engram.CodeConflict, "%s was written by a newer version", shown(stateName)).WithHint("update engram")
	}
	return s, nil
}

// parseState reads a list of notes; why says what is wrong with it.
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

func (s *state) check() string {
	for id, x := range s.Notes {
		if x == nil || !ourID(string(id)) || !local(x.Path) {
			return "it has an invalid note"
		}
	}
	for name, x := range s.Hubs {
		if x == nil || !strings.Contains(name, ":") || !local(x.Path) {
			return "it has an invalid hub"
		}
	}
	if s.Notes == nil || s.Hubs == nil || s.Folders == nil {
		return "a list is missing"
	}
	return ""
}

// local reports whether name is the path of a note under engram/.
func local(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name && strings.HasSuffix(name, suffix) &&
		!strings.ContainsAny(name, "\\\x00")
}

func (n *notes) writeState() error {
	if !n.changed || n.how.DryRun {
		return nil
	}
	b, err := n.state.text()
	if err != nil {
		return engram.Errorf(engram.CodeInternal, "cannot write the list of notes").WithCause(err)
	}
	_, err = n.writeFile(stateName, b, true)
	return err
}

// text formats the state with a note per line, for diffs and merges.
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

// readFile reads a regular file of Engram's folder, of at most most bytes.
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
		return nil, engram.Errorf(engram.CodeInvalid, "%s is not a file", shown(name)).WithHint("replace it by a file; links are not followed")
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
	return engram.Errorf(engram.CodeUnavailable, "cannot read %s", shown(name)).WithCause(err)
}

// salvage reads what it can of an invalid list of notes, as git leaves after an unfinished merge of
// two exports. There is a note per line. Of two lines about a note, the one that matches its file
// counts; if neither does, the note is only known by its id. newer is the version of a newer
// Engram, otherwise 0.
func (n *notes) salvage(b []byte) (s *state, newer int) {
	s = newState()
	notes, hubs := map[engram.ID][]*noteState{}, map[string][]*hubState{}
	for line := range bytes.Lines(b) {
		if v := versionOf(string(line)); v > stateVersion {
			return nil, v
		}
		key, value, is := entryOf(line)
		switch {
		case !is:
		case ourID(key):
			var x noteState
			if json.Unmarshal(value, &x) == nil && local(x.Path) {
				notes[engram.ID(key)] = append(notes[engram.ID(key)], &x)
			}
		case strings.Contains(key, ":"):
			var x hubState
			if json.Unmarshal(value, &x) == nil && local(x.Path) {
				hubs[key] = append(hubs[key], &x)
			}
		case key == "folders":
			folders := s.Folders
			if json.Unmarshal(value, &folders) != nil || folders == nil {
				s.Folders = map[string]string{}
			}
		}
	}
	says := n.saying()
	choose(s.Notes, notes, func(x *noteState) bool { return says(x.Path, x.fileState) })
	choose(s.Hubs, hubs, func(x *hubState) bool { return says(x.Path, x.fileState) })
	return s, 0
}

// choose takes single entries, and of several those that hold.
func choose[K comparable, V any](into map[K]V, from map[K][]V, holds func(V) bool) {
	for key, all := range from {
		for _, x := range all {
			if len(all) == 1 || holds(x) {
				into[key] = x
			}
		}
	}
}

// versionOf returns the version in a line of a list of notes; 0 for none.
func versionOf(line string) int {
	_, after, is := strings.Cut(line, `"version":`)
	if !is {
		return 0
	}
	after = strings.TrimLeft(after, " ")
	v, _ := strconv.Atoi(after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]) // 0 if not a number
	return v
}

// entryOf reads the entry in a line of a list of notes.
func entryOf(line []byte) (key string, value json.RawMessage, is bool) {
	dec := json.NewDecoder(io.MultiReader(strings.NewReader("{"), bytes.NewReader(line)))
	if _, err := dec.Token(); err != nil {
		return "", nil, false
	}
	t, err := dec.Token()
	if key, is = t.(string); err != nil || !is {
		return "", nil, false
	}
	return key, value, dec.Decode(&value) == nil
}

// saying returns a function that reports whether a file is unchanged. It reads each file once.
func (n *notes) saying() func(name string, left fileState) bool {
	read := map[string]string{} // digests by name; "" if unreadable
	return func(name string, left fileState) bool {
		said, known := read[name]
		if !known {
			if b, err := n.readFile(name, maxNote); err == nil {
				said = digest(b)
			}
			read[name] = said
		}
		return said != "" && said == left.File
	}
}
