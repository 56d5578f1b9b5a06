package sqlite

import (
	"context"
	"io/fs"
	"time"
)

// Migrate runs the steps of files in place of the embedded ones, for tests of what
// no released schema needs yet.
func (s *Store) Migrate(ctx context.Context, files fs.FS, now func() time.Time) error {
	steps, err := fs.Glob(files, "migration/*.sql")
	if err != nil {
		return err
	}
	return explain(s.migrate(ctx, files, steps, now), s.path)
}
