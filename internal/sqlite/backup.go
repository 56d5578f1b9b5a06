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

// Backup copies the whole database, as it was last committed, into the folder of
// backups and returns the name of the copy, which ends in what it was made before, a word:
// engram-20260612T090000-doctor.db. SQLite itself does it, beside readers and writers. Of
// the copies made before the same, the newest three stay.
func (s *Store) Backup(ctx context.Context, before string, now func() time.Time) (file string, err error) {
	ending := "-" + before + ".db"
	at := now().UTC()
	// Two may begin in the same second.
	for stamp := at.Format("20060102T150405"); ; stamp = at.Format("20060102T150405.000") + fmt.Sprint(rand.IntN(10)) {
		file = filepath.Join(s.backups(), "engram-"+stamp+ending)
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	if err := s.copyTo(ctx, file); err != nil {
		return "", explain(err, s.path)
	}
	// Their names order them.
	return file, s.dropBackups(func(name string) bool { return strings.HasPrefix(name, "engram-") && strings.HasSuffix(name, ending) }, strings.Compare)
}

// backups is the folder of backups.
func (s *Store) backups() string { return filepath.Join(filepath.Dir(s.path), "backups") }

// copyTo writes the database as it was last committed to a new file among the backups.
func (s *Store) copyTo(ctx context.Context, file string) error {
	if err := os.MkdirAll(s.backups(), 0o700); err != nil {
		return fileError(err, s.backups())
	}
	if err := makeFile(file); err != nil { // VACUUM fills an empty file, and its mode stays
		return err
	}
	c, err := s.reads.take(ctx)
	if err == nil {
		defer s.reads.give(c)
		// A connection that may only query may not write its own copy either.
		if err = c.exec(ctx, "PRAGMA query_only = 0"); err == nil {
			err = errors.Join(c.exec(ctx, "VACUUM INTO ?", file), c.exec(context.WithoutCancel(ctx), "PRAGMA query_only = 1"))
		}
	}
	if err != nil {
		return errors.Join(err, os.Remove(file)) // half a backup would be taken for one
	}
	return nil
}

// keptBackups is how many of the backups of one kind stay.
const keptBackups = 3

// dropBackups removes all but the last of the backups that are ours, in an order of their names.
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

// programKey opens the keys of table meta that say which version of the program wrote
// from when to when.
const programKey = "program:"

const (
	signEvery  = time.Hour           // how often a process that writes looks whether its entry is still true
	keptSigned = 90 * 24 * time.Hour // an entry without a write
)

// sign notes, within a write, that this version of the program writes here, so that a
// doctor sees programs of several versions on one database. It reads a row or two an
// hour and writes one a day, and a store opened without Version or Now leaves no note.
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
		return fmt.Errorf("sign the store: %w", err)
	}
	s.signed = now
	return nil
}

// programs reads who wrote to the store, by version.
func (t *tx) programs(ctx context.Context) ([]health.Program, error) {
	const query = `SELECT substr(key, length(?1) + 1), value FROM meta WHERE key >= ?1 AND key < ?2 ORDER BY key`
	// The end is the first key that does not open so: ';' follows ':'.
	return list(ctx, t, "read the versions that wrote", query, []any{programKey, "program;"}, func(r scanner) (p health.Program, err error) {
		var span string
		err = r.Scan(&p.Version, &span)
		first, last, _ := strings.Cut(span, " ")
		p.First, p.Last = fromMillis(first), fromMillis(last)
		return p, err
	})
}

// fromMillis reads a time; what is none was never.
func fromMillis(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
