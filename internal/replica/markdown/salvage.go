package markdown

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

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
