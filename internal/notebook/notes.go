package notebook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/atomicfile"
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

// maxPending limits the bytes of a session's pending items. Nothing can be dropped to make room: a
// line that does not fit is rejected.
const maxPending = 16 << 20

// AddPending adds a pending item. Scanning a megabyte for secrets takes a tenth of a second:
// callers with little time cut the text before.
func (n *Notebook) AddPending(w attend.Pending) error {
	w.Title, w.Text = n.clean(w.Title), n.clean(w.Text)
	w.Directory, w.Agent = n.clean(w.Directory), n.clean(w.Agent)
	line, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return n.append(n.path(w.Session, pendingSuffix), append(line, '\n'), maxPending, nil)
}

// Pending returns a session's pending items, oldest first.
func (n *Notebook) Pending(session string) ([]attend.Pending, error) {
	lines, err := read(n.path(session, pendingSuffix), 2*maxPending)
	return pendingIn(lines), err
}

func pendingIn(lines []byte) []attend.Pending {
	return decoded(lines, func(w attend.Pending) bool { return w.Key != "" })
}

// Written removes written items by key. Items added meanwhile stay.
func (n *Notebook) Written(session string, keys []string) error {
	path := n.path(session, pendingSuffix)
	err := n.change(path, false, func(f *os.File) error {
		lines, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		var rest []byte
		for line := range bytes.Lines(lines) {
			var w attend.Pending
			if json.Unmarshal(line, &w) == nil && !slices.Contains(keys, w.Key) {
				rest = append(rest, line...)
			}
		}
		return replace(f, path, rest)
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil // another process has written all of them
	}
	return explain(err, path)
}

// Unwritten returns most of the sessions with pending items, in no order.
func (n *Notebook) Unwritten() ([]string, error) {
	const most = 500
	entries, err := os.ReadDir(n.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var sessions []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), pendingSuffix) || len(sessions) == most {
			continue
		}
		f, err := os.Open(filepath.Join(n.Dir, e.Name()))
		if err != nil {
			continue
		}
		if w, found, err := firstPending(f); found && err == nil {
			sessions = append(sessions, w.Session)
		}
		_ = f.Close() // opened for reading only
	}
	return sessions, explain(err, filepath.Join(n.Dir, "notes"))
}

// firstPending returns the first pending item in a file and reads no further.
func firstPending(f io.Reader) (w attend.Pending, found bool, err error) {
	lines := bufio.NewReader(io.LimitReader(f, 2*maxPending))
	for {
		line, err := lines.ReadBytes('\n')
		if all := pendingIn(line); len(all) > 0 {
			return all[0], true, nil
		}
		if errors.Is(err, io.EOF) {
			return w, false, nil
		}
		if err != nil {
			return w, false, err
		}
	}
}

// Sweep removes the notes of sessions that were not touched since before, because they never ended.
// Pending items stay until they are written, but a file without readable items is removed with the
// notes, and a half-written replacement at once.
func (n *Notebook) Sweep(before time.Time) error {
	entries, err := os.ReadDir(n.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		path := filepath.Join(n.Dir, e.Name())
		if of, half := atomicfile.Of(path); half {
			errs = append(errs, n.dropHalf(of))
			continue
		}
		info, err := e.Info()
		if err != nil || !info.ModTime().Before(before) {
			continue
		}
		switch filepath.Ext(path) {
		case notesSuffix:
			errs = append(errs, os.Remove(path))
		case pendingSuffix:
			errs = append(errs, n.dropEmpty(path))
		}
	}
	return explain(errors.Join(errs...), filepath.Join(n.Dir, "notes"))
}

// dropHalf removes a half-written replacement of a file, unless its writer holds the lock.
func (n *Notebook) dropHalf(of string) error {
	err := n.change(of, false, func(*os.File) error { return atomicfile.Sweep(of) })
	if _, gone := os.Stat(of); errors.Is(err, os.ErrNotExist) && gone != nil {
		err = atomicfile.Sweep(of)
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, errBusy) {
		return nil // it is being renamed, or was
	}
	return err
}

// dropEmpty removes a file of pending items that has none.
func (n *Notebook) dropEmpty(path string) error {
	err := n.change(path, false, func(f *os.File) error {
		if _, found, err := firstPending(f); found || err != nil {
			return err
		}
		return replace(f, path, nil)
	})
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, errBusy) {
		return nil
	}
	if runtime.GOOS == "windows" { // replace leaves an empty file there, which cannot be removed while open
		if info, gone := os.Stat(path); gone == nil && info.Size() == 0 {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}
