package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Holding returns the paths of the databases in a folder, such as the backups, that have
// one of the memories, live or forgotten, sorted. They are read as they lie and not
// changed; one that cannot be read is passed over.
func Holding(ctx context.Context, dir string, ids []engram.ID) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	var holding []string
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if held, err := holds(ctx, path, ids); err == nil && held {
			holding = append(holding, path)
		}
	}
	slices.Sort(holding)
	return holding, nil
}

func holds(ctx context.Context, path string, ids []engram.ID) (held bool, err error) {
	// Immutable: no log and no lock file come to lie beside a backup.
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: "mode=ro&immutable=1"}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	const query = `SELECT EXISTS (SELECT 1 FROM memories WHERE id IN (SELECT value FROM json_each(?)))`
	if err := db.QueryRowContext(ctx, query, jsonText(ids)).Scan(&held); err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	return held, nil
}
