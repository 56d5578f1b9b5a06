package notebook

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

// Sweep removes what was noted of sessions that nobody has touched since before: they never
// ended. What waits stays until it is written; but a file in which nothing waits that anybody
// could read goes with the notes, and what a process that was killed left half replaced goes
// at once.
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
		case waitingSuffix:
			errs = append(errs, n.dropEmpty(path))
		}
	}
	return explain(errors.Join(errs...), filepath.Join(n.Dir, "notes"))
}

// dropHalf removes what was to take the place of a file. Whoever is at it has the lock.
func (n *Notebook) dropHalf(of string) error {
	err := n.change(of, false, func(*os.File) error { return atomicfile.Sweep(of) })
	if errors.Is(err, os.ErrNotExist) && !exists(of) {
		err = atomicfile.Sweep(of)
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, errBusy) {
		return nil // it has taken its place meanwhile, or is about to
	}
	return err
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// dropEmpty removes a file of what waits in which nothing does.
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
	if runtime.GOOS == "windows" { // where replace leaves one that is empty; nobody removes one there that another has opened
		if info, gone := os.Stat(path); gone == nil && info.Size() == 0 {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}
