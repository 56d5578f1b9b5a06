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
	dir := filepath.Join(filepath.Dir(s.path), "backups")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fileError(err, dir)
	}
	at := now().UTC()
	// Two may begin in the same second.
	for stamp := at.Format("20060102T150405"); ; stamp = at.Format("20060102T150405.000") + fmt.Sprint(rand.IntN(10)) {
		file = filepath.Join(dir, "engram-"+stamp+ending)
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	if err := makeFile(file); err != nil {
		return "", err
	}
	if err := s.copyTo(ctx, file); err != nil {
		return "", explain(errors.Join(err, os.Remove(file)), s.path)
	}
	return file, dropCopies(dir, ending)
}

// dropCopies removes all but the newest copies of an ending. Their names order them.
func dropCopies(dir, ending string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var ours []string
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "engram-") && strings.HasSuffix(f.Name(), ending) {
			ours = append(ours, filepath.Join(dir, f.Name()))
		}
	}
	slices.Sort(ours)
	var errs []error
	for _, f := range ours[:max(0, len(ours)-keptBackups)] {
		errs = append(errs, os.Remove(f))
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
	const (
		put  = `INSERT INTO meta (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
		drop = `DELETE FROM meta WHERE key = ?`
	)
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
		span := strconv.FormatInt(p.First.UnixMilli(), 10) + " " + strconv.FormatInt(p.Last.UnixMilli(), 10)
		if err := t.run(ctx, put, programKey+p.Version, span); err != nil {
			return fmt.Errorf("sign the store: %w", err)
		}
		for _, old := range list {
			if now.Sub(old.Last) > keptSigned && old.Version != p.Version {
				if err := t.run(ctx, drop, programKey+old.Version); err != nil {
					return fmt.Errorf("sign the store: %w", err)
				}
			}
		}
	}
	s.signed = now
	return nil
}

// programs reads who wrote to the store, by version.
func (t *tx) programs(ctx context.Context) ([]health.Program, error) {
	const query = `SELECT substr(key, length(?1) + 1), value FROM meta WHERE key >= ?1 AND key < ?2 ORDER BY key`
	var list []health.Program
	// The end is the first key that does not open so: ';' follows ':'.
	err := t.rows(ctx, query, []any{programKey, "program;"}, func(r scanner) error {
		var p health.Program
		var span string
		err := r.Scan(&p.Version, &span)
		first, last, _ := strings.Cut(span, " ")
		p.First, p.Last = fromMillis(first), fromMillis(last)
		list = append(list, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the versions that wrote: %w", err)
	}
	return list, nil
}

// fromMillis reads a time; what is none was never.
func fromMillis(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
