// Package tui is the terminal UI: it draws a frame around the screens, gives keys, mouse and pasted text to the one on top,
// follows what other programs write, and has the command line. The screens are in screen, their parts in widget, texts and
// cells in cell, colours in theme, keys in keymap.
//
// It is Bubble Tea's loop: Update alone changes state and never waits, and commands read and write beside it. It speaks to
// the store through the engine, and to the rest of the machine through Options.
package tui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/screen"
)

// Options configure the terminal UI. Engine, In and Out are required.
type Options struct {
	Engine  *engine.Engine // its caller is the author of what is changed
	Project string         // of the folder; "" shows all projects
	Screen  string         // name of the screen to begin with, above the dashboard; "" is the dashboard
	Query   string         // with Screen "search": the question
	Theme   string         // one of theme.Names; "" is auto
	Keys    keymap.Map     // nil is keymap.Default
	Zone    *time.Location // nil is UTC
	In      io.Reader
	Out     io.Writer
	Env     []string // of the terminal: TERM, COLORTERM, NO_COLOR, COLORFGBG
	Outside screen.Outside
	// Alive reports why the database is no longer the one that was opened; nil: never. It may touch the disk.
	Alive func() error
	// After sends a message later, and Exec gives the terminal to another program; nil are those of Bubble Tea.
	After func(time.Duration, tea.Msg) tea.Cmd
	Exec  func(tea.ExecCommand, tea.ExecCallback) tea.Cmd
}

// Run shows the terminal UI until the person quits or ctx ends. An error says why it could not be shown.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	m := New(ctx, o)
	m.askColours = func() tea.Msg {
		return tea.ColorProfileMsg{Profile: colorprofile.Detect(o.Out, o.Env)}
	}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env),
		tea.WithColorProfile(colorprofile.Env(o.Env)), tea.WithoutSignalHandler())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(ctx, o, p.Send, &m.seen)
	}()
	_, err := p.Run()
	cancel()
	<-watched
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, tea.ErrProgramPanic):
		return engram.Errorf(engram.CodeInternal, "the terminal UI failed").WithHint("please report what is printed above").WithCause(err)
	case errors.Is(err, tea.ErrProgramKilled):
		return nil
	}
	return engram.Errorf(engram.CodeUnavailable, "cannot use the terminal").WithCause(err)
}
