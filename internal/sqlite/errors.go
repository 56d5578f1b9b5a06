package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// explain gives an SQLite error its code and a hint. Other errors, and those with a code, pass
// unchanged. Busy and full are not corrupt: no error is a reason to touch the file.
func explain(err error, path string) error {
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
		return engram.Errorf(code, "%s: %s", msg, path).WithHint("%s", hint).WithCause(err)
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

func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == lib.SQLITE_BUSY
}

// isUnique reports whether err is a violated UNIQUE constraint.
func isUnique(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == lib.SQLITE_CONSTRAINT_UNIQUE || e.Code() == lib.SQLITE_CONSTRAINT_PRIMARYKEY)
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
	err := t.Rows(ctx, query, nil, func(r scanner) error {
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

// Sizes of the write-ahead log in bytes. SQLite usually restarts the log at a thousand pages; from
// longLog on, shorten does.
const (
	usualLog = 4 << 20
	longLog  = 6 << 20
	moreLog  = 16 << 20 // growth until the next attempt after a failed one
)

// shorten restarts the write-ahead log if it has grown long. SQLite restarts it only at a moment without
// readers, and overlapping readers leave no such moment: eight writers beside two constant searchers
// wrote a log of 200 MB in half a minute, and page lookups slow down with its length. shorten waits for
// the current readers; new ones do not need the log.
//
// After a failed attempt, the next is made when the log has grown by moreLog, so a long-lived reader
// does not delay every save.
func (s *Store) shorten(ctx context.Context, c *conn.Conn) {
	info, err := os.Stat(s.path + "-wal")
	if err != nil || info.Size() < s.tooLong {
		return
	}
	const patience = 100 * time.Millisecond // searches take a fraction of it
	s.tooLong = longLog
	if done, err := checkpoint(ctx, c, "RESTART", patience); !done {
		s.tooLong = info.Size() + moreLog
		s.log.DebugContext(ctx, "cannot shorten the write-ahead log", "bytes", info.Size(), "err", err)
	}
}

// LogHolds reports whether the log, or pages that it will replace, may still contain erased text because
// a reader has kept it from being emptied.
func (s *Store) LogHolds() bool { return s.held.Load() }

// scrub empties the log after an erase, so that it contains no copy of the text. It waits briefly for
// readers in the way; otherwise each later write of this process tries again, and SQLite empties the log
// when the last connection closes.
func (s *Store) scrub(ctx context.Context, c *conn.Conn, patience time.Duration) {
	done, err := checkpoint(ctx, c, "TRUNCATE", patience)
	if s.held.Store(!done); !done {
		s.log.WarnContext(ctx, "cannot empty the write-ahead log after an erase", "readers in the way", err == nil, "err", err)
	}
}

// checkpoint moves the log into the database, waiting up to patience for readers that still need it.
// done is false if a reader stayed, or on an error.
func checkpoint(ctx context.Context, c *conn.Conn, mode string, patience time.Duration) (done bool, err error) {
	var busy, pages, moved int // the pragma reports a reader in the way by a row, not by an error
	err = errors.Join(
		c.Exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())),
		c.Scan(ctx, "PRAGMA wal_checkpoint("+mode+")", &busy, &pages, &moved),
		c.Exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", writerNap.Milliseconds())),
	)
	return err == nil && busy == 0, err
}
