package notebook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/attend"
)

// maxPending is how many bytes of a session may wait. There is nothing that could go
// instead: a line that does not fit is refused.
const maxPending = 16 << 20

// AddPending keeps what is to be written. Looking a megabyte through for secrets takes a tenth of a
// second: who has little time cuts texts before.
func (n *Notebook) AddPending(w attend.Pending) error {
	w.Title, w.Text = n.clean(w.Title), n.clean(w.Text)
	w.Directory, w.Agent = n.clean(w.Directory), n.clean(w.Agent)
	line, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return n.append(n.path(w.Session, waitingSuffix), append(line, '\n'), maxPending, nil)
}

// Pending returns what waits of a session, in the order in which it came.
func (n *Notebook) Pending(session string) ([]attend.Pending, error) {
	lines, err := read(n.path(session, waitingSuffix), 2*maxPending)
	return pendingIn(lines), err
}

func pendingIn(lines []byte) (all []attend.Pending) {
	for line := range bytes.Lines(lines) {
		var w attend.Pending
		if line[len(line)-1] == '\n' && json.Unmarshal(line, &w) == nil && w.Key != "" {
			all = append(all, w)
		}
	}
	return all
}

// Written takes out what was written, by its keys. What came meanwhile stays.
func (n *Notebook) Written(session string, keys []string) error {
	path := n.path(session, waitingSuffix)
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
		return nil // somebody else has written all of it
	}
	return explain(err, path)
}

// Unwritten returns the sessions of which something waits, most of them; in no order.
func (n *Notebook) Unwritten() ([]string, error) {
	const most = 500
	entries, err := os.ReadDir(n.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var sessions []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), waitingSuffix) || len(sessions) == most {
			continue
		}
		if w, found := n.firstOf(e.Name()); found {
			sessions = append(sessions, w.Session)
		}
	}
	return sessions, explain(err, filepath.Join(n.Dir, "notes"))
}

// firstOf is the first that waits in a file of the notebook.
func (n *Notebook) firstOf(name string) (w attend.Pending, found bool) {
	f, err := os.Open(filepath.Join(n.Dir, name))
	if err != nil {
		return w, false
	}
	defer f.Close()
	w, found, err = firstPending(f)
	return w, found && err == nil
}

// firstPending is the first that waits in a file, which is read no further.
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
