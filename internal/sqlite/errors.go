package sqlite

import (
	"context"
	"errors"

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
