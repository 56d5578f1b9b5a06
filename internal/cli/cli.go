// Package cli is the command line: it assembles the tree of the families' commands, and shows a page when it is called
// without arguments. Completion is in complete; help, manual pages and suggestions for mistyped words are in help.
//
// A family is a package of commands that share words and helpers: memory, browse, review, sync, move, setup,
// settings, serve, upkeep and demo. Families stand on command and terminal, and never import each other.
package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/browse"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/complete"
	"github.com/alanbuscaglia/engram/internal/cli/demo"
	"github.com/alanbuscaglia/engram/internal/cli/help"
	"github.com/alanbuscaglia/engram/internal/cli/memory"
	"github.com/alanbuscaglia/engram/internal/cli/move"
	"github.com/alanbuscaglia/engram/internal/cli/review"
	"github.com/alanbuscaglia/engram/internal/cli/serve"
	"github.com/alanbuscaglia/engram/internal/cli/settings"
	"github.com/alanbuscaglia/engram/internal/cli/setup"
	"github.com/alanbuscaglia/engram/internal/cli/sync"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/cli/upkeep"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Run executes one command and returns the exit code of the process.
func Run(ctx context.Context, o command.Options) int {
	p := command.New(ctx, o)
	if args, is := serve.HookArgs(o.Args); is {
		serve.RunHook(ctx, p, args)
		return 0
	}
	root := treeFor(p, o.Args)
	if len(o.Args) > 0 && strings.HasPrefix(o.Args[0], cobra.ShellCompRequestCmd) {
		complete.Register(p, root)
	}
	// A nil slice would make cobra read the arguments of the process.
	root.SetArgs(help.ListsLast(root, append([]string{}, o.Args...)))
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

// treeFor returns the tree for one command line: of the one command that it names, or else the whole one, since help,
// completion and suggestions need that.
func treeFor(p *command.Program, args []string) *cobra.Command {
	root := rootOf(p)
	add(p, root, slices.DeleteFunc(families(), func(m command.Maker) bool { return !m.Named(args) }))
	if cmd, _, err := root.Find(args); err == nil && cmd != root {
		return root
	}
	return newRoot(p)
}

// newRoot builds the whole tree. It reads nothing: help, version and completion work without a data directory.
func newRoot(p *command.Program) *cobra.Command {
	root := rootOf(p)
	add(p, root, append(families(),
		command.In(command.GroupProgram, "completion", func(*command.Program) *cobra.Command { return complete.Command() }),
		command.In(command.GroupProgram, "man", help.ManCommand)))
	return root
}

// add makes commands of root; one without Args takes those of its usage line.
func add(p *command.Program, root *cobra.Command, makers []command.Maker) {
	for _, m := range makers {
		cmd := m.Make(p)
		cmd.GroupID = m.Group
		root.AddCommand(cmd)
	}
	command.ForEach(root, func(c *cobra.Command) {
		if c.Args == nil {
			c.Args = command.Arguments
		}
	})
}

// families returns the commands that need no others beside them.
func families() []command.Maker {
	return slices.Concat(memory.Commands(), browse.Commands(), review.Commands(), move.Commands(), upkeep.Commands(), serve.Commands(), settings.Commands(), demo.Commands(), []command.Maker{
		command.In(command.GroupMemory, "sync", func(p *command.Program) *cobra.Command { return sync.Command(p, review.PendingCommands(p)...) }),
		command.In(command.GroupProgram, "setup", func(p *command.Program) *cobra.Command { return setup.Command(p, serve.ServiceCommand(p)) }),
		command.In(command.GroupProgram, "store", func(p *command.Program) *cobra.Command {
			return memory.StoreCommand(p, move.StoreMoveCommand(p))
		}),
		command.In(command.GroupProgram, "version", versionCommand),
	})
}

// rootOf returns the program without its commands.
func rootOf(p *command.Program) *cobra.Command {
	root := &cobra.Command{
		Use:   "engram",
		Short: "Long-term memory for AI agents",
		Example: `engram save 'Auth model' 'Access tokens live 15 minutes, in an httpOnly cookie' --type decision
engram search how long do tokens live
engram serve`,
		Args: help.UnknownCommand,
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
	root.SetFlagErrorFunc(help.FlagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help.Write(p, cmd, false) })
	root.SetHelpCommand(help.Command(p))
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

// homeDoc is the answer of `engram` without arguments.
type homeDoc struct {
	Version  string       `json:"version"`
	Database string       `json:"database"`
	Exists   bool         `json:"exists"`  // the database exists
	Project  string       `json:"project"` // project of the folder; "" if it has no memories yet
	Memories int          `json:"memories"`
	Projects int          `json:"projects"`
	Agents   bool         `json:"agents"`  // an agent has written over MCP
	Pending  int          `json:"pending"` // contradictions without a verdict
	Due      int          `json:"due"`     // memories due for review, at most 100
	Server   string       `json:"server"`  // http://HOST:PORT of the running server of this data directory; "" for none
	Off      serve.OffDoc `json:"off"`     // where agents are switched off
	Next     []nextDoc    `json:"next"`    // suggestions, the most urgent first

	names   []string // project names
	earlier string   // database of an earlier Engram elsewhere; "" for none, or if there are memories
}

// nextDoc is a suggestion.
type nextDoc struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// homeDue is the highest number of due memories that is counted.
const homeDue = 100

// home prints the state of the store and suggestions. It creates no database.
func home(p *command.Program, cmd *cobra.Command) error {
	e, err := p.Open(cmd)
	if err != nil {
		return err
	}
	doc := homeDoc{Version: p.Version, Database: p.Loaded.Place(), Exists: app.Exists(*p.Loaded)}
	if doc.Exists {
		if err := doc.look(cmd.Context(), e); err != nil {
			return err
		}
		if name, err := p.ReadProject(cmd, e, false); err == nil && slices.Contains(doc.names, name) {
			doc.Project = name
		}
	}
	if s, err := serve.Control(p, *p.Loaded).Look(); err == nil { // status reports the error
		doc.Server = s.URL
	}
	doc.Off = serve.OffOf(p.App.OffState())
	if doc.Memories == 0 {
		if found, _ := app.ForeignPlaces("engram", p.Where()); len(found) > 0 {
			doc.earlier = found[0]
		}
	}
	doc.Next = doc.advice(command.Self())
	return p.Answer(doc, func(b *strings.Builder) { writeHome(b, doc, p.Columns()) })
}

func (d *homeDoc) look(ctx context.Context, e *engine.Engine) error {
	s, err := e.Stats(ctx, "")
	if err != nil {
		return err
	}
	d.Memories, d.Projects, d.names = s.Memories, len(s.Projects), s.Projects
	if d.Memories == 0 {
		return nil
	}
	if _, d.Pending, err = e.Conflicts(ctx, relate.ConflictFilter{Status: engram.RelationPending, Page: engram.Page{Limit: 1}}); err != nil {
		return err
	}
	due, err := e.Reviews(ctx, "", engram.Page{Limit: homeDue})
	if err != nil {
		return err
	}
	d.Due = len(due)
	entries, _, err := e.Log(ctx, read.LogInput{Actor: "mcp", Page: engram.Page{Limit: 1}})
	d.Agents = len(entries) > 0
	return err
}

// advice returns suggestions for the current state; self is the command line of this program.
func (d *homeDoc) advice(self string) (next []nextDoc) {
	add := func(what, line string) { next = append(next, nextDoc{what, self + " " + line}) }
	if d.Off.Everything {
		add("switch agents on again", "on")
	}
	if d.Pending > 0 {
		add(fmt.Sprintf("judge %s", command.Count(d.Pending, "contradiction", "contradictions")), "conflicts list --status pending --all-projects")
	}
	if d.Due > 0 {
		many := command.Count(d.Due, "memory", "memories")
		if d.Due == homeDue {
			many += " or more"
		}
		add("review "+many, "review --all-projects")
	}
	if d.earlier != "" {
		add("import the data of an earlier Engram", strings.TrimPrefix(engram.Call{"migrate", d.earlier}.String(), "engram "))
	}
	if d.Memories == 0 {
		add("save a memory", "save 'Auth model' 'Tokens live 15 minutes'")
	} else {
		add("ask a question", "search how long do tokens live")
	}
	if !d.Agents {
		add("connect your agents", "setup")
		add("serve memories over HTTP", "serve")
	} else {
		add("see what a session starts with", "context")
	}
	if d.Memories == 0 {
		add("watch two sessions share one", "demo")
	}
	add("see every command", "--help")
	return next
}

// writeHome writes the state and the suggestions. Commands stay whole so that they can be copied: on a narrow
// terminal on lines of their own.
func writeHome(b *strings.Builder, doc homeDoc, columns int) {
	if doc.Memories > 0 {
		fmt.Fprintln(b, render.Fold(fmt.Sprintf("Engram remembers %s of %s in %s", command.Count(doc.Memories, "memory", "memories"),
			command.Count(doc.Projects, "project", "projects"), doc.Database), "", columns))
		where := "Nothing is remembered for this folder yet."
		if doc.Project != "" {
			where = "This folder is project " + render.Line(doc.Project, 0) + "."
		}
		fmt.Fprintln(b, render.Fold(where, "", columns))
	} else {
		fmt.Fprintln(b, render.Fold("Engram is a memory for AI agents. There are no memories yet in "+doc.Database, "", columns))
	}
	if doc.Server != "" {
		fmt.Fprintf(b, "A server listens on %s\n", doc.Server)
	}
	if off := doc.Off.Line(); off != "" {
		fmt.Fprintln(b, render.Fold(off, "", columns))
	}
	b.WriteString("\nNext:\n")
	what, longest := 0, 0
	for _, n := range doc.Next {
		what, longest = max(what, terminal.Width(n.What)), max(longest, terminal.Width(n.Command))
	}
	beside := columns == 0 || 2+what+2+longest <= columns
	for _, n := range doc.Next {
		if beside {
			fmt.Fprintf(b, "  %-*s  %s\n", what, n.What, n.Command)
		} else {
			fmt.Fprintf(b, "  %s\n    %s\n", n.What, n.Command)
		}
	}
}
