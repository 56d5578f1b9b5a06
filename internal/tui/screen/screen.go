// Package screen holds the screens of the terminal UI, a file for each: what it reads, what its keys do, how it looks.
// Each has its own state, which changes in Update alone; it reads and writes through the engine in commands, which run
// beside it. Screens know each other only to open the next one.
//
// Texts of memories reach a screen through package cell, which makes them harmless.
package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// Screen is one screen. Its methods are called by the program's loop alone, and must not wait.
type Screen interface {
	// Title names it in the header.
	Title() string
	// Position says what part of it is visible, such as "1–20 of 50"; "" for nothing to say.
	Position() string
	// Actions are what keys do here besides what they do everywhere, the most useful first.
	Actions() []keymap.Action
	// Open reads it for the first time, Refresh when something has changed or it is shown again.
	Open(*Context) tea.Cmd
	Refresh(*Context) tea.Cmd
	// Do performs an action of its own or of Moves.
	Do(*Context, keymap.Action) tea.Cmd
	// View returns at most height lines, each exactly width cells wide.
	View(c *Context, width, height int) []string
	// Close ends what it reads.
	Close()
}

// Typing is a screen with a line of input that has the keys while it is focused.
type Typing interface {
	Type(c *Context, press tea.KeyPressMsg) (cmd tea.Cmd, taken bool)
	Paste(c *Context, text string) tea.Cmd
	// Cursor returns the cell of the input's cursor in the last view; ok is false without focus.
	Cursor() (x, y int, ok bool)
}

// Leaving is a screen with sides: Leave goes back to the first, and reports whether another one had the keys.
type Leaving interface{ Leave() bool }

// Unlogged is a screen of what the journal does not have, so that no change announces it: it is read again and again while it
// is shown.
type Unlogged interface{ Unlogged() }

// Clicked is a screen that a mouse can click into.
type Clicked interface {
	// Click acts on a cell of the last view; twice is the second click on it.
	Click(c *Context, x, y int, twice bool) tea.Cmd
}

// Moves are the actions of every screen.
func Moves() []keymap.Action {
	return []keymap.Action{keymap.Down, keymap.Up, keymap.Top, keymap.Bottom, keymap.PageDown, keymap.PageUp, keymap.Open, keymap.Focus}
}

// Setting is a line of the settings screen.
type Setting struct {
	Name, Value, Origin string
	About, Range, Note  string
}

// Agent is a line of the setup screen.
type Agent struct {
	Title, State string
	Installed    bool
	Details      []string // files, notes and hints
}

// Kept is what the terminal UI remembers between runs.
type Kept struct {
	History []string `json:"history"` // past searches, newest first
	Saved   []string `json:"saved"`   // saved searches, in the order of saving
}

// Editing is a text in an editor. It is a command of Bubble Tea that owns the terminal while it runs.
type Editing interface {
	tea.ExecCommand
	// Text returns the text after Run; Close removes its file.
	Text() (string, error)
	Close() error
}

// Outside is what screens need beyond the engine. Its functions may wait, and are called in commands.
type Outside struct {
	// Edit prepares an editor with a text; an error says which variable to set.
	Edit     func(text string) (Editing, error)
	Settings func(context.Context) ([]Setting, error)
	Agents   func(context.Context) ([]Agent, error)
	Load     func() (Kept, error)
	Store    func(Kept) error
}

// Context is what screens share: the engine, the looks, the keys, and the stack of open screens.
type Context struct {
	Engine  *engine.Engine
	Theme   *theme.Theme
	Keys    keymap.Map
	Outside Outside
	Zone    *time.Location
	Now     time.Time       // of the last message
	Project string          // of the folder; "" for none
	All     bool            // every project is shown
	Running map[string]bool // sessions that have not ended
	Kept    Kept
	Names   []string // of projects
	// After sends a message later, and Exec gives the terminal to another program; nil are tea.Tick and tea.Exec.
	After  func(time.Duration, tea.Msg) tea.Cmd
	Exec   func(tea.ExecCommand, tea.ExecCallback) tea.Cmd
	base   context.Context // ends with the program
	stack  []Screen
	modal  Modal
	note   note
	done   []change // own acts that can be undone, the latest last
	header job
	kept   map[int64]string // texts from the editor that could not be saved, by memory; 0 is a new one
}

// note is a message in the footer.
type note struct {
	text, hint string
	bad        bool
	at         time.Time
}

// NewContext returns the context of a program that ends with base.
func NewContext(base context.Context, e *engine.Engine) *Context {
	return &Context{Engine: e, base: base, Zone: time.UTC, Theme: theme.Named(""), Keys: keymap.Default(), Now: e.Now()}
}

// Later sends a message after a time.
func (c *Context) Later(d time.Duration, msg tea.Msg) tea.Cmd {
	if c.After != nil {
		return c.After(d, msg)
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// Scope is the project that lists are about; "" is every one.
func (c *Context) Scope() string {
	if c.All {
		return ""
	}
	return c.Project
}

// ScopeName names the scope for a person.
func (c *Context) ScopeName() string {
	if c.All || c.Project == "" {
		return "all projects"
	}
	return cell.Inline(c.Project, 100)
}

// Top returns the screen that is shown.
func (c *Context) Top() Screen { return c.stack[len(c.stack)-1] }

// Stack returns the titles of the open screens, the first first.
func (c *Context) Stack() (titles []string) {
	for _, s := range c.stack {
		titles = append(titles, s.Title())
	}
	return titles
}

// mostOpen limits the stack: going from memory to memory for an hour must not keep them all.
const mostOpen = 30

// Push opens a screen on top.
func (c *Context) Push(s Screen) tea.Cmd {
	if len(c.stack) >= mostOpen {
		c.stack[1].Close()
		c.stack = append(c.stack[:1], c.stack[2:]...)
	}
	c.stack = append(c.stack, s)
	c.modal = nil
	if _, unlogged := s.(Unlogged); unlogged {
		return tea.Batch(s.Open(c), c.Later(pollEvery, Poll{s}))
	}
	return s.Open(c)
}

// pollEvery is how often an Unlogged screen is read again.
const pollEvery = time.Second

// Poll reads an Unlogged screen again, until it is closed.
type Poll struct{ on Screen }

// Again reads the screen if it is the one that is shown, and polls on.
func (p Poll) Again(c *Context) tea.Cmd {
	switch {
	case !slices.Contains(c.stack, p.on):
		return nil
	case c.Top() != p.on:
		return c.Later(pollEvery, p)
	}
	return tea.Batch(p.on.Refresh(c), c.Later(pollEvery, p))
}

// Pop closes the screen on top and shows the one below; false if it is the first.
func (c *Context) Pop() (tea.Cmd, bool) {
	if len(c.stack) < 2 {
		return nil, false
	}
	c.Top().Close()
	c.stack = c.stack[:len(c.stack)-1]
	return c.Top().Refresh(c), true
}

// Restart closes all screens but the first, and opens s on it.
func (c *Context) Restart(s Screen) tea.Cmd {
	for len(c.stack) > 1 {
		c.Top().Close()
		c.stack = c.stack[:len(c.stack)-1]
	}
	return c.Push(s)
}

// Say shows a message in the footer.
func (c *Context) Say(format string, args ...any) {
	c.note = note{text: fmt.Sprintf(format, args...), at: c.Now}
}

// Warn shows a warning in the footer.
func (c *Context) Warn(text, hint string) {
	c.note = note{text: text, hint: hint, bad: true, at: c.Now}
}

// Fail shows an error with its hint; a job that another replaced has not failed.
func (c *Context) Fail(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	text := err.Error()
	if e, ok := errors.AsType[*engram.Error](err); ok && e.Code != engram.CodeInternal {
		text = e.Msg
	}
	c.Warn(cell.Inline(text, 500), cell.Inline(engram.HintOf(err), 500))
}

// Note returns the message in the footer; "" for none.
func (c *Context) Note() (text, hint string, bad bool) { return c.note.text, c.note.hint, c.note.bad }

// ClearNote removes the message.
func (c *Context) ClearNote() { c.note = note{} }

// job is reading or writing for one purpose: the latest replaces what came before it.
type job struct {
	cancel context.CancelFunc
	turn   int
	busy   bool
}

func (j *job) stop() {
	if j.cancel != nil {
		j.cancel()
		j.cancel = nil
	}
	j.turn++
	j.busy = false
}

// Result is the end of a job, to be applied in Update.
type Result struct {
	job   *job
	turn  int
	apply func() tea.Cmd
}

// Apply changes the state as the job found, unless another job replaced it meanwhile.
func (r Result) Apply() tea.Cmd {
	if r.turn != r.job.turn {
		return nil
	}
	r.job.busy = false
	return r.apply()
}

// run reads or writes beside the loop, and then calls then in Update. A job that is running is cancelled.
func run[T any](c *Context, j *job, work func(context.Context) (T, error), then func(T, error) tea.Cmd) tea.Cmd {
	j.stop()
	ctx, cancel := context.WithCancel(c.base)
	j.cancel, j.busy = cancel, true
	turn := j.turn
	return func() tea.Msg {
		defer cancel()
		value, err := work(ctx)
		return Result{j, turn, func() tea.Cmd { return then(value, err) }}
	}
}

// act writes beside the loop. Unlike run it never cancels, so that two changes in quick succession are both made.
func act[T any](c *Context, work func(context.Context) (T, error), then func(T) tea.Cmd) tea.Cmd {
	return run(c, &job{}, work, func(value T, err error) tea.Cmd {
		if err != nil {
			c.Fail(err)
			return nil
		}
		return then(value)
	})
}

// plain is a screen without state of its own, to be embedded.
type plain struct{ reading job }

// Position implements Screen.
func (*plain) Position() string { return "" }

// Close implements Screen.
func (p *plain) Close() { p.reading.stop() }

// Refreshed reads the screen on top again.
func (c *Context) Refreshed() tea.Cmd { return c.Top().Refresh(c) }

// headed is what badges and completion need.
type headed struct {
	running map[string]bool
	names   []string
}

// ReadRunning reads which sessions run, and the names of projects.
func (c *Context) ReadRunning() tea.Cmd {
	return run(c, &c.header, func(ctx context.Context) (headed, error) {
		all, err := c.Engine.RunningSessions(ctx, "", engram.Page{Limit: mostRunning})
		if err != nil {
			return headed{}, err
		}
		h := headed{running: map[string]bool{}}
		for _, s := range all {
			h.running[s.ID] = true
		}
		st, err := c.Engine.Stats(ctx, "")
		h.names = st.Projects
		return h, err
	}, func(h headed, err error) tea.Cmd {
		if err != nil {
			c.Fail(err)
			return nil
		}
		c.Running, c.Names = h.running, h.names
		return nil
	})
}

// ReadKept reads what was kept between runs.
func (c *Context) ReadKept() tea.Cmd {
	if c.Outside.Load == nil {
		return nil
	}
	return act(c, func(context.Context) (Kept, error) { return c.Outside.Load() }, func(k Kept) tea.Cmd {
		c.Kept = k
		return nil
	})
}

// Resized lets the screen on top read what a larger terminal shows.
func (c *Context) Resized() tea.Cmd {
	if len(c.stack) == 0 {
		return nil
	}
	return c.Refreshed()
}
