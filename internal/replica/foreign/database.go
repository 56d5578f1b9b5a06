package foreign

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
	"strings"
	"time"

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
	d := &database{name: path, path: real}
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
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(target), RawQuery: query}).String()
	if d.db, err = sql.Open("sqlite", dsn); err != nil {
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

// state is by what a write to a database shows from outside.
type state map[string]file

type file struct {
	size int64
	at   time.Time
}

// The endings of the files that belong to a database; a lock file says nothing.
func parts() []string { return []string{"", "-wal", "-journal"} }

func stateOf(path string) (state, error) {
	s := state{}
	for _, end := range parts() {
		info, err := os.Stat(path + end)
		if errors.Is(err, fs.ErrNotExist) && end != "" {
			continue
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

// copy copies the file and its log until nothing was written to them meanwhile.
func (d *database) copy(temp string) (string, error) {
	dir, err := os.MkdirTemp(temp, "engram-migrate-") // mode 0700
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "no place for a copy of %s", d.name).WithHint("set TMPDIR to a folder that can be written").WithCause(err)
	}
	d.copied = dir
	target := filepath.Join(dir, "copy.db")
	for range 5 {
		before, err := stateOf(d.path)
		if err != nil {
			return "", unreadable(d.name, err)
		}
		for _, end := range parts() {
			if err := copyFile(d.path+end, target+end); err != nil {
				return "", err
			}
		}
		after, err := stateOf(d.path)
		if err != nil {
			return "", unreadable(d.name, err)
		}
		if before.same(after) {
			return target, nil
		}
	}
	return "", d.busy()
}

func (d *database) busy() error {
	return engram.Errorf(engram.CodeUnavailable, "%s is being written", d.name).WithHint("stop the program that uses it, and try again; nothing came in")
}

// copyFile copies a file; where there is none, there is none afterwards.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err != nil {
		return unreadable(from, err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return engram.Errorf(engram.CodeUnavailable, "no copy of %s can be written", from).WithCause(err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return engram.Errorf(engram.CodeUnavailable, "%s cannot be copied", from).WithHint("make room for a copy of it, or set TMPDIR").WithCause(err)
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

// settled says whether what was read lay still meanwhile: a database that is read where it
// lies is read without a lock.
func (d *database) settled() error {
	if d.copied != "" {
		return nil
	}
	now, err := stateOf(d.path)
	if err != nil {
		return unreadable(d.name, err)
	}
	if !now.same(d.was) {
		return d.busy()
	}
	return nil
}

// broken is what SQLite said of a database as something that a person can use.
func (d *database) broken(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if bad, ok := errors.AsType[*sqlite.Error](err); ok {
		switch bad.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return engram.Errorf(engram.CodeInvalid, "%s is damaged or cut off", d.name).WithHint("copy it once more, or mend it with: sqlite3 FILE .recover").WithCause(err)
		case sqlite3.SQLITE_TOOBIG:
			return engram.Errorf(engram.CodeInvalid, "%s has a value of more than %d MiB", d.name, maxValue>>20).WithCause(err)
		}
	}
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be read", d.name).WithCause(err)
}

// columns are the columns of a table; none where there is no such table. A view of that
// name is none: what it would do is anybody's guess.
func (d *database) columns(ctx context.Context, table string) ([]string, error) {
	const query = `SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.name = ? ORDER BY c.cid`
	rows, err := d.db.QueryContext(ctx, query, table)
	if err != nil {
		return nil, d.broken(err)
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, d.broken(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, d.broken(err)
	}
	return names, nil
}

// table is a table of another program: the columns that are of use, of which those that a
// version of it does not have are read as NULL.
type table struct {
	name  string
	needs []string // without these it is no such table, or one of a later time
	likes []string
	order string // a unique column
}

// each calls fn with every row. A table that is not there has none, unless it needs columns.
func (d *database) each(ctx context.Context, t table, fn func(values) (more bool)) error {
	have, err := d.columns(ctx, t.name)
	if err != nil || len(have) == 0 {
		return err
	}
	var names []string
	for _, name := range slices.Concat(t.needs, t.likes) {
		if slices.Contains(have, name) {
			names = append(names, name)
		}
	}
	// Names from the tables above, never from the database.
	query := `SELECT "` + strings.Join(names, `", "`) + `" FROM "` + t.name + `" ORDER BY "` + t.order + `"`
	rows, err := d.db.QueryContext(ctx, query)
	if err != nil {
		return d.broken(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		v, err := scan(rows, names)
		if err != nil {
			return d.broken(err)
		}
		if !fn(v) {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return d.broken(err)
	}
	return nil
}

// require says whether a database has what is needed of its tables: CodeInvalid where none
// of them is there, for then it is another program's, and CodeConflict where they look
// otherwise than any version that is known.
func (d *database) require(ctx context.Context, program string, tables ...table) error {
	found := 0
	var lacks []string
	for _, t := range tables {
		have, err := d.columns(ctx, t.name)
		if err != nil {
			return err
		}
		if len(have) == 0 {
			lacks = append(lacks, "table "+t.name)
			continue
		}
		found++
		for _, name := range t.needs {
			if !slices.Contains(have, name) {
				lacks = append(lacks, t.name+"."+name)
			}
		}
	}
	switch {
	case found == 0:
		return engram.Errorf(engram.CodeInvalid, "%s is no database of %s", d.name, program).WithHint("it has none of its tables; name another file, or another system with --from")
	case len(lacks) > 0:
		return engram.Errorf(engram.CodeConflict, "%s is of a version of %s that is not known: it has no %s", d.name, program, strings.Join(lacks, ", ")).
			WithHint("use a newer engram, or that program's own export")
	}
	return nil
}

// count is how many rows a table has, for a progress bar; 0 where nobody knows.
func (d *database) count(ctx context.Context, name string) int {
	var n int
	// A number that cannot be had is no reason to stop: whoever reads the rows will be told.
	_ = d.db.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&n)
	return n
}

// values is a row by its columns; what is not there is nil.
type values map[string]any

func scan(rows *sql.Rows, names []string) (values, error) {
	got := make([]any, len(names))
	into := make([]any, len(names))
	for i := range got {
		into[i] = &got[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	v := make(values, len(names))
	for i, name := range names {
		v[name] = got[i]
	}
	return v, nil
}

// text is a value as text, however it was stored.
func (v values) text(name string) string {
	switch x := v[name].(type) {
	case nil:
		return ""
	case string:
		return x
	case []byte:
		return string(x)
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(x)
	}
}

// number is a value as a whole number; 0 where it is none.
func (v values) number(name string) int64 {
	switch x := v[name].(type) {
	case int64:
		return x
	case float64:
		if x > -1<<53 && x < 1<<53 {
			return int64(x)
		}
	}
	return 0
}
