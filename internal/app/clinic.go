package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/machine"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
)

// clinic examines the store from outside: the file as SQLite sees it, and the disk below it.
type clinic struct {
	path  string
	store *lazyStore
	now   func() time.Time
	off   func() OffState
	hooks func() health.Hooks
	// earlier adds to an error that the database belongs to an earlier program
	earlier func(error) error
	// chunks opens those of the working folder's repository.
	chunks   func(context.Context) (*gitchunks.Repository, error)
	settings []config.Remark
}

// opened returns the open store.
func (c clinic) opened(ctx context.Context) (*sqlite.Store, error) {
	s, err := c.store.get(ctx)
	if err != nil {
		return nil, err
	}
	own, ok := s.(*sqlite.Store)
	if !ok {
		return nil, errors.New("the store is not SQLite")
	}
	return own, nil
}

// Examine implements engine.Clinic.
func (c clinic) Examine(ctx context.Context, q health.Query) (health.Facts, error) {
	f, err := sqlite.Examine(ctx, c.path, q)
	f.Err, f.Damage.Err = c.earlier(f.Err), c.earlier(f.Damage.Err)
	if err == nil && q.Wants(health.DiskSpace, health.FileSystemKind, health.FileModes) && !f.Missing {
		f.Files = machine.Look(c.path)
	}
	if f.Missing {
		f.NoPlace = machine.Creatable(c.path)
	}
	if q.Wants(health.HooksInTime) {
		f.Hooks = c.hooks()
	}
	if q.Wants(health.AgentsSwitched) {
		off := c.off()
		f.Switch = health.Switch{Everything: off.Everything, Since: off.Since, Projects: off.Names()}
		if off.Broken != nil {
			f.Switch.Broken = off.Broken.Error()
		}
	}
	if q.Wants(health.SettingsInForce) {
		for _, r := range c.settings {
			f.Settings = append(f.Settings, health.Setting{Text: r.String(), Ignored: r.Ignored})
		}
	}
	if q.Wants(health.SharedManifest) {
		f.Shared = c.shared(ctx)
	}
	return f, err
}

// shared checks the list of chunks. Outside of a repository there is no list.
func (c clinic) shared(ctx context.Context) health.Shared {
	r, err := c.chunks(ctx)
	if err != nil {
		return health.Shared{}
	}
	s := health.Shared{Folder: r.Name(), Repair: true}
	if s.Faults, err = r.ManifestFaults(ctx); err != nil {
		s.Repair, s.Faults = false, []engram.ImportNote{{Item: r.Name(), Reason: err.Error()}}
	}
	return s
}

// ListChunks implements engine.Clinic.
func (c clinic) ListChunks(ctx context.Context) ([]string, error) {
	r, err := c.chunks(ctx)
	if err != nil {
		return nil, err
	}
	err = r.Settle(ctx)
	return r.Anew(), err
}

// Probe implements engine.Clinic.
func (c clinic) Probe(ctx context.Context) health.Log {
	s, err := c.opened(ctx)
	if err != nil {
		return health.Log{Part: health.Part{Known: true, Err: err}}
	}
	return s.Probe(ctx)
}

// Backup implements engine.Clinic.
func (c clinic) Backup(ctx context.Context, before string) (string, error) {
	s, err := c.opened(ctx)
	if err != nil {
		return "", err
	}
	return s.Backup(ctx, before, c.now)
}

// Shorten implements engine.Clinic.
func (c clinic) Shorten(ctx context.Context) (bool, error) {
	s, err := c.opened(ctx)
	if err != nil {
		return false, err
	}
	return s.Shorten(ctx)
}

// Tighten implements engine.Clinic.
func (c clinic) Tighten(context.Context) ([]string, error) { return machine.Tighten(c.path) }

// traces looks for copies of erased memories in backups and in the chunks of repositories.
type traces struct {
	backups string
	dir     string // working folder: chunks lie there or in a parent
	log     string // write-ahead log of the database
	store   *lazyStore
}

// Holding implements engine.Traces. An unreadable place does not end the search in the others.
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
		add(engram.TraceLog, []string{t.log + " (until other programs close the database)"}, nil)
	}
	backups, passed, err := file.Holding(ctx, t.backups, ids)
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

// above returns the nearest folder with chunks, from dir upwards, or "".
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

// tracesIn returns the traces for this App's places.
func (a *App) tracesIn() traces {
	return traces{backups: filepath.Join(filepath.Dir(a.opts.Config.DBPath), "backups"), dir: a.opts.Dir,
		log: a.opts.Config.DBPath + "-wal", store: a.store}
}
