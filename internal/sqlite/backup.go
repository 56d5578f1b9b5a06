package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
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
