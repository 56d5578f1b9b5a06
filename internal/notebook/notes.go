package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// Limits of the notes.
const (
	maxNotes = 512 << 10 // bytes of a session; the oldest are dropped
	maxField = 4 << 10   // bytes of one text; of an error its end
	maxScan  = 64 << 10  // bytes of a text that are scanned for secrets; more than maxField, since much may be removed
)

// Add adds a note.
func (n *Notebook) Add(session string, note attend.Note) error {
	note.Path, note.Command, note.Text = n.head(note.Path), n.head(note.Command), n.head(note.Text)
	note.Tool, note.Error = n.head(note.Tool), n.tail(note.Error)
	line, err := json.Marshal(note)
	if err != nil {
		return err
	}
	return n.append(n.path(session, notesSuffix), append(line, '\n'), maxNotes, newer)
}

// head returns the cleaned beginning of a text. It cleans before it cuts, because half a private
// span or password is not recognised.
func (n *Notebook) head(s string) string {
	s, _ = n.ends(s, maxScan, 0)
	s = n.unsecret(s)
	return strings.ToValidUTF8(s[:min(len(s), maxField)], "") // in whole characters
}

// tail returns the cleaned end of an error. If that is not all of it, it omits lines about success,
// which could fill the space in a long run.
func (n *Notebook) tail(s string) string {
	s, end := n.ends(s, maxScan/2, maxScan/2)
	if end != "" {
		s += "\n" + end
	}
	if s = n.unsecret(s); len(s) > maxField {
		s = attend.ErrorLines(s)
	}
	return strings.ToValidUTF8(s[max(0, len(s)-maxField):], "") // in whole characters
}

// ends returns the beginning and end of a text without private spans. Short texts, which are most,
// do not need the scanner.
func (n *Notebook) ends(s string, head, tail int) (begin, end string) {
	if s = redact.Private(s); len(s) <= head+tail {
		return s, ""
	}
	return n.secrets().Ends(s, head, tail)
}

// newer returns the newer half of some lines, and from the older half those that are not tool
// calls: they are few, and without them a session would get the same memories again.
func newer(lines []byte) []byte {
	at := bytes.IndexByte(lines[len(lines)/2:], '\n')
	if at < 0 {
		return nil
	}
	at += len(lines)/2 + 1
	var kept []byte
	for line := range bytes.Lines(lines[:at]) {
		if !bytes.Contains(line, []byte(`"kind":"`+attend.KindTool+`"`)) && len(kept)+len(line) <= maxNotes/8 { // quotes in a text are escaped
			kept = append(kept, line...)
		}
	}
	return append(kept, lines[at:]...)
}

// All returns a session's notes, oldest first, without lines of other versions; nil if unknown.
func (n *Notebook) All(session string) ([]attend.Note, error) {
	lines, err := read(n.path(session, notesSuffix), 2*maxNotes)
	return decoded(lines, func(note attend.Note) bool { return note.Kind != "" }), err
}

// decoded returns the complete lines that are JSON and valid.
func decoded[T any](lines []byte, valid func(T) bool) (all []T) {
	for line := range bytes.Lines(lines) {
		var v T
		if line[len(line)-1] == '\n' && json.Unmarshal(line, &v) == nil && valid(v) {
			all = append(all, v)
		}
	}
	return all
}

// End removes the notes of a session. Pending items stay until they are written.
func (n *Notebook) End(session string) error {
	path := n.path(session, notesSuffix)
	err := n.change(path, false, func(f *os.File) error { return replace(f, path, nil) })
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return explain(err, path)
}

// Claim adds the notes that choose returns, given those of some kinds, oldest first, while no other
// process adds any to the session: of several that want the same, one gets it. If choose returns
// nothing or Claim fails, nothing is added. The notes are not scanned for secrets: they may only
// contain kinds, numbers and words of the program.
func (n *Notebook) Claim(session string, kinds []string, choose func(noted []attend.Note) []attend.Note) error {
	if err := n.makeFolder(); err != nil {
		return err
	}
	path := n.path(session, notesSuffix)
	err := n.change(path, true, func(f *os.File) error {
		all, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		var lines []byte
		for _, note := range choose(ofKinds(all, kinds)) {
			line, err := json.Marshal(note)
			if err != nil {
				return err
			}
			lines = append(append(lines, line...), '\n')
		}
		if len(lines) == 0 {
			return nil
		}
		return add(f, path, lines, maxNotes, newer)
	})
	return explain(err, path)
}

// ofKinds returns the notes of some kinds among lines. It does not decode the others, which are
// most and longer, because the caller holds the lock.
func ofKinds(lines []byte, kinds []string) (notes []attend.Note) {
	marks := make([][]byte, len(kinds))
	for i, kind := range kinds {
		marks[i] = []byte(`"kind":"` + kind + `"`) // quotes in a text are escaped
	}
	for line := range bytes.Lines(lines) {
		if slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(line, mark) }) {
			notes = append(notes, decoded(line, func(note attend.Note) bool { return slices.Contains(kinds, note.Kind) })...)
		}
	}
	return notes
}
