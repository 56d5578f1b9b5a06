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
)

// explain gives an error of SQLite its code and a hint. Other errors, and those that
// have a code, pass unchanged. Busy is not corrupt and full is not corrupt: each says
// what it is, and none of them is a reason to touch the file.
func explain(err error, path string) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*engram.Error](err); ok {
		return err
	}
	if errors.Is(err, postings.ErrDamaged) {
		return engram.Errorf(engram.CodeInternal, "the index of words is damaged").
			WithHint("{reembed --all} makes it anew; the memories themselves are not touched").WithCause(err)
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	as := func(code engram.Code, msg, hint string) error {
		return engram.Errorf(code, "%s: %s", msg, path).WithHint("%s", hint).WithCause(err)
	}
	if e.Code() == lib.SQLITE_CONSTRAINT_FOREIGNKEY {
		return engram.Errorf(engram.CodeConflict, "something that is kept refers to it, or it refers to something that is not there").
			WithHint("remove what depends on it first; nothing was changed").WithCause(err)
	}
	switch e.Code() {
	case lib.SQLITE_READONLY_DIRECTORY, lib.SQLITE_READONLY_CANTINIT, lib.SQLITE_READONLY_CANTLOCK:
		// Readers, too, need the index of the write-ahead log. Without it the file could only
		// be read as if nobody ever wrote to it, and nothing here knows that.
		return as(engram.CodeUnavailable, "the database cannot be opened, not even for reading, because its folder cannot be written to",
			"SQLite keeps its log beside the file: let this user write to the folder, or copy the file into another and name that with --data-dir")
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return as(engram.CodeUnavailable, "the database is busy", "try again in a moment; nothing was changed")
	case lib.SQLITE_FULL:
		return as(engram.CodeUnavailable, "the disk is full", "make room and try again; nothing was changed")
	case lib.SQLITE_READONLY:
		return as(engram.CodeUnavailable, "the database cannot be written", "check the permissions of the file and its folder")
	case lib.SQLITE_CANTOPEN:
		return as(engram.CodeUnavailable, "the database cannot be opened", "check that the folder exists and can be read and written")
	case lib.SQLITE_IOERR:
		return as(engram.CodeUnavailable, "the disk failed or is full", "check the disk; nothing was changed")
	case lib.SQLITE_NOTADB:
		return as(engram.CodeInvalid, "the file is not a database", "move it away or choose another folder with --data-dir; it was left as it is")
	case lib.SQLITE_CORRUPT:
		return as(engram.CodeInternal, "the database is damaged", "keep a copy of it and restore one from the backups folder; it was left as it is")
	case lib.SQLITE_INTERRUPT:
		return context.Canceled
	}
	return err
}

func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == lib.SQLITE_BUSY
}

// isUnique reports whether err is a broken UNIQUE constraint.
func isUnique(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == lib.SQLITE_CONSTRAINT_UNIQUE || e.Code() == lib.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// Stranger is the cause of the error of a database that is another program's: what tables it
// has, and their columns, by which somebody may know whose it is.
type Stranger struct {
	Path   string
	Tables map[string][]string
}

// Error implements error.
func (*Stranger) Error() string { return "its tables are none of this program's" }

// strange is the error of a database that has tables and is not ours.
func strange(ctx context.Context, c *conn, path string) error {
	const query = `SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1, c.cid`
	who := &Stranger{Path: path, Tables: map[string][]string{}}
	t := &tx{conn: c}
	err := t.rows(ctx, query, nil, func(r scanner) error {
		var table, column string
		err := r.Scan(&table, &column)
		who.Tables[table] = append(who.Tables[table], column)
		return err
	})
	if err != nil {
		return err
	}
	return engram.Errorf(engram.CodeInvalid, "%s is a database of another program", path).
		WithHint("choose another folder with --data-dir; it was left as it is").WithCause(who)
}

// Sizes of the write-ahead log in bytes. SQLite itself starts the log anew at a
// thousand pages while all goes well; from longLog on it is not left to it.
const (
	usualLog = 4 << 20
	longLog  = 6 << 20
	moreLog  = 16 << 20 // after a try in vain
)

// shorten starts the log anew when it has grown long. SQLite does so only at a moment
// without a reader, and readers that overlap leave none: eight writers beside two
// searchers that never rested wrote a log of 200 MB in half a minute, and the longer
// the log, the more each page costs to find. This waits until those who read now have
// left; whoever comes meanwhile does not need the log.
//
// A reader that stays is not waited for at every save: after a try in vain the next
// comes when the log has grown by moreLog.
func (s *Store) shorten(ctx context.Context, c *conn) {
	info, err := os.Stat(s.path + "-wal")
	if err != nil || info.Size() < s.tooLong {
		return
	}
	const patience = 100 * time.Millisecond // a search takes a fraction of it
	s.tooLong = longLog
	if done, err := checkpoint(ctx, c, "RESTART", patience); !done {
		s.tooLong = info.Size() + moreLog
		s.log.DebugContext(ctx, "the write-ahead log could not be shortened", "bytes", info.Size(), "err", err)
	}
}

// LogHolds reports whether an erased text may still be in the log and in the pages that
// the log will replace: a reader was in the way of emptying it, and is still.
func (s *Store) LogHolds() bool { return s.held.Load() }

// scrub empties the log after an erase, so that it holds no copy of the text. A
// reader in the way is waited for a little; after that it is tried again by each later
// write of this process, and the log is emptied when the last connection closes.
func (s *Store) scrub(ctx context.Context, c *conn, patience time.Duration) {
	done, err := checkpoint(ctx, c, "TRUNCATE", patience)
	if s.held.Store(!done); !done {
		s.log.WarnContext(ctx, "the write-ahead log could not be emptied after an erase", "readers in the way", err == nil, "err", err)
	}
}

// checkpoint moves the log into the database, waiting up to patience for the readers
// that still need it. It is not done when one of them stayed, or on an error.
func checkpoint(ctx context.Context, c *conn, mode string, patience time.Duration) (done bool, err error) {
	var busy, pages, moved int // the pragma answers a reader in the way with a row, not with an error
	err = errors.Join(
		c.exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())),
		c.sql.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages, &moved),
		c.exec(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", writerNap.Milliseconds())),
	)
	return err == nil && busy == 0, err
}
