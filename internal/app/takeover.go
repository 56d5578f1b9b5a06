package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/earlier"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/seized"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
)

func (a *App) openStore(ctx context.Context) (engram.Store, error) {
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

func (a *App) openAt(ctx context.Context, path string) (*sqlite.Store, error) {
	o := a.opts
	return sqlite.Open(ctx, sqlite.Options{Path: path, Now: time.Now, Log: o.Log, Version: o.Version, Mapped: o.Mapped, Single: o.Single, WriteWait: o.WriteWait})
}

// earlierOf returns which earlier Engram's database caused err; "" for none.
func earlierOf(err error) (of string) {
	if who, ok := errors.AsType[*file.Stranger](err); ok {
		of, _ = earlier.Recognize(who.Tables)
	}
	return of
}

// earlier returns err, which for an earlier Engram's database names it and the remedy in one line,
// since not every frontend shows hints.
func (a *App) earlier(err error) error {
	of := earlierOf(err)
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
	if _, err := os.Stat(a.opts.Config.DBPath); errors.Is(err, fs.ErrNotExist) {
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
	if err != nil {
		return false
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, filepath.Base(a.opts.Config.DBPath))
	}
	there, err := os.Stat(strings.TrimSpace(path))
	return err == nil && os.SameFile(here, there)
}
