package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/machine"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/earlier"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/seized"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
)

func (a *App) openStore(ctx context.Context) (engram.Store, error) {
	if a.opts.Config.OnServer() {
		return a.openSpace(ctx)
	}
	s, err := a.openAt(ctx, a.opts.Config.DBPath)
	if _, strange := errors.AsType[*file.Stranger](err); strange {
		// Another process may have replaced it while this one waited.
		s, err = a.openAt(ctx, a.opts.Config.DBPath)
	}
	if err != nil {
		return nil, a.earlier(err) // not s: a nil *sqlite.Store would be a non-nil store
	}
	return s, nil
}

// Exists reports whether there is a store, which a command that only looks should not make. A space counts: the
// setting says that it is meant to be.
func Exists(c config.Config) bool {
	if c.OnServer() {
		return true
	}
	_, err := os.Stat(c.DBPath)
	return !errors.Is(err, fs.ErrNotExist)
}

// space returns the options of the space in the settings.
func (a *App) space() postgres.Options {
	o := a.opts
	return postgres.Options{URL: o.Config.Store, Space: o.Config.Space, Version: o.Version, Now: time.Now, WriteWait: o.WriteWait}
}

func (a *App) openSpace(ctx context.Context) (engram.Store, error) {
	if err := a.opts.Config.MayStore(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(a.opts.Config.DataDir, 0o700); err != nil { // for what each machine keeps for itself
		return nil, unreachable(a.opts.Config.DataDir, err)
	}
	s, err := postgres.Open(ctx, a.space())
	if err != nil {
		return nil, err // not s: a nil *postgres.Store would be a non-nil store
	}
	return s, nil
}

func (a *App) openAt(ctx context.Context, path string) (*sqlite.Store, error) {
	o := a.opts
	return sqlite.Open(ctx, sqlite.Options{Path: path, Now: time.Now, Log: o.Log, Version: o.Version, Mapped: o.Mapped, Single: o.Single, WriteWait: o.WriteWait})
}

// earlier returns err, which for an earlier Engram's database names it and the remedy in one line,
// since not every frontend shows hints.
func (a *App) earlier(err error) error {
	of := ""
	if who, ok := errors.AsType[*file.Stranger](err); ok {
		of, _ = earlier.Recognize(who.Tables)
	}
	if of == "" {
		return err
	}
	call := engram.Call{"migrate"}
	if a.opts.Config.Origins["data_dir"].Source != config.SourceDefault {
		call = append(call, "--data-dir", a.opts.Config.DataDir)
	}
	command := call.String()
	if a.opts.Config.Origins["db_path"].Source == config.SourceEnv {
		command = "ENGRAM_DB_PATH=" + engram.Quoted(a.opts.Config.DBPath) + " " + command // there is no flag for it
	}
	report := engram.Errorf(engram.CodeConflict, "%s is the database of an earlier Engram (%s): take it over with %s", a.opts.Config.DBPath, of, command)
	return &Earlier{of, report.WithHint("run %s: it keeps a copy and imports everything", command)}
}

// Earlier is the error for the database of an earlier Engram.
type Earlier struct {
	Of     string // its common name: "mem_* tools"
	report *engram.Error
}

// Error implements error.
func (e *Earlier) Error() string { return e.report.Msg }

// Unwrap returns the engram.Error with its code and hint.
func (e *Earlier) Unwrap() error { return e.report }

// TakeOverInput configures the conversion of an earlier Engram's database.
type TakeOverInput struct {
	// Project receives everything; "": projects stay as they are.
	Project string
	// DryRun reports the result without changes.
	DryRun bool
	// Waiting is called once if another process is converting it; Progress receives the number of
	// records written and their total. Both may be nil.
	Waiting  func()
	Progress func(done, total int)
}

// TakenOver is the result.
type TakenOver struct {
	Of     string // which earlier Engram; "": another process had converted it already
	Backup string // copy of the old database; "" if nothing was changed
	exchange.Imported
}

// Earlier returns which earlier Engram the database belongs to; "" if it is current or does not
// exist. The error is for a database that cannot be opened for another reason.
func (a *App) Earlier(ctx context.Context) (of string, err error) {
	if !Exists(a.opts.Config) {
		return "", nil // do not create it
	}
	err = a.Ready(ctx)
	if e, ok := errors.AsType[*Earlier](err); ok {
		return e.Of, nil
	}
	return "", err
}

// takeOverWait limits the wait for another process that converts the same database.
const takeOverWait = 10 * time.Minute

// TakeOver replaces an earlier Engram's database by a current one with all its content. It backs up
// the old one first and replaces it in one step, so killing the process changes nothing.
// CodeUnavailable if another program has it open.
func (a *App) TakeOver(ctx context.Context, in TakeOverInput) (t TakenOver, err error) {
	path, err := filepath.EvalSymlinks(a.opts.Config.DBPath)
	if err != nil {
		return t, unreachable(a.opts.Config.DBPath, err)
	}
	if in.DryRun {
		return a.tryTakeOver(ctx, path, in)
	}
	release, err := takeOverAlone(ctx, path, in.Waiting)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if t.Of, err = a.Earlier(ctx); err != nil || t.Of == "" {
		return t, err
	}
	old, err := seized.Open(ctx, path)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, old.Release()) }()
	backup, err := backUp(ctx, old, path)
	if err != nil {
		return t, err
	}
	fresh := path + ".taking-over"
	if err := removeDatabase(fresh); err != nil {
		return t, unreachable(fresh, err)
	}
	defer func() { err = errors.Join(err, removeDatabase(fresh)) }() // after a success it has been renamed
	if t.Imported, err = a.fill(ctx, fresh, backup, in); err != nil {
		return t, errors.Join(err, os.Remove(backup)) // nothing changed, so the copy is not needed
	}
	if err := old.Replace(ctx, fresh); err != nil {
		return t, err
	}
	t.Backup = backup
	return t, nil
}

// tryTakeOver reports what a conversion would do, using a temporary database.
func (a *App) tryTakeOver(ctx context.Context, path string, in TakeOverInput) (t TakenOver, err error) {
	if t.Of, err = a.Earlier(ctx); err != nil || t.Of == "" {
		return t, err
	}
	dir, err := os.MkdirTemp("", "engram-try-")
	if err != nil {
		return t, engram.Errorf(engram.CodeUnavailable, "cannot create a temporary folder").WithCause(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t.Imported, err = a.fill(ctx, filepath.Join(dir, "engram.db"), path, in)
	t.Op = 0
	return t, err
}

// fill creates a database at path with everything from an old one.
func (a *App) fill(ctx context.Context, path, old string, in TakeOverInput) (res exchange.Imported, err error) {
	records, err := foreign.Open(ctx, source.Engram, old, source.Options{Project: in.Project})
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, records.Close()) }()
	store, err := a.openAt(ctx, path)
	if err != nil {
		return res, err
	}
	o := a.engineOptions(store, time.Now)
	o.Spool = newSpool
	res, err = engine.New(o).Migrate(ctx, records, exchange.MigrateInput{Project: in.Project, Own: true, Progress: in.Progress})
	if closing := store.Close(); err == nil {
		err = closing
	}
	if _, log := os.Stat(path + "-wal"); err == nil && log == nil {
		err = engram.Errorf(engram.CodeInternal, "the write-ahead log of %s was not merged into it", path).WithHint("try again; nothing was changed")
	}
	return res, err
}

// takeOverAlone waits until no other process converts the same database.
func takeOverAlone(ctx context.Context, path string, waiting func()) (release func() error, err error) {
	lock := path + ".lock"
	var f *os.File
	err = alone(ctx, takeOverWait, "another process is taking the database over", func() (held bool, err error) {
		if f, held, err = tryLock(lock); err != nil {
			return false, unreachable(lock, err)
		}
		if !held && waiting != nil {
			waiting()
			waiting = nil
		}
		return held, nil
	})
	if err != nil {
		return nil, err
	}
	return func() error {
		_ = os.Remove(lock) // some systems keep open files; then it stays
		return f.Close()
	}, nil
}

// backUp copies the old database into the folder of backups, under a new name.
func backUp(ctx context.Context, old *seized.Database, path string) (name string, err error) {
	dir := filepath.Join(filepath.Dir(path), "backups")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", unreachable(dir, err)
	}
	name = filepath.Join(dir, fmt.Sprintf("earlier-%s.db", time.Now().UTC().Format("20060102T150405.000000")))
	part := name + ".part"
	if err := sweepParts(dir); err != nil {
		return "", unreachable(dir, err)
	}
	if err := old.Copy(ctx, part); err != nil {
		return "", err
	}
	if err := os.Rename(part, name); err != nil {
		return "", errors.Join(unreachable(name, err), os.Remove(part))
	}
	return name, nil
}

// sweepParts removes incomplete copies.
func sweepParts(dir string) error {
	parts, err := filepath.Glob(filepath.Join(dir, "earlier-*.db.part*"))
	for _, p := range parts {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}

func removeDatabase(path string) error {
	var errs []error
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// IsEarlier reports whether path is the database of this App, which is converted in place.
func (a *App) IsEarlier(path string) bool {
	here, err := os.Stat(a.opts.Config.DBPath)
	if err != nil || a.opts.Config.OnServer() {
		return false
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, filepath.Base(a.opts.Config.DBPath))
	}
	there, err := os.Stat(strings.TrimSpace(path))
	return err == nil && os.SameFile(here, there)
}

// clinic examines the store from outside: the file as SQLite sees it, and the disk below it.
type clinic struct {
	path  string
	space *postgres.Options // instead of the file; nil: the file
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

// repairable is what both stores offer beside their contents.
type repairable interface {
	Probe(context.Context) health.Log
	Backup(ctx context.Context, before string, now func() time.Time) (string, error)
	Shorten(context.Context) (bool, error)
}

func (c clinic) opened(ctx context.Context) (repairable, error) {
	s, err := c.store.get(ctx)
	if err != nil {
		return nil, err
	}
	own, ok := s.(repairable)
	if !ok {
		return nil, errors.New("the store is a temporary one")
	}
	return own, nil
}

// facts asks the store.
func (c clinic) facts(ctx context.Context, q health.Query) (health.Facts, error) {
	if c.space != nil {
		f, err := postgres.Examine(ctx, *c.space, q)
		f.Path = c.path
		return f, err
	}
	f, err := sqlite.Examine(ctx, c.path, q)
	if err == nil && q.Wants(health.DiskSpace, health.FileSystemKind, health.FileModes) && !f.Missing {
		f.Files = machine.Look(c.path)
	}
	if f.Missing {
		f.NoPlace = machine.Creatable(c.path)
	}
	return f, err
}

// Examine implements engine.Clinic.
func (c clinic) Examine(ctx context.Context, q health.Query) (health.Facts, error) {
	f, err := c.facts(ctx, q)
	f.Err, f.Damage.Err = c.earlier(f.Err), c.earlier(f.Damage.Err)
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
		f.Settings = document.Each(c.settings, func(r config.Remark) health.Setting { return health.Setting{Text: r.String(), Ignored: r.Ignored} })
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
func (c clinic) Tighten(context.Context) ([]string, error) {
	if c.space != nil {
		return nil, nil // its files are the server's
	}
	return machine.Tighten(c.path)
}

// traces looks for copies of erased memories in backups and in the chunks of repositories.
type traces struct {
	backups string
	dir     string // working folder: chunks lie there or in a parent
	log     string // write-ahead log of the database
	store   *lazyStore
}

// Holding implements engine.Traces. An unreadable place does not end the search in the others.
func (t traces) Holding(ctx context.Context, ms []engram.Memory, roots []string) (held []engram.Trace, unread []string, err error) {
	ids := document.Each(ms, func(m engram.Memory) engram.ID { return m.ID })
	syncIDs := document.Each(ms, func(m engram.Memory) string { return m.SyncID })
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
