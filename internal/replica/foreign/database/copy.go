package database

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// state is what a write to a database changes as seen from outside.
type state map[string]file

type file struct {
	size int64
	at   time.Time
}

// parts are the suffixes of a database's files; a lock file does not matter.
func parts() []string { return []string{"", "-wal", "-journal"} }

func stateOf(path string) (state, error) {
	s := state{}
	for _, end := range parts() {
		info, err := os.Stat(path + end)
		if errors.Is(err, fs.ErrNotExist) && end != "" {
			continue
		}
		if err == nil && !info.Mode().IsRegular() { // opening a pipe would block
			err = fmt.Errorf("%s is not a file", path+end)
		}
		if err != nil {
			return nil, err
		}
		s[end] = file{info.Size(), info.ModTime()}
	}
	return s, nil
}

func (s state) same(o state) bool {
	return !slices.ContainsFunc(parts(), func(end string) bool { return s[end].size != o[end].size || !s[end].at.Equal(o[end].at) })
}

// inUse reports whether there is a log beside the file.
func (s state) inUse() bool { return s["-wal"].size > 0 || s["-journal"].size > 0 }

// copy copies the file and its log until they did not change meanwhile.
func (d *DB) copy(temp string) (string, error) {
	dir, err := os.MkdirTemp(temp, "engram-migrate-") // mode 0700
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "cannot create a folder for a copy of %s", d.name).WithHint("set TMPDIR to a writable folder").WithCause(err)
	}
	d.copied = dir
	target := filepath.Join(dir, "copy.db")
	for range 5 {
		before, err := stateOf(d.path)
		if err != nil {
			return "", source.Unreadable(d.name, err)
		}
		for _, end := range parts() {
			if err := copyFile(d.path+end, target+end); err != nil {
				return "", err
			}
		}
		after, err := stateOf(d.path)
		if err != nil {
			return "", source.Unreadable(d.name, err)
		}
		if before.same(after) {
			return target, nil
		}
	}
	return "", d.busy()
}

func (d *DB) busy() error {
	return engram.Errorf(engram.CodeUnavailable, "another program is writing to %s", d.name).WithHint("stop that program and try again; nothing was imported")
}

// copyFile copies a file; a missing file removes the copy.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err != nil {
		return source.Unreadable(from, err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot write a copy of %s", from).WithCause(err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot copy %s", from).WithHint("free space for a copy, or set TMPDIR").WithCause(err)
	}
	return nil
}

// Settled returns an error if the database changed while it was read. One read in place is read
// without a lock.
func (d *DB) Settled() error {
	if d.copied != "" {
		return nil
	}
	now, err := stateOf(d.path)
	if err != nil {
		return source.Unreadable(d.name, err)
	}
	if !now.same(d.was) {
		return d.busy()
	}
	return nil
}
