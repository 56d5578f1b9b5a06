// Package cli is the command line. It assembles the tree of the families' commands and holds what concerns all of
// them: help and manual pages (help.go), completion, suggestions for mistyped words, and the page that engram
// shows without arguments (home.go).
//
// A family is a package of commands that share words and helpers: memory, review, sync, move, setup, serve, upkeep
// and demo. Families stand on command and terminal, and never import each other.
package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/demo"
	"github.com/alanbuscaglia/engram/internal/cli/memory"
	"github.com/alanbuscaglia/engram/internal/cli/move"
	"github.com/alanbuscaglia/engram/internal/cli/review"
	"github.com/alanbuscaglia/engram/internal/cli/serve"
	"github.com/alanbuscaglia/engram/internal/cli/setup"
	"github.com/alanbuscaglia/engram/internal/cli/sync"
	"github.com/alanbuscaglia/engram/internal/cli/upkeep"
)

// Run executes one command and returns the exit code of the process.
func Run(ctx context.Context, o command.Options) int {
	p := command.New(ctx, o)
	if serve.IsHook(o.Args) {
		serve.RunHook(ctx, p, o.Args[1:])
		return 0
	}
	root := newRoot(p)
	if len(o.Args) > 0 && strings.HasPrefix(o.Args[0], cobra.ShellCompRequestCmd) {
		completions(p, root)
	}
	// A nil slice would make cobra read the arguments of the process.
	root.SetArgs(listsLast(root, append([]string{}, o.Args...)))
	root.SetIn(o.Stdin)
	root.SetOut(o.Stdout)
	root.SetErr(o.Stderr)
	err := root.ExecuteContext(ctx)
	if p.App != nil {
		if closing := p.App.Close(); err == nil {
			err = closing
		}
	}
	return exitAfter(ctx, p, err)
}

// newRoot builds the whole tree; a command without Args takes those of its usage line. It reads nothing: help, version and completion work
// without a data directory.
func newRoot(p *command.Program) *cobra.Command {
	root := &cobra.Command{
		Use:   "engram",
		Short: "Long-term memory for AI agents",
		Example: `engram save 'Auth model' 'Access tokens live 15 minutes, in an httpOnly cookie' --type decision
engram search how long do tokens live
engram serve`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show, _ := cmd.Flags().GetBool("version"); show {
				return version(p)
			}
			return home(p, cmd)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { writeHelp(p, cmd, false) })
	root.SetHelpCommand(helpCommand(p))
	root.Flags().BoolP("version", "v", false, "print the version")
	root.PersistentFlags().StringVar(&p.DataDir, "data-dir", "", "`folder` of the database and config.toml (default ~/.engram)")
	root.PersistentFlags().StringVar(&p.Project, "project", "", "project `name` (default: detected from the folder)")
	root.PersistentFlags().BoolVar(&p.JSON, "json", false, "print JSON, errors too")
	root.PersistentFlags().Func("color", "`when` to use colour: auto (on a terminal, unless NO_COLOR is set), always or never", p.SetColour)
	// Older designs, and JSON, write names with underscores.
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})

	root.AddGroup(
		&cobra.Group{ID: command.GroupMemory, Title: "Memories"},
		&cobra.Group{ID: command.GroupWork, Title: "Sessions and projects"},
		&cobra.Group{ID: command.GroupServe, Title: "For agents"},
		&cobra.Group{ID: command.GroupProgram, Title: "This program"},
	)
	for _, family := range [][]*cobra.Command{
		memory.Commands(p), review.Commands(p), sync.Commands(p, review.PendingCommands(p)...), move.Commands(p), upkeep.Commands(p),
		serve.Commands(p), setup.Commands(p, serve.ServiceCommand(p)), demo.Commands(p),
		command.InGroup(command.GroupProgram, versionCommand(p), completionCommand(), manCommand(p)),
	} {
		root.AddCommand(family...)
	}
	forEach(root, func(c *cobra.Command) {
		if c.Args == nil {
			c.Args = command.Arguments
		}
	})
	return root
}

// programDoc is the answer of `version --json`.
type programDoc struct {
	Version string `json:"version"` // "dev" for a build from source
}

func versionCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: command.Examples("engram version"),
		RunE:    func(*cobra.Command, []string) error { return version(p) },
	}
}

func version(p *command.Program) error {
	return p.Answer(programDoc{p.Version}, func(b *strings.Builder) { fmt.Fprintf(b, "engram %s\n", p.Version) })
}

// Interrupted is the cause of a context that a signal of this number cancelled.
type Interrupted syscall.Signal

// Error implements error.
func (Interrupted) Error() string { return "interrupted" }

// ExitCode returns the shells' exit code for a process ended by the signal.
func (s Interrupted) ExitCode() int { return 128 + int(s) }

// exitAfter reports err and returns the exit code; for an interrupted command that of the signal. A command
// that returns no error, such as a stopped server, has not failed.
func exitAfter(ctx context.Context, p *command.Program, err error) int {
	by, interrupted := errors.AsType[Interrupted](context.Cause(ctx))
	if err == nil || !interrupted {
		return p.Exit(err)
	}
	if errors.Is(err, context.Canceled) {
		err = by
	}
	p.Exit(err)
	return by.ExitCode()
}
