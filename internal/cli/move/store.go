package move

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/config"
)

// StoreMovedDoc is the answer of `store move`.
type StoreMovedDoc struct {
	From      string `json:"from"` // without a password
	To        string `json:"to"`   // likewise
	Memories  int    `json:"memories"`
	Prompts   int    `json:"prompts"`
	Sessions  int    `json:"sessions"`
	Relations int    `json:"relations"`
	Entries   int    `json:"entries"` // of the journal
	Resumed   bool   `json:"resumed"` // an earlier move was interrupted
	Set       bool   `json:"set"`     // config.toml names the new store
}

// StoreMoveCommand returns `store move`.
func StoreMoveCommand(p *command.Program) *cobra.Command {
	var space string
	var only bool
	cmd := &cobra.Command{
		Use:   "move ADDRESS|file|-",
		Short: "Move all memories between the file and a Postgres database",
		Long: `Move everything to another store and set it in config.toml: memories with their versions, numbers, marks and relations,
prompts, sessions, what was forgotten, and the journal with which engram undo works. ADDRESS is like
postgres://USER@HOST:5432/DATABASE; - reads it from standard input, which keeps a password out of the shell history.
file moves back into the file. The other store must be empty. The old one stays as it is.

An interrupted move goes on where it was when the command is run again. Other programs cannot save meanwhile; end those
that use the old store first, and start them again afterwards.

With --only-copy the settings stay as they are.`,
		Example: command.Examples("engram store move postgres://me@db.example.org/team", "engram store move - --space 5f0c3f4e-5d0a-4b8e-9a39-0c1d2e3f4a5b < address.txt", "engram store move file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := p.Text(args[0])
			if err != nil {
				return err
			}
			return moveStore(p, cmd, strings.TrimSpace(to), space, only)
		},
	}
	cmd.Flags().StringVar(&space, "space", "", "`UUID` of the space in that database (default: that of the settings)")
	cmd.Flags().BoolVar(&only, "only-copy", false, "leave the settings as they are")
	return cmd
}

func moveStore(p *command.Program, cmd *cobra.Command, store, space string, only bool) error {
	if _, err := p.OpenUnmapped(cmd); err != nil {
		return err
	}
	c := *p.Loaded
	to, err := c.WithStore(store, space)
	if err != nil {
		return err
	}
	if s, err := (app.Control{Config: c, Version: p.Version}).Look(); err == nil && s.Running {
		return engram.Errorf(engram.CodeConflict, "a server uses the store (process %d)", s.PID).WithHint("{stop} ends it; start it again afterwards")
	}
	bar := p.Progress("moving")
	res, err := p.App.MoveStore(cmd.Context(), to, bar.Report)
	bar.End()
	if err != nil {
		return err
	}
	doc := StoreMovedDoc{From: c.Place(), To: to.Place(), Memories: res.Memories, Prompts: res.Prompts, Sessions: res.Sessions, Relations: res.Relations,
		Entries: res.Entries, Resumed: res.Resumed}
	if !only {
		if err := setStore(p, c, to); err != nil {
			return err
		}
		doc.Set = true
	}
	return p.Answer(doc, func(b *strings.Builder) { writeStoreMoved(b, doc) })
}

// setStore writes the new store into config.toml, and warns of what overrides it.
func setStore(p *command.Program, c, to config.Config) error {
	for _, key := range []struct{ name, value string }{{"space", to.Space}, {"store", to.Store}} {
		if !to.OnServer() { // the default
			if _, err := config.Unset(c.Path, key.name); err != nil {
				return err
			}
		} else if _, err := config.Set(c.Path, key.name, key.value); err != nil {
			return err
		}
		if k, err := config.Named(key.name); err == nil && k.Hides(p.Env) != "" {
			p.WarnBeside(k.Hides(p.Env) + " is given and overrides config.toml: change it, too")
		}
	}
	return nil
}

func writeStoreMoved(b *strings.Builder, d StoreMovedDoc) {
	fmt.Fprintf(b, "Moved %s, %s, %s, %s and %s of the journal\n  from %s\n  to   %s\n", command.Count(d.Memories, "memory", "memories"), command.Count(d.Relations, "relation", "relations"),
		command.Count(d.Sessions, "session", "sessions"), command.Count(d.Prompts, "prompt", "prompts"), command.Count(d.Entries, "entry", "entries"), d.From, d.To)
	if d.Set {
		fmt.Fprintln(b, "The new store is set. The old one was left as it is; restart the programs that still use it.")
	} else {
		fmt.Fprintln(b, "The settings still name the old store.")
	}
}
