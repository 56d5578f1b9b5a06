package app

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/daemon/logfile"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/hook"
	"github.com/alanbuscaglia/engram/internal/hook/dialect"
	"github.com/alanbuscaglia/engram/internal/notebook"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/toggle"
)

// Hook handles an agent's event and returns the answer; nil is no answer. It never fails, and
// returns within 7/6 of HookWithin (five times that for events that do not recur, see hook.Handle);
// unwritten items are written by the next event. The process should end then.
func Hook(ctx context.Context, c config.Config, version, dir, agent, event string, in io.Reader) []byte {
	// Unwritten items stay in the notebook, so the agent need not wait for other writers.
	a := New(Options{Config: c, Actor: "hook", Version: version, Dir: dir, Single: true, WriteWait: c.HookWithin / 3})
	off, log := a.OffState(), newHookLog(c.DataDir, agent)
	kind, known := dialect.KindOf(event)
	if off.Everything || !known {
		if !off.Everything {
			log.noSuch("", "event", event)
		}
		dialect.Drain(in, c.HookWithin)
		return nil
	}
	if kind == dialect.SessionStart && !dialect.Knows(agent) { // once a session, since it may be intended
		log.noSuch(kind, "agent", "")
	}
	ctx, cancel := context.WithTimeout(ctx, c.HookWithin*7/6)
	defer cancel()
	visible := a.Engine.As(a.Engine.Caller().Without(a.whileOff))
	answer := hook.Handle(ctx, hook.Options{
		Engine: func() *engine.Engine { return visible }, Notes: a.notebook(), Now: time.Now, NewID: newIDs(), Folder: dir, Project: c.Project,
		NoCapture: !c.AutoExtract, Off: off.Off, Log: log.add, Within: c.HookWithin,
		BringIn: a.bringIn,
	}, agent, event, in)
	a.closeBefore(ctx)
	return answer
}

// HookFlags logs unknown flags that were ignored.
func HookFlags(c config.Config, agent string, flags []string) {
	for _, name := range flags {
		newHookLog(c.DataDir, agent).noSuch("", "flag", name)
	}
}

// NoHook reads and discards an event that cannot be handled, such as one without settings.
func NoHook(in io.Reader) { dialect.Drain(in, 150*time.Millisecond) }

// closeBefore closes the App, or leaves that to the end of the process when ctx ends.
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

func (a *App) notebook() *notebook.Notebook {
	return notebook.New(notebook.Options{Dir: filepath.Join(a.opts.Config.DataDir, "notes"), Lock: daemon.TryLock})
}

// writeNotes writes the items that hooks could not write, once: a server has time for it.
func (a *App) writeNotes(ctx context.Context) {
	if err := hook.Write(ctx, a.Engine, a.notebook()); err != nil && ctx.Err() == nil {
		a.opts.Log.Warn("cannot write the pending items of sessions", "error", err)
	}
}

// lateHooks counts the events of an agent ("" for all) in hook.log and hook.log.old that ran out of
// time. Lines of one event share time, agent and kind.
func lateHooks(dir, agent string, within time.Duration, now time.Time) health.Hooks {
	h := health.Hooks{Within: within}
	seen := map[string]bool{}
	for _, name := range []string{"hook.log.old", "hook.log"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			at, event, late := lateHook(lines.Text())
			if !late || agent != "" && !strings.Contains(event, " "+agent+" ") || at.After(now) || now.Sub(at) > health.LateWithin || seen[event] {
				continue
			}
			seen[event] = true
			if h.Late++; at.After(h.Last) {
				h.Last = at
			}
		}
		_ = f.Close() // opened for reading only
	}
	return h
}

// lateHook parses a line written by hookLog.add.
func lateHook(line string) (at time.Time, event string, late bool) {
	words := strings.SplitN(line, " ", 4)
	if len(words) < 4 || !strings.Contains(words[3], ": out of time") {
		return at, "", false
	}
	at, err := time.Parse(time.RFC3339, words[0])
	return at, strings.Join(words[:3], " "), err == nil
}

// maxHookLog is the size of hook.log in bytes above which it becomes hook.log.old.
const maxHookLog = 64 << 10

// hookLog records hook failures in hook.log in the data directory, without text of people or agents.
type hookLog struct {
	path, agent string
	begun       time.Time // start of the event

	mu sync.Mutex
}

func newHookLog(dir, agent string) *hookLog {
	if !dialect.Knows(agent) { // a command line may contain anything
		agent = "another"
	}
	return &hookLog{path: filepath.Join(dir, "hook.log"), agent: agent, begun: time.Now()}
}

// add appends a line. Errors are ignored: a hook has no way to report them.
//
//	2026-01-02T03:04:05Z claude-code prompt shop remind: unavailable, the database is busy, after 51 ms
func (l *hookLog) add(t hook.Trouble) {
	now := time.Now()
	what := t.What
	if t.During != "" {
		what += " during " + t.During
	}
	line := fmt.Sprintf("%s %s %s %s %s: %s, after %d ms\n", now.UTC().Format(time.RFC3339), l.agent, cmp.Or(string(t.Kind), "-"),
		cmp.Or(strings.Join(strings.Fields(t.Project), "_"), "-"), what, reason(t.Err), now.Sub(l.begun).Milliseconds())
	l.mu.Lock()
	defer l.mu.Unlock()
	if logfile.Size(l.path) > maxHookLog {
		_ = os.Rename(l.path, l.path+".old")
	}
	_ = os.MkdirAll(filepath.Dir(l.path), 0o700) // a hook with a wrong command line may be the first to need it
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(line)
	_ = f.Close()
}

// noSuch logs an unknown event, agent or flag of a command line.
func (l *hookLog) noSuch(kind dialect.Kind, what, name string) {
	l.add(hook.Trouble{Kind: kind, What: "command-line", Err: engram.Errorf(engram.CodeInvalid, "a hook's command line is wrong").WithCause(hook.NoSuch{What: what, Name: name})})
}

// reason returns an error's code and cause, without messages that may contain foreign text.
func reason(err error) string {
	if err == nil {
		return "unknown"
	}
	code := string(engram.CodeOf(err))
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		code = "out of time"
	}
	if behind := cause(err); behind != "" {
		return code + ", " + behind
	}
	return code
}

// cause returns the cause of an error in words of the program, the system or SQLite, or "".
func cause(err error) string {
	if text, ok := hook.Plain(err); ok {
		return text
	}
	if e, ok := errors.AsType[*Earlier](err); ok {
		return "the database is of an earlier Engram (" + e.Of + "), run engram migrate"
	}
	if p, ok := errors.AsType[*project.Problem](err); ok {
		return string(p.Reason)
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	if e, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		return sqliteSays(e.Code())
	}
	if e, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return "Postgres " + e.SQLState()
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("JSON error at byte %d", e.Offset)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "truncated JSON"
	case errors.Is(err, io.EOF):
		return "no input"
	}
	return ""
}

// sqliteSays describes a result code of SQLite (https://sqlite.org/rescode.html).
func sqliteSays(code int) string {
	words := map[int]string{5: "the database is busy", 6: "a table is locked", 8: "the database cannot be written", 10: "the disk failed", 11: "the database is damaged",
		13: "the disk is full", 14: "the database cannot be opened", 19: "a constraint was violated", 26: "the file is not a database"}
	return fmt.Sprintf("%s (SQLite %d)", cmp.Or(words[code&0xff], "an error"), code)
}

// OffState says for which projects agents are switched off.
type OffState = toggle.State

// switchWait limits how long one switch waits for another, which takes some milliseconds.
const switchWait = 2 * time.Second

// Off reports whether agents are off for a project, by any of its names, or with "" for everything.
// It opens no database, so it is cheap enough for every call.
func (a *App) Off(project string) bool { return a.OffState().Off(project) }

// OffState returns everything that is switched off, at the same cost.
func (a *App) OffState() OffState { return a.offSwitch().State() }

// SwitchOff switches agents off for projects, given by all their names, or for everything without
// names. It returns the state before and after; CodeUnavailable if it cannot be written.
func (a *App) SwitchOff(ctx context.Context, names []string) (before, after OffState, err error) {
	return a.offSwitch().Off(ctx, names, time.Now())
}

// SwitchOn reverses SwitchOff. Without names it leaves projects off that are off by name.
func (a *App) SwitchOn(ctx context.Context, names []string) (before, after OffState, err error) {
	return a.offSwitch().On(ctx, names, time.Now())
}

// whileOff returns the function that reports whether a project is off; nil if none is.
func (a *App) whileOff() (off func(project string) bool) {
	if now := a.OffState(); now.Any() {
		return now.Off
	}
	return nil
}

func (a *App) offSwitch() toggle.Switch {
	return toggle.New(toggle.Options{Dir: a.opts.Config.DataDir, Lock: a.switchAlone})
}

// switchAlone waits until no other process switches: two at once would undo each other.
func (a *App) switchAlone(ctx context.Context) (release func() error, err error) {
	f, err := hold(ctx, filepath.Join(a.opts.Config.DataDir, "off.lock"), switchWait, "another command is switching agents on or off")
	if err != nil {
		return nil, err
	}
	return f.Close, nil // closing unlocks it
}
