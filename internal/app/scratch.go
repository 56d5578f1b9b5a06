package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// Scratch is an empty store in a folder of its own, which is removed by Close, for
// trying things out that must not touch anybody's memories.
type Scratch struct {
	engram.Store

	app *App
	dir string
}

// Scratch makes one. Without a place for it the error is CodeUnavailable.
func (a *App) Scratch(ctx context.Context) (*Scratch, error) {
	dir, err := os.MkdirTemp("", "engram-scratch-")
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "no folder for the throw-away database").WithCause(err)
	}
	s, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "engram.db"), Now: time.Now, Log: a.opts.Log})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Scratch{Store: s, app: a, dir: dir}, nil
}

// orScratch is open where there is a database, else Scratch.
func (a *App) orScratch(open func(context.Context) (engram.Store, error)) func(context.Context) (engram.Store, error) {
	return func(ctx context.Context) (engram.Store, error) {
		if _, err := os.Stat(a.opts.Config.DBPath); !errors.Is(err, fs.ErrNotExist) {
			return open(ctx)
		}
		s, err := a.Scratch(ctx)
		if err != nil {
			return nil, err // not s: a nil *Scratch is a store that is there
		}
		return s, nil
	}
}

// Engine returns an engine over store, which tells the time by now and is otherwise
// what the App's own is.
func (s *Scratch) Engine(store engram.Store, now func() time.Time) *engine.Engine {
	return engine.New(s.app.engineOptions(store, now))
}

// Close closes the store and removes it.
func (s *Scratch) Close() error { return errors.Join(s.Store.Close(), os.RemoveAll(s.dir)) }

// View reads the App's own store on one snapshot: what is kept, for what no verb tells.
func (a *App) View(ctx context.Context, fn func(engram.Reader) error) error {
	return a.store.View(ctx, fn)
}

// Changelog reads the changelog of the repository the App works in. The error is
// CodeUnavailable when git does not answer; found is false when there is none.
func (a *App) Changelog(ctx context.Context) (c git.Changelog, found bool, err error) {
	return git.Folders{}.Changelog(ctx, a.opts.Dir)
}
