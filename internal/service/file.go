package service

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
)

// Action is what happened to a file, or would.
type Action string

// The actions.
const (
	Created   Action = "created"
	Updated   Action = "updated"   // our own file was replaced
	Replaced  Action = "replaced"  // another file was replaced and kept as a backup
	Unchanged Action = "unchanged" // it was up to date
	Removed   Action = "removed"
	Restored  Action = "restored" // the backup is back
	Nothing   Action = "nothing"  // there was no file
)

// Change describes what happened to a file, or would.
type Change struct {
	Action Action
	Path   string // the file itself, not a link to it
	Backup string // the previous file; "" if none was kept
}

// backupSuffix is appended to the name of a kept file.
const backupSuffix = ".before-engram"

// Put writes text to the file that path leads to. A file that was not written here, or was changed
// since, is kept as a backup. With dry it changes nothing and reports what it would do.
func Put(path, text string, dry bool) (Change, error) {
	path, mode, err := leadsTo(path)
	if err != nil {
		return Change{}, err
	}
	c := Change{Action: Created, Path: path}
	there, err := os.ReadFile(path)
	switch {
	case err == nil && string(there) == text:
		c.Action = Unchanged
		return c, nil
	case err == nil && ours(string(there)):
		c.Action = Updated
	case err == nil:
		c.Action, c.Backup = Replaced, path+backupSuffix
		if _, err := os.Lstat(c.Backup); !errors.Is(err, fs.ErrNotExist) {
			return Change{}, engram.Errorf(engram.CodeConflict, "%s was changed since, and a backup of an older file exists", path).
				WithHint("compare both, and remove %s or the file itself", c.Backup)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return Change{}, unwritable(path, err)
	}
	if dry {
		return c, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return Change{}, unwritable(path, err)
	}
	if c.Backup != "" {
		if err := atomicfile.Write(c.Backup, there, atomicfile.Options{Mode: mode}); err != nil {
			return Change{}, unwritable(c.Backup, err)
		}
	}
	if err := atomicfile.Write(path, []byte(text), atomicfile.Options{Mode: mode}); err != nil {
		return Change{}, unwritable(path, err)
	}
	return c, nil
}

// TakeAway removes what Put wrote to the file that path leads to, and restores the backup.
// CodeConflict for a file that was changed since.
func TakeAway(path string, dry bool) (Change, error) {
	path, mode, err := leadsTo(path)
	if err != nil {
		return Change{}, err
	}
	c := Change{Action: Nothing, Path: path}
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return Change{}, unwritable(path, err)
	case !ours(string(there)):
		return Change{}, engram.Errorf(engram.CodeConflict, "%s was changed since", path).WithHint("check it and remove it yourself")
	}
	kept, err := os.ReadFile(path + backupSuffix)
	switch {
	case err == nil:
		c.Action, c.Backup = Restored, path+backupSuffix
	case errors.Is(err, fs.ErrNotExist):
		c.Action = Removed
	default:
		return Change{}, unwritable(path+backupSuffix, err)
	}
	if dry {
		return c, nil
	}
	if c.Action == Removed {
		err = os.Remove(path)
	} else if err = atomicfile.Write(path, kept, atomicfile.Options{Mode: mode}); err == nil {
		err = os.Remove(c.Backup)
	}
	if err != nil {
		return Change{}, unwritable(path, err)
	}
	return c, nil
}

// leadsTo follows a link and returns the target and its mode.
func leadsTo(path string) (string, fs.FileMode, error) {
	const usual = 0o644
	real, there, err := atomicfile.Resolve(path)
	switch {
	case errors.Is(err, atomicfile.ErrLeadsNowhere):
		return "", 0, engram.Errorf(engram.CodeConflict, "%s is a link that leads nowhere", path).WithHint("remove it")
	case err != nil:
		return "", 0, unwritable(path, err)
	case there == nil:
		return real, usual, nil
	}
	return real, there.Mode().Perm(), nil
}

func unwritable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot write %s", path).WithHint("nothing was changed").WithCause(err)
}
