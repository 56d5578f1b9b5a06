package app

import (
	"context"
	"io"
	"path/filepath"
	"time"

	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/hook"
	"github.com/alanbuscaglia/engram/internal/notebook"
)

// Hook does what belongs to an event of an agent, and returns what it is answered; nil is
// silence. It never fails, and returns within 7/6 of HookWithin, so that with the default the
// process is gone within 200 ms: what was to be written and could not be is written by the
// next event, or the next server. Only what nobody says again, such as a prompt, is waited for
// longer until it is noted: five times HookWithin, 750 ms, at the very most (see
// hook.Handle). The process should end then: work may still go on.
func Hook(ctx context.Context, c config.Config, version, dir, agent, event string, in io.Reader) []byte {
	// What cannot be written waits in the notebook, and the agent need not wait for who writes.
	a := New(Options{Config: c, Actor: "hook", Version: version, Dir: dir, Mapped: true, Single: true, WriteWait: c.HookWithin / 3})
	off, log := a.OffState(), newHookLog(c.DataDir, agent)
	kind, known := hook.KindOf(event)
	if off.Everything || !known {
		if !off.Everything {
			log.noSuch("", "event", event)
		}
		hook.Drain(in, c.HookWithin)
		return nil
	}
	if kind == hook.SessionStart && !hook.Knows(agent) { // once a session: it may be meant so
		log.noSuch(kind, "agent", "")
	}
	ctx, cancel := context.WithTimeout(ctx, c.HookWithin*7/6)
	defer cancel()
	told := a.Engine.Apart(a.whileOff)
	answer := hook.Handle(ctx, hook.Options{
		Engine: func() *engine.Engine { return told }, Notes: a.notebook(), Now: time.Now, NewID: newIDs(), Folder: dir, Project: c.Project,
		NoCapture: !c.AutoExtract, Off: off.Off, Log: log.add, Within: c.HookWithin,
		BringIn: a.bringIn,
	}, agent, event, in)
	a.closeBefore(ctx)
	return answer
}

// HookFlags has it in the log of hooks that flags were passed over that no hook has.
func HookFlags(c config.Config, agent string, flags []string) {
	for _, name := range flags {
		newHookLog(c.DataDir, agent).noSuch("", "flag", name)
	}
}

// NoHook reads an event away for which nothing can be done, such as one without settings.
func NoHook(in io.Reader) { hook.Drain(in, 150*time.Millisecond) }

// closeBefore closes the App, or leaves it to the end of the process when ctx is over.
func (a *App) closeBefore(ctx context.Context) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if err := a.Close(); err != nil {
			a.opts.Log.Debug("the store could not be closed", "error", err)
		}
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}

// notebook is that of the data directory.
func (a *App) notebook() *notebook.Notebook {
	return notebook.New(notebook.Options{Dir: filepath.Join(a.opts.Config.DataDir, "notes"), Lock: daemon.TryLock})
}

// writeNotes writes what hooks could not, once: a server has the time for it.
func (a *App) writeNotes(ctx context.Context) {
	if err := hook.Write(ctx, a.Engine, a.notebook()); err != nil && ctx.Err() == nil {
		a.opts.Log.Warn("what waits in the notes of sessions could not be written", "error", err)
	}
}
