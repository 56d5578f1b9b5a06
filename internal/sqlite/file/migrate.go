package file

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// applicationID marks the file as Engram's: "ENGR" in ASCII.
const applicationID = 0x454e4752

// Schema is what the file must hold.
type Schema struct {
	Steps fs.FS // migration/*.sql, which make each version of the schema from the one before, by name
	// Begun fills a new database, in the transaction of the first step.
	Begun func(context.Context, *conn.Conn) error
}

// names returns the files of the steps.
func (s Schema) names() ([]string, error) { return fs.Glob(s.Steps, "migration/*.sql") }

// prepare checks that the file is ours and migrates it to this program's schema.
func (f *File) prepare(ctx context.Context, s Schema, now func() time.Time) error {
	steps, err := s.names()
	if err != nil {
		return err
	}
	var version int
	var mode string
	err = f.Patiently(ctx, func(ctx context.Context, c *conn.Conn) (err error) {
		if version, err = schemaVersion(ctx, c, f.Path, len(steps)); err != nil {
			return err
		}
		// A copy made by SQLite, such as a restored backup, has the schema but not the journal mode.
		return c.Scan(ctx, "PRAGMA journal_mode", &mode)
	})
	if err != nil || version == len(steps) && mode == "wal" {
		return err
	}
	return f.migrate(ctx, s, steps, now)
}

// Check fails unless the file on connection c has this schema; empty reports that it has none yet, because
// another process is about to create it.
func (f *File) Check(ctx context.Context, c *conn.Conn, s Schema) (empty bool, err error) {
	steps, err := s.names()
	if err != nil {
		return false, err
	}
	version, err := schemaVersion(ctx, c, f.Path, len(steps))
	if err == nil && version != 0 && version < len(steps) {
		err = engram.Errorf(engram.CodeUnavailable, "the database has schema %d, but this program needs %d", version, len(steps)).
			WithHint("run any other command to migrate it; a backup is made first")
	}
	return version == 0, err
}

// schemaVersion reads the version of the file's schema, 0 for an empty file, and fails for a file that
// is not ours or newer than known.
func schemaVersion(ctx context.Context, c *conn.Conn, path string, known int) (int, error) {
	var app, version, tables int
	for _, q := range []struct {
		sql  string
		into *int
	}{
		// Tables first: another process may be creating them, and sets the application id in the same
		// transaction. In the other order its store would look like a stranger's.
		{"SELECT count(*) FROM sqlite_schema", &tables}, {"PRAGMA application_id", &app}, {"PRAGMA user_version", &version},
	} {
		if err := c.Scan(ctx, q.sql, q.into); err != nil {
			return 0, err
		}
	}
	switch {
	case tables == 0:
		return 0, nil
	case app != applicationID:
		return 0, strange(ctx, c, path)
	case version > known:
		return 0, engram.Errorf(engram.CodeConflict, "%s was written by a newer Engram (schema %d, this one knows %d)", path, version, known).
			WithHint("update this program; the database was not changed")
	}
	return version, nil
}

// Migrate runs the steps that the file lacks, each in its own transaction. Several processes may try at
// once: each checks again under the write lock. now is for the names of backups.
func (f *File) Migrate(ctx context.Context, s Schema, now func() time.Time) error {
	steps, err := s.names()
	if err != nil {
		return err
	}
	return f.Explain(f.migrate(ctx, s, steps, now))
}

func (f *File) migrate(ctx context.Context, s Schema, steps []string, now func() time.Time) error {
	c, err := f.take(ctx, f.Writes)
	if err != nil {
		return err
	}
	defer f.Writes.Give(c)
	if err := f.useWAL(ctx, c); err != nil {
		return fmt.Errorf("switch to write-ahead logging: %w", err)
	}
	begun := false // here, so that there is nothing to keep a backup of
	for i, step := range steps {
		script, err := fs.ReadFile(s.Steps, step)
		if err != nil {
			return err
		}
		done, err := f.step(ctx, c, s, i, len(steps), string(script), begun, now)
		if err != nil {
			return fmt.Errorf("migration %s: %w", filepath.Base(step), err)
		}
		begun = begun || i == 0 && done
	}
	return nil
}

// step migrates the schema from version from to the next and reports that, unless it is done already. A store that was
// not begun here is backed up first.
func (f *File) step(ctx context.Context, c *conn.Conn, s Schema, from, known int, script string, begun bool, now func() time.Time) (done bool, err error) {
	var version int
	err = f.retry(ctx, func(ctx context.Context) (err error) {
		version, err = schemaVersion(ctx, c, f.Path, known)
		return err
	})
	if err != nil || version != from {
		return false, err
	}
	if err := f.retry(ctx, func(ctx context.Context) error { return c.Begin(ctx, "BEGIN IMMEDIATE") }); err != nil {
		return false, err
	}
	defer c.Rollback()
	if version, err = schemaVersion(ctx, c, f.Path, known); err != nil || version != from {
		return false, err
	}
	if from > 0 && !begun {
		// Under the write lock only one process makes the backup, and it misses no write.
		if err := f.backup(ctx, from, now); err != nil {
			return false, fmt.Errorf("backup: %w", err)
		}
	}
	if err := c.Exec(ctx, script); err != nil {
		return false, err
	}
	if from == 0 {
		if err := s.Begun(ctx, c); err != nil {
			return false, err
		}
		if err := c.Exec(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return false, err
		}
	}
	if err := c.Exec(ctx, fmt.Sprintf("PRAGMA user_version = %d", from+1)); err != nil {
		return false, err
	}
	err = c.Commit(ctx)
	return err == nil, err
}

// useWAL switches the journal mode. SQLite does not wait for other connections here, whatever the busy
// timeout, so it is retried: processes often open a new store at the same moment.
func (f *File) useWAL(ctx context.Context, c *conn.Conn) error {
	return f.retry(ctx, func(ctx context.Context) error {
		var mode string
		if err := c.Scan(ctx, "PRAGMA journal_mode = WAL", &mode); err != nil {
			return err
		}
		if mode != "wal" {
			return engram.Errorf(engram.CodeUnavailable, "the file system of %s does not allow write-ahead logging", f.Path).
				WithHint("keep the database on a local disk; choose the folder with --data-dir")
		}
		return nil
	})
}
