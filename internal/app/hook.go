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
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/hook"
	"github.com/alanbuscaglia/engram/internal/notebook"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/toggle"
)

// Hook handles an event of an agent and returns the answer; nil is silence. It never fails, and
// returns within 7/6 of HookWithin (five times that for what nobody says again, see hook.Handle);
// what could not be written by then is written by the next event. The process should end then.
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
	told := a.Engine.Excluding(a.whileOff)
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

// lateHooks counts the events of an agent ("" for all) in hook.log and its predecessor of which
// something was left out for want of time. Lines of one event share time, agent and kind.
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
		_ = f.Close() // it was read
	}
	return h
}

// lateHook reads a line as hookLog.add writes it.
func lateHook(line string) (at time.Time, event string, late bool) {
	words := strings.SplitN(line, " ", 4)
	if len(words) < 4 || !strings.Contains(words[3], ": out of time") {
		return at, "", false
	}
	at, err := time.Parse(time.RFC3339, words[0])
	return at, strings.Join(words[:3], " "), err == nil
}

// maxHookLog is how large hook.log may become, in bytes; then it begins anew, beside what was
// in it (hook.log.old).
const maxHookLog = 64 << 10

// hookLog is where it stands what a hook could not do, and why: hook.log in the data
// directory. Nothing of what people or agents have said is in it.
type hookLog struct {
	path, agent string
	begun       time.Time // of the event

	mu sync.Mutex
}

func newHookLog(dir, agent string) *hookLog {
	if !hook.Knows(agent) { // a command line may have anything in it
		agent = "another"
	}
	return &hookLog{path: filepath.Join(dir, "hook.log"), agent: agent, begun: time.Now()}
}

// add adds a line, if it can: a hook has nobody to complain to.
//
//	2026-01-02T03:04:05Z claude-code prompt shop remind: unavailable, the database is busy, after 51 ms
func (l *hookLog) add(t hook.Trouble) {
	now := time.Now()
	what := t.What
	if t.During != "" {
		what += " during " + t.During
	}
	line := fmt.Sprintf("%s %s %s %s %s: %s, after %d ms\n", now.UTC().Format(time.RFC3339), l.agent, cmp.Or(string(t.Kind), "-"),
		cmp.Or(oneWord(t.Project), "-"), what, reason(t.Err), now.Sub(l.begun).Milliseconds())
	l.mu.Lock()
	defer l.mu.Unlock()
	if size(l.path) > maxHookLog {
		_ = os.Rename(l.path, l.path+".old")
	}
	_ = os.MkdirAll(filepath.Dir(l.path), 0o700) // of a wrong command line it may be the first that anybody hears
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(line)
	_ = f.Close()
}

// noSuch adds that a command line names what nobody knows.
func (l *hookLog) noSuch(kind hook.Kind, what, name string) {
	l.add(hook.Trouble{Kind: kind, What: "command-line", Err: engram.Errorf(engram.CodeInvalid, "a hook's command line is wrong").WithCause(hook.NoSuch{What: what, Name: name})})
}

// oneWord is the name of a project as a column of a line.
func oneWord(name string) string { return strings.Join(strings.Fields(name), "_") }

// reason is the code of an error and what is behind it, without the words of it that may come
// from anywhere.
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

// cause is what is behind an error, in words that are the program's, the system's or SQLite's;
// "" where it has none of these.
func cause(err error) string {
	if text, ok := hook.Plain(err); ok {
		return text
	}
	if e, ok := errors.AsType[*Earlier](err); ok {
		return "the database is of an earlier Engram (" + e.Of + "), engram migrate takes it over"
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
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("no JSON at byte %d", e.Offset)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "JSON without its end"
	case errors.Is(err, io.EOF):
		return "nothing came in"
	}
	return ""
}

// sqliteSays is a result of SQLite in words, with its number (https://sqlite.org/rescode.html).
func sqliteSays(code int) string {
	words := map[int]string{5: "the database is busy", 6: "a table is locked", 8: "the database cannot be written", 10: "the disk failed", 11: "the database is damaged",
		13: "the disk is full", 14: "the database cannot be opened", 19: "a constraint is broken", 26: "the file is no database"}
	return fmt.Sprintf("%s (SQLite %d)", cmp.Or(words[code&0xff], "an error"), code)
}

// OffState is what agents are switched off for.
type OffState = toggle.State

// switchWait is how long one switch waits for another, which takes some milliseconds.
const switchWait = 2 * time.Second

// Off reports whether agents are off for a project, by any of its names, or with "" for everything.
// It opens no database, so it may be asked at every call.
func (a *App) Off(project string) bool { return a.OffState().Off(project) }

// OffState tells everything that agents are switched off for, at the same cost.
func (a *App) OffState() OffState { return a.offSwitch().State() }

// SwitchOff switches agents off for projects, given by all their names, or without any for everything.
// It returns what was off before and is now; CodeUnavailable when that cannot be written.
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
