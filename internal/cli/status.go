package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// serverDoc is a server of a data directory.
type serverDoc struct {
	Running    bool           `json:"running"`
	Answers    bool           `json:"answers"`    // it could be asked
	Background bool           `json:"background"` // nobody watches it in a terminal
	PID        int            `json:"pid"`        // 0: none
	Address    string         `json:"address"`    // http://HOST:PORT; "" where none runs, and while it starts
	Since      document.Stamp `json:"since"`      // null: none runs
	Version    string         `json:"version"`    // of the server
	Same       bool           `json:"same"`       // it is the very program that was asked; only such a one searches for commands
	Memories   *int           `json:"memories"`   // live ones; null where it does not answer
	Database   string         `json:"database"`
	Log        string         `json:"log"`         // file it logs to; "" for standard error
	LeftBehind int            `json:"left_behind"` // process of the last one, if it ended without a word; else 0
}

// statusDoc is the answer of `status`.
type statusDoc struct {
	serverDoc
	Off      offDoc   `json:"off"`      // what agents are switched off for
	Settings []string `json:"settings"` // values of settings that do not count, and what does instead
}

func (p *program) serverOf(s app.Server) serverDoc {
	d := serverDoc{Running: s.Running, Answers: s.Answers, Background: s.Background, PID: s.PID, Address: s.URL, Version: s.Version, Same: s.Same,
		Database: s.Database, Log: s.Log, LeftBehind: s.LeftBehind}
	if s.Running {
		d.Since = document.Stamp(s.Since)
	}
	if s.Answers {
		d.Memories = &s.Memories
	}
	return d
}

func (p *program) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show whether a server is running, and where",
		Long: `Show whether a server of this data directory is running, in the background or in a terminal: its address, start time and
number of memories, and whether Engram is switched off for agents. The exit code is 0 if a server is running, 3 if not,
and 5 if it does not answer.`,
		Example: examples("engram status", "engram status --json"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.config(cmd)
			if err != nil {
				return err
			}
			s, err := p.control(c).Status(cmd.Context())
			if err != nil {
				return err
			}
			if _, err := p.open(cmd); err != nil {
				return err
			}
			if s.Running && !s.Answers {
				p.warnEarlier(cmd.Context()) // which may be why
			}
			off := offOf(p.app.OffState())
			ignored := document.Each(c.Ignored(), config.Remark.String)
			if err := p.answer(statusDoc{p.serverOf(s), off, document.OrEmpty(ignored)}, func(b *strings.Builder) {
				p.writeServer(b, c.DataDir, s)
				if line := off.line(); line != "" {
					fmt.Fprintln(b, "  "+line)
				}
				for _, line := range ignored {
					fmt.Fprintln(b, fold("  Setting        "+render.Line(line, 0), strings.Repeat(" ", 17), p.columns()))
				}
			}); err != nil {
				return err
			}
			switch {
			case !s.Running:
				return exitWith(3)
			case !s.Answers:
				return exitWith(5)
			}
			return nil
		},
	}
}

func (p *program) writeServer(b *strings.Builder, dir string, s app.Server) {
	if !s.Running {
		fmt.Fprintf(b, "No server of %s is running.\n", dir)
		if s.LeftBehind != 0 {
			fmt.Fprintf(b, "  The last one (process %d) ended unexpectedly; its log is %s\n", s.LeftBehind, s.Log)
		}
		fmt.Fprintf(b, "  %s start       start one in the background\n", p.self())
		return
	}
	where := "in a terminal"
	if s.Background {
		where = "in the background"
	}
	switch {
	case s.URL == "":
		fmt.Fprintf(b, "Engram %s is starting %s (process %d)\n", s.Version, where, s.PID)
	case !s.Answers:
		fmt.Fprintf(b, "Engram %s is running %s on %s (process %d), but does not answer\n", s.Version, where, s.URL, s.PID)
	default:
		fmt.Fprintf(b, "Engram %s is running %s on %s (process %d)\n", s.Version, where, s.URL, s.PID)
	}
	if !s.Since.IsZero() {
		fmt.Fprintf(b, "  Since          %s\n", render.Time(s.Since, p.zone()))
	}
	if s.Answers {
		fmt.Fprintf(b, "  Memories       %d\n", s.Memories)
	}
	fmt.Fprintf(b, "  Database       %s\n", s.Database)
	if s.Log != "" {
		fmt.Fprintf(b, "  Log            %s\n", s.Log)
	}
	if !s.Same && s.Version != "" {
		fmt.Fprintf(b, "  It runs another program file (%s); to switch to this one: engram restart\n", p.Version)
	}
}
