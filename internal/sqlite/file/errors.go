package file

import (
	"context"
	"errors"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Explain gives an SQLite error its code and a hint. Other errors, and those with a code, pass
// unchanged. Busy and full are not corrupt: no error is a reason to touch the file.
func (f *File) Explain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*engram.Error](err); ok {
		return err
	}
	if errors.Is(err, postings.ErrDamaged) {
		return engram.Errorf(engram.CodeInternal, "the lexical index is damaged").
			WithHint("rebuild it with {reembed --all}; memories are not affected").WithCause(err)
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	as := func(code engram.Code, msg, hint string) error {
		return engram.Errorf(code, "%s: %s", msg, f.Path).WithHint("%s", hint).WithCause(err)
	}
	if e.Code() == lib.SQLITE_CONSTRAINT_FOREIGNKEY {
		return engram.Errorf(engram.CodeConflict, "it is still referenced, or refers to something missing").
			WithHint("remove what depends on it first; nothing was changed").WithCause(err)
	}
	switch e.Code() {
	case lib.SQLITE_READONLY_DIRECTORY, lib.SQLITE_READONLY_CANTINIT, lib.SQLITE_READONLY_CANTLOCK:
		// Readers need the shared memory of the write-ahead log too. Without it, the file could only be
		// opened as immutable, which is wrong if other programs write to it.
		return as(engram.CodeUnavailable, "cannot open the database, even for reading, because its folder is not writable",
			"make the folder writable, or copy the file to another folder and name that with --data-dir: SQLite keeps its log beside the file")
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return as(engram.CodeUnavailable, "the database is busy", "try again in a moment; nothing was changed")
	case lib.SQLITE_FULL:
		return as(engram.CodeUnavailable, "the disk is full", "free disk space and try again; nothing was changed")
	case lib.SQLITE_READONLY:
		return as(engram.CodeUnavailable, "cannot write the database", "check the permissions of the file and its folder")
	case lib.SQLITE_CANTOPEN:
		return as(engram.CodeUnavailable, "cannot open the database", "check that the folder exists and can be read and written")
	case lib.SQLITE_IOERR:
		return as(engram.CodeUnavailable, "the disk failed or is full", "check the disk; nothing was changed")
	case lib.SQLITE_NOTADB:
		return as(engram.CodeInvalid, "the file is not a database", "move it away or choose another folder with --data-dir; it was not changed")
	case lib.SQLITE_CORRUPT:
		return as(engram.CodeInternal, "the database is damaged", "keep a copy of it and restore one from the backups folder; it was not changed")
	case lib.SQLITE_INTERRUPT:
		return context.Canceled
	}
	return err
}

// Stranger is the cause of the error for another program's database, with its tables and their columns,
// by which an importer may recognise it.
type Stranger struct {
	Path   string
	Tables map[string][]string
}

// Error implements error.
func (*Stranger) Error() string { return "the tables belong to another program" }

// strange returns the error for a database with tables that is not ours.
func strange(ctx context.Context, c *conn.Conn, path string) error {
	const query = `SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1, c.cid`
	who := &Stranger{Path: path, Tables: map[string][]string{}}
	t := &conn.Tx{Conn: c}
	err := t.Rows(ctx, query, nil, func(r sqlrow.Scanner) error {
		var table, column string
		err := r.Scan(&table, &column)
		who.Tables[table] = append(who.Tables[table], column)
		return err
	})
	if err != nil {
		return err
	}
	return engram.Errorf(engram.CodeInvalid, "%s is a database of another program", path).
		WithHint("choose another folder with --data-dir; it was not changed").WithCause(who)
}
