package app

import (
	"context"
	"errors"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/relocate"
)

// MoveStore copies everything into the store of other settings, an empty one, while other writers of this one wait.
// An interrupted copy goes on where it was, unless this store has changed since: then what was copied is removed and
// all is copied again. CodeConflict for a store that has something of its own.
func (a *App) MoveStore(ctx context.Context, to config.Config, progress func(done, total int)) (res relocate.Copied, err error) {
	if to.Place() == a.opts.Config.Place() {
		return res, engram.Errorf(engram.CodeInvalid, "the memories are there already").WithHint("name another store, or another space with --space")
	}
	if !Exists(a.opts.Config) {
		return res, engram.Errorf(engram.CodeNotFound, "there is nothing to move: %s does not exist", a.opts.Config.Place()).WithHint("set the new store with {config set store -}")
	}
	a.counting.write(ctx, time.Second) // what commands left beside the store
	if res, err = a.copyTo(ctx, to, progress); err == nil {
		return res, nil
	}
	if _, changed := errors.AsType[*relocate.Changed](err); !changed {
		return res, err
	}
	if err := discard(ctx, to); err != nil {
		return res, err
	}
	return a.copyTo(ctx, to, progress)
}

func (a *App) copyTo(ctx context.Context, to config.Config, progress func(done, total int)) (res relocate.Copied, err error) {
	o := a.opts
	o.Config = to
	other := New(o)
	defer func() { err = errors.Join(err, other.Close()) }()
	target, err := other.store.get(ctx)
	if err != nil {
		return res, err
	}
	err = a.store.Update(ctx, func(tx engram.Tx) (err error) {
		res, err = relocate.Copy(ctx, tx, target, progress)
		return err
	})
	return res, err
}

// discard removes a store that has nothing but an unfinished copy.
func discard(ctx context.Context, c config.Config) error {
	if c.OnServer() {
		return postgres.Remove(ctx, postgres.Options{URL: c.Store, Space: c.Space})
	}
	return removeDatabase(c.DBPath)
}
