// Package database reads the SQLite databases of other programs (table.go, scan.go), of which nothing is
// changed: one in use is copied first.
//
// Input may come from anywhere: values are limited, views and triggers do not run, and rows on damaged
// pages are reported while the others are read.
package database

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// DB is another program's SQLite database, opened without changing anything.
//
// A database without a log is read in place, as immutable, so that no log or lock file appears
// beside it. A log holds changes that are not in the file yet, and reading them needs further
// files: such a database is copied with its log, and the copy is read.
type DB struct {
	name   string // as the user named it
	path   string // the file, links resolved
	db     *sql.DB
	copied string // the folder of the copy; "" for none
	was    state  // of the file when opened

	Note       func(item, reason string) // receives notes about altered items; nil for none
	readTables map[string]bool
}

// maxValue is the longest value, in bytes; a longer one ends the reading.
const maxValue = 64 << 20

// Open opens the database file at path.
func Open(ctx context.Context, path string, o source.Options) (*DB, error) {
	real, err := filepath.EvalSymlinks(path) // the log is beside the file, not the link
	if err != nil {
		return nil, source.Missing(path, err)
	}
	if err := Check(path, real); err != nil {
		return nil, err
	}
	d := &DB{name: path, path: real, readTables: map[string]bool{}}
	if d.was, err = stateOf(real); err != nil {
		return nil, source.Unreadable(path, err)
	}
	target, query := real, "mode=ro&immutable=1"
	if d.was.inUse() {
		if target, err = d.copy(o.Temp); err != nil {
			return nil, errors.Join(err, d.Close())
		}
		query = "mode=rw" // the log must be merged into the copy
	}
	query += "&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"
	if d.db, err = sql.Open("sqlite", URI(target, query)); err != nil {
		return nil, errors.Join(Broken(d.name, err), d.Close())
	}
	d.db.SetMaxOpenConns(1) // limit applies per connection
	if err := d.limit(ctx); err != nil {
		return nil, errors.Join(Broken(d.name, err), d.Close())
	}
	return d, nil
}

// Check rejects other files before SQLite sees them.
func Check(name, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return source.Missing(name, err)
	}
	if !info.Mode().IsRegular() {
		return engram.Errorf(engram.CodeInvalid, "%s is not a file", name).WithHint("name the database file itself")
	}
	f, err := os.Open(path)
	if err != nil {
		return source.Unreadable(name, err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 100)
	n, err := io.ReadFull(f, head)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return source.Unreadable(name, err)
	case n < len(head) || !bytes.HasPrefix(head, []byte(source.SQLiteMagic)):
		return engram.Errorf(engram.CodeInvalid, "%s is not a SQLite database", name).WithHint("name the database file of that program, such as engram.db or claude-mem.db")
	}
	return nil
}

// limit rejects values that would fill the memory.
func (d *DB) limit(ctx context.Context) error {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxValue)
	return errors.Join(err, conn.Close())
}

// Close closes the database and removes its copy.
func (d *DB) Close() error {
	var err error
	if d.db != nil {
		err = d.db.Close()
	}
	if d.copied != "" {
		err = errors.Join(err, os.RemoveAll(d.copied))
	}
	return err
}

// Broken translates an error of SQLite about the database that the user called name.
func Broken(name string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch CodeOf(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return engram.Errorf(engram.CodeInvalid, "%s is damaged or cut off", name).WithHint("copy it again, or repair it with: sqlite3 FILE .recover").WithCause(err)
	case sqlite3.SQLITE_TOOBIG:
		return engram.Errorf(engram.CodeInvalid, "%s has a value larger than %d MiB", name, maxValue>>20).WithCause(err)
	}
	return source.Unreadable(name, err)
}

// CodeOf returns SQLite's result code; 0 for other errors.
func CodeOf(err error) int {
	if bad, ok := errors.AsType[*sqlite.Error](err); ok {
		return bad.Code() & 0xff
	}
	return 0
}

// URI returns SQLite's name of a database file.
func URI(path, query string) string {
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query}).String()
}

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
