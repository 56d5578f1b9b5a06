package notebook

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

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
	if errors.Is(err, os.ErrNotExist) && !exists(of) {
		err = atomicfile.Sweep(of)
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, errBusy) {
		return nil // it is being renamed, or was
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
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
