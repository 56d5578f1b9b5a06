// Package machine examines the computer for the doctor: free space, kind of file system, file
// modes. It never opens the database: closing it would drop the locks that SQLite holds in this
// process.
package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/health"
)

// Modes of the store's folder and files.
const (
	folderMode fs.FileMode = 0o700
	fileMode   fs.FileMode = 0o600
)

// Look examines the files of the database at path and their disk.
func Look(path string) health.Files {
	f := health.Files{Part: health.Part{Known: true}, Free: -1}
	f.Err = look(path, &f)
	return f
}

func look(path string, f *health.Files) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("database path: %w", err)
	}
	for _, name := range []string{abs, abs + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			f.Database += info.Size()
		}
	}
	dir := filepath.Dir(abs)
	f.Folders = []string{dir}
	// A link may lead into a synchronized folder.
	if real, err := filepath.EvalSymlinks(abs); err == nil && filepath.Dir(real) != dir {
		f.Folders = append(f.Folders, filepath.Dir(real))
		dir = filepath.Dir(real)
	}
	if f.Free, f.Kind, err = disk(dir); err != nil {
		return fmt.Errorf("the disk of %s: %w", dir, err)
	}
	f.Open, err = openToOthers(abs)
	return err
}

// Free returns the bytes that this user may still write in a folder; -1 if that is unknown.
func Free(dir string) int64 {
	free, _, err := disk(dir)
	if err != nil {
		return -1
	}
	return free
}

// Creatable returns why no file can be created at path: the nearest existing folder above it is not
// writable or not a folder.
func Creatable(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("database path: %w", err)
	}
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
			continue
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is not a folder", dir)
		}
		if err := writable(dir); err != nil {
			return fmt.Errorf("the folder %s is not writable: %w", dir, err)
		}
		return nil
	}
}

// Tighten removes the rights of others on the store's files and returns the changed files.
func Tighten(path string) (closed []string, err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database path: %w", err)
	}
	open, err := openToOthers(abs)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, o := range open {
		if err := os.Chmod(o.Path, fs.FileMode(o.Mode&o.Want)); err != nil {
			errs = append(errs, fmt.Errorf("remove the rights of others on %s: %w", o.Path, err))
			continue
		}
		closed = append(closed, o.Path)
	}
	return closed, errors.Join(errs...)
}

// openToOthers finds files of the store with rights for others. The folder counts only if it holds
// nothing else: otherwise its mode is the owner's choice.
func openToOthers(path string) (open []health.Mode, err error) {
	if !permissions {
		return nil, nil
	}
	dir := filepath.Dir(path)
	look := func(name string, want fs.FileMode) error {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the mode of %s: %w", name, err)
		}
		plain := info.IsDir() || info.Mode().IsRegular() // a link's own mode has no effect
		if plain && info.Mode().Perm()&^want&0o077 != 0 {
			open = append(open, health.Mode{Path: name, Mode: uint32(info.Mode().Perm()), Want: uint32(want)})
		}
		return nil
	}
	errs := []error{look(path, fileMode), look(path+"-wal", fileMode), look(path+"-shm", fileMode)}
	if entries, err := os.ReadDir(dir); err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !ours(e.Name(), filepath.Base(path)) }) {
		errs = append(errs, look(dir, folderMode))
	}
	backups := filepath.Join(dir, "backups")
	copies, err := os.ReadDir(backups)
	if err == nil {
		errs = append(errs, look(backups, folderMode))
	}
	for _, c := range copies {
		if strings.HasPrefix(c.Name(), "engram-") && strings.HasSuffix(c.Name(), ".db") {
			errs = append(errs, look(filepath.Join(backups, c.Name()), fileMode))
		}
	}
	return open, errors.Join(errs...)
}

// ours reports whether Engram creates a file of this name in the data folder.
func ours(name, database string) bool {
	return strings.HasPrefix(name, database) || strings.HasPrefix(name, "engram.") || slices.Contains([]string{
		"backups", "models", "config.toml", "off.json", "off.lock", "sync.lock", "notes", "hook.log", "hook.log.old", "setup"}, name)
}
