package file

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/alanbuscaglia/engram"
)

// Holding returns the paths of the databases in a folder, such as the backups, that contain one of the
// memories, live or forgotten, and of those that could not be read and may contain one, both sorted. It
// does not change the files. A missing folder holds nothing.
func Holding(ctx context.Context, dir string, ids []engram.ID) (holding, unread []string, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	files, err := os.ReadDir(dir) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, []string{dir}, nil
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return holding, unread, err
		}
		if filepath.Ext(file.Name()) != ".db" {
			continue
		}
		path := filepath.Join(dir, file.Name())
		switch held, err := holds(ctx, path, ids); {
		case err != nil:
			unread = append(unread, path)
		case held:
			holding = append(holding, path)
		}
	}
	return holding, unread, nil
}

func holds(ctx context.Context, path string, ids []engram.ID) (held bool, err error) {
	// Immutable: SQLite creates no log and no lock file beside a backup.
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: "mode=ro&immutable=1"}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	named, err := json.Marshal(ids)
	if err != nil {
		return false, err
	}
	const query = `SELECT EXISTS (SELECT 1 FROM memories WHERE id IN (SELECT value FROM json_each(?)))`
	if err := db.QueryRowContext(ctx, query, string(named)).Scan(&held); err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	return held, nil
}
