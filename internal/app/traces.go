package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// traces looks for copies of erased memories in the backups, and in the chunks of the
// projects' repositories and of the one that is worked in.
type traces struct {
	backups string
	dir     string // where the program works: chunks lie there or in a folder above
}

// Holding implements engine.Traces.
func (t traces) Holding(ctx context.Context, ms []engram.Memory, roots []string) ([]engram.Trace, error) {
	ids, syncIDs := make([]engram.ID, len(ms)), make([]string, len(ms))
	for i, m := range ms {
		ids[i], syncIDs[i] = m.ID, m.SyncID
	}
	var held []engram.Trace
	backups, err := sqlite.Holding(ctx, t.backups, ids)
	if err != nil {
		return nil, err
	}
	for _, path := range backups {
		held = append(held, engram.Trace{Kind: engram.TraceBackup, Where: path})
	}
	roots = append(slices.Clone(roots), above(t.dir))
	for i, root := range roots {
		if root == "" || slices.Contains(roots[:i], root) {
			continue
		}
		chunks, err := gitchunks.Holding(ctx, root, syncIDs)
		if err != nil {
			return held, err
		}
		for _, path := range chunks {
			held = append(held, engram.Trace{Kind: engram.TraceChunk, Where: path})
		}
	}
	return held, nil
}

// above is the nearest folder that has chunks, from dir upwards; "" when none has.
func above(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".engram", "chunks")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// tracesIn is what an App looks through for itself.
func (a *App) tracesIn() traces {
	return traces{backups: filepath.Join(filepath.Dir(a.opts.Config.DBPath), "backups"), dir: a.opts.Dir}
}
