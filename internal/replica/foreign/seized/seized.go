// Package seized replaces the database file of an earlier program by ours, while no other process has it open. It is the
// only code that changes a file of another program.
package seized

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/database"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Database is one that only this process has open until Release. Nothing else in the process may open the
// file meanwhile, because closing it again would drop the lock.
type Database struct {
	path string
	db   *sql.DB
	conn *sql.Conn
}

// wait is how long to wait for others to close the database: long enough for a reader, too
// short for a program that keeps it open.
const wait = 3 * time.Second

// Open locks a database exclusively. CodeUnavailable if another process has it open or it cannot
// be written, CodeInvalid for another file, CodeNotFound if nothing is there.
func Open(ctx context.Context, path string) (*Database, error) {
	if err := database.Check(path, path); err != nil {
		return nil, err
	}
	// Lock first: a log with a private index needs the lock at once.
	query := "mode=rw&_pragma=locking_mode(EXCLUSIVE)&_pragma=trusted_schema(0)"
	db, err := sql.Open("sqlite", database.URI(path, query))
	if err != nil {
		return nil, source.Unreadable(path, err)
	}
	db.SetMaxIdleConns(-1)
	s := &Database{path: path, db: db}
	for until := time.NewTimer(wait); ; {
		if err = s.take(ctx); err == nil {
			return s, nil
		}
		if database.CodeOf(err) != sqlite3.SQLITE_BUSY {
			return nil, errors.Join(database.Broken(path, err), s.Release())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), s.Release())
		case <-until.C:
			return nil, errors.Join(engram.Errorf(engram.CodeUnavailable, "another program has %s open and would continue to write to it", path).
				WithHint("stop the earlier engram (its server, and the editors and agents that run it) and try again; nothing has changed").WithCause(err), s.Release())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// take tries to lock the file. A connection whose attempt failed is discarded.
func (s *Database) take(ctx context.Context) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	// In this mode the lock outlives the transaction.
	if _, err = conn.ExecContext(ctx, "BEGIN EXCLUSIVE"); err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_ = conn.Close() // really closed: none is kept idle
		return err
	}
	s.conn = conn
	return nil
}

// Copy copies the database with its log, page by page, into a new file readable by the user alone.
// Damaged pages are copied as they are.
func (s *Database) Copy(ctx context.Context, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot copy %s", s.path).WithHint("check that %s is writable", filepath.Dir(to)).WithCause(err)
	}
	err = s.conn.Raw(func(c any) error {
		source, ok := c.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the driver does not support copies")
		}
		b, err := source.NewBackup(database.URI(to, ""))
		if err != nil {
			return err
		}
		const pages = 1000
		for more := true; more && err == nil; {
			if err = ctx.Err(); err == nil {
				more, err = b.Step(pages)
			}
		}
		return errors.Join(err, b.Finish())
	})
	if err == nil {
		err = syncFile(to)
	}
	if err != nil {
		return errors.Join(engram.Errorf(engram.CodeUnavailable, "cannot copy %s", s.path).WithHint("free space for a copy").WithCause(err), os.Remove(to))
	}
	return nil
}

// Replace atomically replaces the database by another one that no process has open.
func (s *Database) Replace(ctx context.Context, by string) error {
	// A leftover log would be taken for that of the other database.
	var mode string
	if err := s.conn.QueryRowContext(ctx, "PRAGMA journal_mode = DELETE").Scan(&mode); err != nil || mode != "delete" {
		return engram.Errorf(engram.CodeUnavailable, "cannot merge the log of %s into it", s.path).WithHint("try again; nothing has changed").WithCause(err)
	}
	// Use an ordinary transaction, which holds the same lock: one of the other kind would leave its
	// journal there.
	for _, q := range []string{"PRAGMA locking_mode = NORMAL", "BEGIN EXCLUSIVE"} {
		if _, err := s.conn.ExecContext(ctx, q); err != nil {
			return database.Broken(s.path, err)
		}
	}
	if err := syncFile(by); err != nil {
		return source.Unreadable(by, err)
	}
	if runtime.GOOS == "windows" { // an open file cannot be replaced there
		if err := s.Release(); err != nil {
			return err
		}
	}
	if err := os.Rename(by, s.path); err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot replace %s", s.path).WithHint("check that its folder is writable; nothing has changed").WithCause(err)
	}
	return syncFolder(filepath.Dir(s.path))
}

// Release unlocks and closes the database. It may be called twice.
func (s *Database) Release() error {
	var err error
	if s.conn != nil {
		err, s.conn = s.conn.Close(), nil
	}
	return errors.Join(err, s.db.Close())
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder makes the entries of a folder durable, if the system supports it.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return source.Unreadable(dir, err)
	}
	if err := f.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && runtime.GOOS != "windows" {
		return errors.Join(source.Unreadable(dir, err), f.Close())
	}
	return f.Close()
}
