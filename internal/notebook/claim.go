package notebook

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"

	"github.com/alanbuscaglia/engram/internal/attend"
)

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
