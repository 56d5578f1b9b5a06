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
)

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
