package app

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/tui"
	"github.com/alanbuscaglia/engram/internal/tui/screen"
)

// What a command gives the terminal UI, under the names of commands.
type (
	// TUIOptions configure the terminal UI; BrowseTUI sets Engine.
	TUIOptions = tui.Options
	// TUIOutside is what it needs beyond the engine.
	TUIOutside = screen.Outside
	// TUISetting is a line of its settings.
	TUISetting = screen.Setting
	// TUIAgent is a line of its agents.
	TUIAgent = screen.Agent
	// TUIKept is what it keeps between runs.
	TUIKept = screen.Kept
	// TUIEditing is a text in an editor.
	TUIEditing = screen.Editing
)

// BrowseTUI shows the terminal UI until the person quits or ctx ends.
func (a *App) BrowseTUI(ctx context.Context, o TUIOptions) error {
	o.Engine = a.Engine.As(a.Engine.Caller().By("tui"))
	return tui.Run(ctx, o)
}

// TUIScreens returns the names of the screens that it can begin with.
func TUIScreens() []string {
	return document.Each(screen.Places(), func(p screen.Place) string { return p.Name })
}

// TUICommands returns the words of its command line, with their arguments.
func TUICommands() []string { return tui.Commands() }
