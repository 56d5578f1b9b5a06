// Package browse holds the command tui, the terminal UI: it finds the terminal, the project and the settings, starts it, and
// gives it what lies outside the engine: an editor (editor.go), the settings, the agents' files, and the file of past
// searches.
package browse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// Commands returns the command tui.
func Commands() []command.Maker {
	return []command.Maker{command.In(command.GroupMemory, "tui", tuiCommand)}
}

func tuiCommand(p *command.Program) *cobra.Command {
	var look string
	cmd := &cobra.Command{
		Use:   "tui [SCREEN] [QUESTION…]",
		Short: "Browse, search, judge and prune memories in the terminal",
		Long: `Browse, search, judge and prune memories in a terminal UI. SCREEN is where to begin:

  ` + render.Fold(strings.Join(app.TUIScreens(), ", "), "  ", 100) + `

It shows the project of the folder, and with P every project. What other programs save appears by itself.

` + keyHelp() + `

The command line behind : knows:

  ` + render.Fold(strings.Join(app.TUICommands(), ", "), "  ", 100) + `

tui_keys in config.toml changes keys by the names of their actions, such as tui_keys = "forget=x, new=N ctrl+n", and
tui_theme chooses the theme. The actions are:

  ` + render.Fold(strings.Join(keymap.Default().Names(), ", "), "  ", 100),
		Example: command.Examples("engram tui", "engram tui search how long do tokens live", "engram tui conflicts --theme latte"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(p, cmd, args, look)
		},
	}
	cmd.Flags().StringVar(&look, "theme", "", "`name` of the theme: "+strings.Join(theme.Names(), ", ")+" (default: tui_theme in config.toml)")
	return cmd
}

// keyHelp lists the default keys by group.
func keyHelp() string {
	var b strings.Builder
	group := ""
	for _, k := range keymap.Default() {
		if k.Group != group {
			if group != "" {
				b.WriteString("\n")
			}
			group = k.Group
			b.WriteString(group + ":\n\n")
		}
		fmt.Fprintf(&b, "  %s  %s\n", k.Shown()+strings.Repeat(" ", max(0, 22-terminal.Width(k.Shown()))), k.About)
	}
	return strings.TrimRight(b.String(), "\n")
}

func run(p *command.Program, cmd *cobra.Command, args []string, look string) error {
	begin, question := "", ""
	if len(args) > 0 {
		begin, question = strings.ToLower(args[0]), strings.Join(args[1:], " ")
		if !slices.Contains(app.TUIScreens(), begin) {
			return command.Invalidf("screen %q does not exist", begin).WithHint("use one of %s", strings.Join(app.TUIScreens(), ", "))
		}
		if question != "" && begin != "search" {
			return command.Invalidf("screen %s takes no question", begin).WithHint("leave it out, or search for it: {tui search %s}", question)
		}
	}
	if look != "" && !theme.Known(look) {
		return command.Invalidf("theme %q does not exist", look).WithHint("use one of %s", strings.Join(theme.Names(), ", "))
	}
	if err := needsTerminal(p); err != nil {
		return err
	}
	e, err := p.OpenUnmapped(cmd) // it runs for long: a mapped database would count as its memory
	if err != nil {
		return err
	}
	c := *p.Loaded
	if look == "" {
		look = c.TUITheme
	}
	keys, err := keymap.Parse(c.TUIKeys)
	if err != nil { // config has checked it
		return err
	}
	if err := p.App.Ready(cmd.Context()); err != nil {
		return err
	}
	project, err := p.ReadProject(cmd, e, false)
	if err != nil {
		return err
	}
	return p.App.BrowseTUI(cmd.Context(), app.TUIOptions{
		Project: project, Screen: begin, Query: question, Theme: look, Keys: keys, Zone: c.Timezone,
		In: p.Stdin, Out: p.Stdout, Env: config.Terminal(p.Env, !bool(p.Out)), Alive: alive(c),
		Outside: app.TUIOutside{
			Edit:     func(text string) (app.TUIEditing, error) { return newEditor(p, text) },
			Settings: func(context.Context) ([]app.TUISetting, error) { return settingsOf(c), nil },
			Agents:   func(context.Context) ([]app.TUIAgent, error) { return agentsOf(p, c) },
			Load:     func() (app.TUIKept, error) { return loadKept(keptPath(c)) },
			Store:    func(k app.TUIKept) error { return storeKept(keptPath(c), k) },
		},
	})
}

// needsTerminal rejects output and input that are no terminals, before anything is opened.
func needsTerminal(p *command.Program) error {
	if p.JSON {
		return command.Invalidf("tui has no JSON form").WithHint("{list --json} prints memories")
	}
	if term, _ := p.Env("TERM"); term == "dumb" {
		return command.Invalidf("the terminal cannot show tui: TERM is dumb").WithHint("{list} prints memories")
	}
	for _, s := range []struct {
		name   string
		stream any
	}{{"output", p.Stdout}, {"input", p.Stdin}} {
		if !terminal.Is(s.stream) {
			return command.Invalidf("tui needs a terminal, and standard %s is not one", s.name).WithHint("{list} prints memories")
		}
	}
	return nil
}

// alive returns a function that reports when another file, or none, is at the path of the database: SQLite goes on with the
// old file, whose contents no other program sees.
func alive(c config.Config) func() error {
	if c.OnServer() {
		return nil
	}
	path := c.DBPath
	first, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return func() error {
		now, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return engram.Errorf(engram.CodeUnavailable, "the database %s has disappeared", path).WithHint("restore it, or quit and start again")
		case err != nil:
			return engram.Errorf(engram.CodeUnavailable, "cannot read the database %s", path).WithCause(err)
		case !os.SameFile(first, now):
			return engram.Errorf(engram.CodeUnavailable, "the database %s was replaced", path).WithHint("quit and start again to see the new one")
		}
		return nil
	}
}

func settingsOf(c config.Config) (all []app.TUISetting) {
	for _, v := range c.Values() {
		s := app.TUISetting{Name: v.Name, Value: render.Line(strings.ReplaceAll(v.Text, "`", ""), 0), Origin: render.Line(v.Origin.String(), 0),
			About: plain(v.About), Range: plain(v.Range)}
		switch {
		case v.Secret && v.Set:
			s.Value = "set"
		case v.Text == "":
			s.Value = plain(v.Default)
		}
		for _, r := range c.Remarks {
			if r.Key == v.Name {
				s.Note = render.Line(r.String(), 0)
			}
		}
		all = append(all, s)
	}
	return all
}

// plain removes the links and code marks of a description.
func plain(markdown string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(markdown, "](")
		b.WriteString(strings.NewReplacer("`", "", "[", "").Replace(before))
		if !found {
			return b.String()
		}
		_, markdown, _ = strings.Cut(rest, ")")
	}
}

func agentsOf(p *command.Program, c config.Config) (all []app.TUIAgent, err error) {
	w := app.Wiring{Config: c, Version: p.Version, OS: runtime.GOOS, Env: p.Env, DataDirGiven: p.DataDir != ""}
	path, _ := p.Env("PATH")
	w.Program, _ = app.ProgramForAgents("", p.Dir, path, runtime.GOOS)
	if err := w.Ready(); err != nil {
		return nil, err
	}
	for _, name := range app.AgentNames() {
		s := w.Look(name)
		a := app.TUIAgent{Title: s.Title, Installed: s.Detected, State: agentState(s)}
		if s.Status != "absent" {
			for _, f := range s.Files {
				line := f.Status + "  " + f.Path
				if f.Why != "" {
					line += ": " + f.Why
				}
				a.Details = append(a.Details, render.Line(line, 0))
			}
		}
		for _, n := range s.Notes {
			a.Details = append(a.Details, render.Line("note: "+n, 0))
		}
		if s.Err != nil {
			a.Details = append(a.Details, render.Line(command.MessageOf(s.Err), 0))
		}
		all = append(all, a)
	}
	return all, nil
}

func agentState(s app.AgentState) string {
	switch {
	case s.Err != nil:
		return "broken"
	case s.Status == "wired":
		return "set up"
	case s.Status == "changed":
		return "set up, but outdated"
	case s.Status == "broken":
		return "blocked by an invalid file"
	}
	return "not set up"
}

// keptPath is the file of past and saved searches.
func keptPath(c config.Config) string { return filepath.Join(c.DataDir, "tui.json") }

// loadKept reads the file; none, or one that is damaged, is empty.
func loadKept(path string) (k app.TUIKept, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, engram.Errorf(engram.CodeUnavailable, "cannot read past searches").WithCause(err)
	}
	if json.Unmarshal(data, &k) != nil {
		return app.TUIKept{}, nil
	}
	return k, nil
}

// storeKept writes the file, readable by its owner alone.
func storeKept(path string, k app.TUIKept) error {
	data, err := json.MarshalIndent(k, "", "  ")
	if err == nil {
		err = atomicfile.Write(path, append(data, '\n'), atomicfile.Options{Mode: 0o600})
	}
	if err != nil {
		return engram.Errorf(engram.CodeUnavailable, "cannot keep past searches").WithCause(err)
	}
	return nil
}
