package file

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Backup copies the database as last committed into the backup folder and returns the file, named after
// the operation it precedes: engram-20260612T090000-doctor.db. SQLite copies while others read and
// write. The newest three copies per operation are kept.
func (f *File) Backup(ctx context.Context, before string, now func() time.Time) (file string, err error) {
	ending := "-" + before + ".db"
	at := now().UTC()
	// Two backups may start in the same second.
	for stamp := at.Format("20060102T150405"); ; stamp = at.Format("20060102T150405.000") + fmt.Sprint(mathrand.IntN(10)) {
		file = filepath.Join(f.backups(), "engram-"+stamp+ending)
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	if err := f.copyTo(ctx, file); err != nil {
		return "", f.Explain(err)
	}
	// The names sort by time.
	return file, f.dropBackups(func(name string) bool { return strings.HasPrefix(name, "engram-") && strings.HasSuffix(name, ending) }, strings.Compare)
}

// backups returns the backup folder.
func (f *File) backups() string { return filepath.Join(filepath.Dir(f.Path), "backups") }

// copyTo writes the database as last committed to a new file in the backup folder.
func (f *File) copyTo(ctx context.Context, file string) error {
	if err := os.MkdirAll(f.backups(), 0o700); err != nil {
		return fileError(err, f.backups())
	}
	if err := makeFile(file); err != nil { // VACUUM fills an empty file and keeps its mode
		return err
	}
	c, err := f.Reads.Take(ctx)
	if err == nil {
		defer f.Reads.Give(c)
		// A query-only connection may not even write a copy.
		if err = c.Exec(ctx, "PRAGMA query_only = 0"); err == nil {
			err = errors.Join(c.Exec(ctx, "VACUUM INTO ?", file), c.Exec(context.WithoutCancel(ctx), "PRAGMA query_only = 1"))
		}
	}
	if err != nil {
		return errors.Join(err, os.Remove(file)) // a partial copy would pass for a backup
	}
	return nil
}

// keptBackups is how many backups of each kind are kept.
const keptBackups = 3

// dropBackups removes all but the last keptBackups of the matching files, in the given order of names.
func (f *File) dropBackups(ours func(name string) bool, order func(a, b string) int) error {
	files, err := os.ReadDir(f.backups())
	if err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		if ours(f.Name()) {
			names = append(names, f.Name())
		}
	}
	slices.SortStableFunc(names, order)
	var errs []error
	for _, name := range names[:max(0, len(names)-keptBackups)] {
		errs = append(errs, os.Remove(filepath.Join(f.backups(), name)))
	}
	return errors.Join(errs...)
}

// backup copies the database before its schema changes. It uses another connection, because VACUUM
// cannot run inside a transaction.
func (f *File) backup(ctx context.Context, version int, now func() time.Time) error {
	// Random letters, because another backup may have been made in the same millisecond.
	name := filepath.Join(f.backups(), fmt.Sprintf("%s%d-%s-%s.db", backupPrefix, version, now().UTC().Format("20060102T150405.000"), rand.Text()[:4]))
	if err := f.copyTo(ctx, name); err != nil {
		return err
	}
	f.log.InfoContext(ctx, "backed up before a migration", "file", name)
	written := func(name string) (at time.Time) {
		if info, err := os.Stat(filepath.Join(f.backups(), name)); err == nil {
			at = info.ModTime()
		}
		return at
	}
	return f.dropBackups(func(name string) bool { return strings.HasPrefix(name, backupPrefix) },
		func(a, b string) int { return written(a).Compare(written(b)) })
}

// backupPrefix opens the names of migration backups; other files in the folder are kept.
const backupPrefix = "engram-schema"
