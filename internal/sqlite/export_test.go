package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// Migrate runs the steps of files in place of the embedded ones, to test migrations that no released
// schema needs yet.
func (s *Store) Migrate(ctx context.Context, files fs.FS, now func() time.Time) error {
	steps, err := fs.Glob(files, "migration/*.sql")
	if err != nil {
		return err
	}
	return explain(s.migrate(ctx, files, steps, now), s.path)
}

// CheckIndex compares the index of the store at path with its live memories, without caches and for any
// schema version.
func CheckIndex(ctx context.Context, path string) error {
	reads, err := conn.NewPool(dsn(path, "busy_timeout(2000)", "query_only(1)"), 1)
	if err != nil {
		return err
	}
	defer reads.Close()
	c, err := reads.Take(ctx)
	if err != nil {
		return err
	}
	defer reads.Give(c)
	x := &examination{tx: newTx(c, new(kept), false), query: health.Query{Full: true, Most: 5}, facts: new(health.Facts)}
	err = x.snapshot(ctx, x.words)
	if err = errors.Join(err, x.facts.Index.Broken); err != nil {
		return err
	}
	if f := x.facts.Index; f.Missing.Count+f.Dead.Count+f.Doubled.Count+f.Moved.Count > 0 || f.Indexed != f.Live {
		return fmt.Errorf("%+v", f)
	}
	return nil
}
