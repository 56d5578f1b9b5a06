package toggle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

// version is that of the file format. Later ones are rejected.
const version = 1

// maxFile is the largest accepted file, in bytes: some thousand projects.
const maxFile = 1 << 20

// file is the content of off.json.
type file struct {
	Version    int                  `json:"version"`
	Everything *time.Time           `json:"everything,omitempty"` // since when; absent: on
	Projects   map[string]time.Time `json:"projects,omitempty"`   // since when, by name
}

func decode(text []byte) (State, error) {
	var f file
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // an unknown field may mean off
	if err := d.Decode(&f); err != nil {
		return State{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return State{}, errors.New("it has more than one value")
	}
	if f.Version != version {
		return State{}, fmt.Errorf("it has version %d, but only %d is known", f.Version, version)
	}
	s := State{Projects: f.Projects}
	if f.Everything != nil {
		s.Everything, s.Since = true, *f.Everything
	}
	return s, nil
}

func encode(s State) ([]byte, error) {
	f := file{Version: version, Projects: s.Projects}
	if s.Everything {
		f.Everything = &s.Since
	}
	text, err := json.MarshalIndent(f, "", "  ")
	return append(text, '\n'), err
}

// readFile reads a file of at most maxFile bytes.
func readFile(path string) (text []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return text, err
}

// write stores now atomically, except on a full disk, where a partial file means off. If nothing is
// off, there is no file.
func (s Switch) write(now State) error {
	if !now.Everything && len(now.Projects) == 0 {
		if err := os.Remove(s.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := encode(now)
	if err != nil {
		return err
	}
	err = atomicfile.Write(s.path(), text, atomicfile.Options{Mode: 0o600}) // an empty file after a power cut would switch everything off
	if err == nil || s.overwrite(text) == nil || now.Everything && s.empty() == nil {
		return nil
	}
	return err
}

// keepAside keeps the unreadable content under an unused name beside the file and returns that
// path; "" if the file is blank. The caller holds the lock.
func (s Switch) keepAside() (path string, err error) {
	text, err := readFile(s.path())
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		return "", nil
	}
	for n := 1; ; n++ {
		path = filepath.Join(s.o.Dir, fmt.Sprintf("off.unread-%d.json", n))
		if _, there := os.Lstat(path); errors.Is(there, fs.ErrNotExist) {
			break
		} else if there != nil {
			return "", there
		}
	}
	if err == nil { // a copy, because a missing file would mean on
		err = atomicfile.Write(path, text, atomicfile.Options{Mode: 0o600})
	}
	if err != nil { // full disk, or unreadable content
		err = os.Rename(s.path(), path)
	}
	return path, err
}

// overwrite writes into the existing file, which needs no space on a full disk. A partial write is
// unreadable and means off.
func (s Switch) overwrite(text []byte) error {
	f, err := os.OpenFile(s.path(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	if err == nil {
		err = f.Truncate(int64(len(text)))
	}
	return errors.Join(err, f.Close())
}

// empty truncates the file, which a full disk mostly allows. It is unreadable and so means
// everything is off.
func (s Switch) empty() error {
	f, err := os.OpenFile(s.path(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
