package app

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/toggle"
)

// OffState is what agents are switched off for.
type OffState = toggle.State

// switchWait is how long one switch waits for another, which takes some milliseconds.
const switchWait = 2 * time.Second

// Off reports whether agents are switched off for a project, by any of its names; "" asks
// whether they are for everything. It opens no database and costs some microseconds: ask at
// every call.
func (a *App) Off(project string) bool { return a.OffState().Off(project) }

// OffState tells everything that agents are switched off for, at the same cost.
func (a *App) OffState() OffState { return a.offSwitch().State() }

// SwitchOff switches agents off for projects, all of whose names have to be told, or without
// any for everything. It returns what was off before, and what is now. CodeUnavailable when
// that cannot be written.
func (a *App) SwitchOff(ctx context.Context, names []string) (before, after OffState, err error) {
	return a.offSwitch().Off(ctx, names, time.Now())
}

// SwitchOn switches agents on again, as SwitchOff does off. On for everything leaves off
// what is off by its name.
func (a *App) SwitchOn(ctx context.Context, names []string) (before, after OffState, err error) {
	return a.offSwitch().On(ctx, names, time.Now())
}

// whileOff is what reports whether a project is off; nil while nothing is.
func (a *App) whileOff() (off func(project string) bool) {
	if now := a.OffState(); now.Any() {
		return now.Off
	}
	return nil
}

func (a *App) offSwitch() toggle.Switch {
	return toggle.New(toggle.Options{Dir: a.opts.Config.DataDir, Lock: a.switchAlone})
}

// switchAlone waits until no other process switches: of two that did at once, one would
// undo what the other said.
func (a *App) switchAlone(ctx context.Context) (release func() error, err error) {
	path := filepath.Join(a.opts.Config.DataDir, "off.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unreachable(path, err)
	}
	err = alone(ctx, switchWait, "another command switches on or off", func() (bool, error) {
		held, err := daemon.TryLock(f)
		if err != nil {
			err = unreachable(path, err)
		}
		return held, err
	})
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f.Close, nil // which unlocks it
}
