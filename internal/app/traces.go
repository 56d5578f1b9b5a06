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
	log     string // of the database
	store   *lazyStore
}

// Holding implements engine.Traces. What cannot be read of one place keeps nobody from
// looking in the others.
func (t traces) Holding(ctx context.Context, ms []engram.Memory, roots []string) (held []engram.Trace, unread []string, err error) {
	ids, syncIDs := make([]engram.ID, len(ms)), make([]string, len(ms))
	for i, m := range ms {
		ids[i], syncIDs[i] = m.ID, m.SyncID
	}
	add := func(kind engram.TraceKind, holding, passed []string) {
		for _, path := range holding {
			held = append(held, engram.Trace{Kind: kind, Where: path})
		}
		unread = append(unread, passed...)
	}
	if t.store.logHolds() {
		add(engram.TraceLog, []string{t.log + " (until those who read the database have left)"}, nil)
	}
	backups, passed, err := sqlite.Holding(ctx, t.backups, ids)
	add(engram.TraceBackup, backups, passed)
	if err != nil {
		return held, unread, err
	}
	roots = append(slices.Clone(roots), above(t.dir))
	for i, root := range roots {
		if root == "" || slices.Contains(roots[:i], root) {
			continue
		}
		chunks, passed, err := gitchunks.Holding(ctx, root, syncIDs)
		add(engram.TraceChunk, chunks, passed)
		if err != nil {
			return held, unread, err
		}
	}
	return held, unread, nil
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
	return traces{backups: filepath.Join(filepath.Dir(a.opts.Config.DBPath), "backups"), dir: a.opts.Dir,
		log: a.opts.Config.DBPath + "-wal", store: a.store}
}
