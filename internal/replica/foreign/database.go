package foreign

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/alanbuscaglia/engram"
)

// database is another program's SQLite database, opened so that nothing of it changes.
//
// One that nobody has open, and that lies there whole, is read where it is, as immutable:
// no log and no lock file comes to lie beside it. One with a log has changes that are not in
// its file yet, and whoever reads them needs files beside it: it is copied with its log
// into a folder of its own, and the copy is read.
type database struct {
	name   string // as it was named
	path   string // the file itself
	db     *sql.DB
	copied string // the folder of the copy; "" when there is none
	was    state  // of the file when it was opened

	note       func(item, reason string) // is told what comes in otherwise than it stands there; nil: nobody
	readTables map[string]bool
}

// maxValue is how long one value may be, in bytes; a longer one ends the reading.
const maxValue = 64 << 20

const sqliteMagic = "SQLite format 3\x00"

// openDatabase opens the database at path, which must not be a folder.
func openDatabase(ctx context.Context, path string, o Options) (*database, error) {
	real, err := filepath.EvalSymlinks(path) // the log lies beside the file, not beside a link to it
	if err != nil {
		return nil, missing(path, err)
	}
	if err := checkDatabase(path, real); err != nil {
		return nil, err
	}
	d := &database{name: path, path: real, readTables: map[string]bool{}}
	if d.was, err = stateOf(real); err != nil {
		return nil, unreadable(path, err)
	}
	target, query := real, "mode=ro&immutable=1"
	if d.was.inUse() {
		if target, err = d.copy(o.Temp); err != nil {
			return nil, errors.Join(err, d.close())
		}
		query = "mode=rw" // what the log has must come into the copy
	}
	query += "&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"
	if d.db, err = sql.Open("sqlite", uriOf(target, query)); err != nil {
		return nil, errors.Join(d.broken(err), d.close())
	}
	d.db.SetMaxOpenConns(1) // the limit is one connection's
	if err := d.limit(ctx); err != nil {
		return nil, errors.Join(d.broken(err), d.close())
	}
	return d, nil
}

func missing(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return engram.Errorf(engram.CodeNotFound, "%s does not exist", path)
	}
	return unreadable(path, err)
}

// checkDatabase says why a file is no database, before anything of SQLite sees it.
func checkDatabase(name, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return missing(name, err)
	}
	if !info.Mode().IsRegular() {
		return engram.Errorf(engram.CodeInvalid, "%s is no file", name).WithHint("name the database file itself")
	}
	f, err := os.Open(path)
	if err != nil {
		return unreadable(name, err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 100)
	n, err := io.ReadFull(f, head)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return unreadable(name, err)
	case n < len(head) || !bytes.HasPrefix(head, []byte(sqliteMagic)):
		return engram.Errorf(engram.CodeInvalid, "%s is no SQLite database", name).WithHint("name the database file of that program, such as engram.db or claude-mem.db")
	}
	return nil
}

// limit forbids values that would fill the memory.
func (d *database) limit(ctx context.Context) error {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxValue)
	return errors.Join(err, conn.Close())
}

func (d *database) close() error {
	var err error
	if d.db != nil {
		err = d.db.Close()
	}
	if d.copied != "" {
		err = errors.Join(err, os.RemoveAll(d.copied))
	}
	return err
}

// broken is what SQLite said of a database as something that a person can use.
func (d *database) broken(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch codeOf(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return engram.Errorf(engram.CodeInvalid, "%s is damaged or cut off", d.name).WithHint("copy it once more, or mend it with: sqlite3 FILE .recover").WithCause(err)
	case sqlite3.SQLITE_TOOBIG:
		return engram.Errorf(engram.CodeInvalid, "%s has a value of more than %d MiB", d.name, maxValue>>20).WithCause(err)
	}
	return unreadable(d.name, err)
}

// codeOf is the result code of SQLite; 0 for other errors.
func codeOf(err error) int {
	if bad, ok := errors.AsType[*sqlite.Error](err); ok {
		return bad.Code() & 0xff
	}
	return 0
}

// uriOf names a database file as SQLite's URI.
func uriOf(path, query string) string {
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query}).String()
}
