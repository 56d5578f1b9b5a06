package sqlite

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/secret"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/lexicon"
)

// applicationID marks the file as Engram's: "ENGR" in ASCII.
const applicationID = 0x454e4752

//go:embed migration/*.sql
var migrations embed.FS

// prepare checks that the file is ours and migrates it to this program's schema.
func (s *Store) prepare(ctx context.Context, now func() time.Time) error {
	steps, err := fs.Glob(migrations, "migration/*.sql")
	if err != nil {
		return err
	}
	c, err := s.takeRetrying(ctx, s.reads)
	if err != nil {
		return err
	}
	var version int
	var mode string
	err = s.wait(ctx, func(ctx context.Context) error {
		if version, err = schemaVersion(ctx, c, s.path, len(steps)); err != nil {
			return err
		}
		// A copy made by SQLite, such as a restored backup, has the schema but not the journal mode.
		return c.Scan(ctx, "PRAGMA journal_mode", &mode)
	})
	s.reads.Give(c)
	if err != nil {
		return err
	}
	if version != len(steps) || mode != "wal" {
		if err := s.migrate(ctx, migrations, steps, now); err != nil {
			return err
		}
	}
	return s.renew(ctx)
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

// migrate runs the steps that the file lacks, each in its own transaction. Several processes may try at
// once: each checks again under the write lock.
func (s *Store) migrate(ctx context.Context, files fs.FS, steps []string, now func() time.Time) error {
	c, err := s.takeRetrying(ctx, s.writes)
	if err != nil {
		return err
	}
	defer s.writes.Give(c)
	if err := s.useWAL(ctx, c); err != nil {
		return fmt.Errorf("switch to write-ahead logging: %w", err)
	}
	for i, step := range steps {
		script, err := fs.ReadFile(files, step)
		if err != nil {
			return err
		}
		if err := s.step(ctx, c, i, len(steps), string(script), now); err != nil {
			return fmt.Errorf("migration %s: %w", filepath.Base(step), err)
		}
	}
	return nil
}

// step migrates the schema from version from to the next, unless that is done already.
func (s *Store) step(ctx context.Context, c *conn.Conn, from, known int, script string, now func() time.Time) error {
	var version int
	err := s.wait(ctx, func(ctx context.Context) (err error) {
		version, err = schemaVersion(ctx, c, s.path, known)
		return err
	})
	if err != nil || version != from {
		return err
	}
	if err := s.wait(ctx, func(ctx context.Context) error { return c.Begin(ctx, "BEGIN IMMEDIATE") }); err != nil {
		return err
	}
	defer c.Rollback()
	if version, err = schemaVersion(ctx, c, s.path, known); err != nil || version != from {
		return err
	}
	if from > 0 {
		// Under the write lock only one process makes the backup, and it misses no write.
		if err := s.backup(ctx, from, now); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
	}
	if err := c.Exec(ctx, script); err != nil {
		return err
	}
	if from == 0 {
		var id [8]byte
		_, _ = rand.Read(id[:]) // never fails
		if err := c.Exec(ctx, "INSERT INTO meta (key, value) VALUES ('device', ?), ('words', ?), ('secret_rules', ?)", hex.EncodeToString(id[:]), strconv.Itoa(lexicon.Version), secret.Version); err != nil {
			return err
		}
		if err := c.Exec(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return err
		}
	}
	if err := c.Exec(ctx, fmt.Sprintf("PRAGMA user_version = %d", from+1)); err != nil {
		return err
	}
	return c.Commit(ctx)
}

// useWAL switches the journal mode. SQLite does not wait for other connections here, whatever the busy
// timeout, so it is retried: processes often open a new store at the same moment.
func (s *Store) useWAL(ctx context.Context, c *conn.Conn) error {
	return s.wait(ctx, func(ctx context.Context) error {
		var mode string
		if err := c.Scan(ctx, "PRAGMA journal_mode = WAL", &mode); err != nil {
			return err
		}
		if mode != "wal" {
			return engram.Errorf(engram.CodeUnavailable, "the file system of %s does not allow write-ahead logging", s.path).
				WithHint("keep the database on a local disk; choose the folder with --data-dir")
		}
		return nil
	})
}

// takeRetrying takes a connection, retrying while the file is busy: opening one reads the file, which another
// process may be creating or recovering.
func (s *Store) takeRetrying(ctx context.Context, p *conn.Pool) (c *conn.Conn, err error) {
	err = s.wait(ctx, func(ctx context.Context) (err error) {
		c, err = p.Take(ctx)
		return err
	})
	return c, err
}

// wait calls fn until it is no longer busy, for at most writeWait.
func (s *Store) wait(ctx context.Context, fn func(context.Context) error) error {
	wait, cancel := context.WithTimeout(ctx, s.writeWait)
	defer cancel()
	return s.explainWait(ctx, s.writeWait, retryBusy(wait, func() error { return fn(wait) }))
}

// backup copies the database before its schema changes. It uses another connection, because VACUUM
// cannot run inside a transaction.
func (s *Store) backup(ctx context.Context, version int, now func() time.Time) error {
	// Random letters, because another backup may have been made in the same millisecond.
	name := filepath.Join(s.backups(), fmt.Sprintf("%s%d-%s-%s.db", backupPrefix, version, now().UTC().Format("20060102T150405.000"), rand.Text()[:4]))
	if err := s.copyTo(ctx, name); err != nil {
		return err
	}
	s.log.InfoContext(ctx, "backed up before a migration", "file", name)
	written := func(name string) (at time.Time) {
		if info, err := os.Stat(filepath.Join(s.backups(), name)); err == nil {
			at = info.ModTime()
		}
		return at
	}
	return s.dropBackups(func(name string) bool { return strings.HasPrefix(name, backupPrefix) },
		func(a, b string) int { return written(a).Compare(written(b)) })
}

// backupPrefix opens the names of migration backups; other files in the folder are kept.
const backupPrefix = "engram-schema"
