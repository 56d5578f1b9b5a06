package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/health"
)

// Backup copies the database as last committed into the backup folder and returns the file, named after
// the operation it precedes: engram-20260612T090000-doctor.db. SQLite copies while others read and
// write. The newest three copies per operation are kept.
func (s *Store) Backup(ctx context.Context, before string, now func() time.Time) (file string, err error) {
	ending := "-" + before + ".db"
	at := now().UTC()
	// Two backups may start in the same second.
	for stamp := at.Format("20060102T150405"); ; stamp = at.Format("20060102T150405.000") + fmt.Sprint(rand.IntN(10)) {
		file = filepath.Join(s.backups(), "engram-"+stamp+ending)
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	if err := s.copyTo(ctx, file); err != nil {
		return "", explain(err, s.path)
	}
	// The names sort by time.
	return file, s.dropBackups(func(name string) bool { return strings.HasPrefix(name, "engram-") && strings.HasSuffix(name, ending) }, strings.Compare)
}

// backups returns the backup folder.
func (s *Store) backups() string { return filepath.Join(filepath.Dir(s.path), "backups") }

// copyTo writes the database as last committed to a new file in the backup folder.
func (s *Store) copyTo(ctx context.Context, file string) error {
	if err := os.MkdirAll(s.backups(), 0o700); err != nil {
		return fileError(err, s.backups())
	}
	if err := makeFile(file); err != nil { // VACUUM fills an empty file and keeps its mode
		return err
	}
	c, err := s.reads.Take(ctx)
	if err == nil {
		defer s.reads.Give(c)
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
func (s *Store) dropBackups(ours func(name string) bool, order func(a, b string) int) error {
	files, err := os.ReadDir(s.backups())
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
		errs = append(errs, os.Remove(filepath.Join(s.backups(), name)))
	}
	return errors.Join(errs...)
}

// programKey prefixes the keys of table meta that hold the first and last write of each program version.
const programKey = "program:"

const (
	signEvery  = time.Hour           // how often a writing process checks that its entry is up to date
	keptSigned = 90 * 24 * time.Hour // how long entries without a write are kept
)

// sign records, within a write, that this program version writes to the store, so that doctor notices
// mixed versions. It reads a few rows per hour and writes one per day. Without Version or Now it records
// nothing.
func (s *Store) sign(ctx context.Context, t *tx) error {
	if s.version == "" || s.now == nil {
		return nil
	}
	now := s.now().UTC()
	if since := now.Sub(s.signed); since >= 0 && since < signEvery {
		return nil
	}
	list, err := t.programs(ctx)
	if err != nil {
		return err
	}
	p, write := health.Seen(s.version, now, list)
	if write {
		err = t.PutFact(ctx, programKey+p.Version, fmt.Sprint(p.First.UnixMilli(), p.Last.UnixMilli()))
		for _, old := range list {
			if now.Sub(old.Last) > keptSigned && old.Version != p.Version && err == nil {
				err = t.run(ctx, `DELETE FROM meta WHERE key = ?`, programKey+old.Version)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("record the program version: %w", err)
	}
	s.signed = now
	return nil
}

// programs returns the versions that wrote to the store.
func (t *tx) programs(ctx context.Context) ([]health.Program, error) {
	const query = `SELECT substr(key, length(?1) + 1), value FROM meta WHERE key >= ?1 AND key < ?2 ORDER BY key`
	// The end is the first key without the prefix: ';' follows ':'.
	return list(ctx, t, "read the versions that wrote", query, []any{programKey, "program;"}, func(r scanner) (p health.Program, err error) {
		var span string
		err = r.Scan(&p.Version, &span)
		first, last, _ := strings.Cut(span, " ")
		p.First, p.Last = fromMillis(first), fromMillis(last)
		return p, err
	})
}

// fromMillis parses a time in milliseconds; malformed text gives the zero time.
func fromMillis(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
