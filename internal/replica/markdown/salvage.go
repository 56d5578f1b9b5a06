package markdown

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// salvage is what can be read of a list of notes that cannot be read as a whole: git leaves
// one so when two people exported and nobody finished the merge. A note stands on a line.
// Of two lines about one note the one counts that says what its file says; where neither
// does, the note is known by its id alone. newer is the version of a newer Engram, else 0.
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

// choose takes what there is once, and of several those that hold.
func choose[K comparable, V any](into map[K]V, from map[K][]V, holds func(V) bool) {
	for key, all := range from {
		for _, x := range all {
			if len(all) == 1 || holds(x) {
				into[key] = x
			}
		}
	}
}

// versionOf is the version that a line of a list of notes tells; 0 for none.
func versionOf(line string) int {
	_, after, is := strings.Cut(line, `"version":`)
	if !is {
		return 0
	}
	after = strings.TrimLeft(after, " ")
	v, _ := strconv.Atoi(after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]) // 0 for no number
	return v
}

// entryOf is what a line of a list of notes tells of one thing.
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

// saying reports files that are as they were left. Each is read once, however often a list
// names it.
func (n *notes) saying() func(name string, left fileState) bool {
	read := map[string]string{} // digests by name; "" for what cannot be read
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
