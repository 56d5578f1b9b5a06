// Package cli is the command line: a file per command, one printer with a text and
// a JSON form (print_text.go, print_json.go) and one table of exit codes (exit.go).
//
// A command decodes its arguments, calls one verb of the engine and prints the
// answer. What was asked for goes to stdout, warnings and errors to stderr. Nothing
// that came out of a memory reaches the terminal with its control characters.
package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Options are what a process hands to the command line. Stdin, Stdout and Stderr are
// required; where one is a terminal, there is colour and a person to ask.
type Options struct {
	Args           []string                    // without the program's name
	Env            func(string) (string, bool) // nil is the environment of the process
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string // decides the project; "" is the working directory
	Version        string // "dev" for a build from source
	Built          string // the day of the source, 2006-01-02; "" when nobody knows
}

// Run executes one command and returns the exit code of the process.
func Run(ctx context.Context, o Options) int {
	if o.Env == nil {
		o.Env = config.Environment
	}
	p := &program{Options: o, colour: "auto", input: input{ctx, o.Stdin}}
	if isHook(o.Args) {
		p.runHook(ctx, o.Args[1:])
		return 0
	}
	p.takeColours()
	root := p.root()
	if len(o.Args) > 0 && strings.HasPrefix(o.Args[0], cobra.ShellCompRequestCmd) {
		p.completions(root)
	}
	// A nil slice would make cobra read the arguments of the process.
	root.SetArgs(listsLast(root, append([]string{}, o.Args...)))
	root.SetIn(o.Stdin)
	root.SetOut(o.Stdout)
	root.SetErr(o.Stderr)
	err := root.ExecuteContext(ctx)
	if p.app != nil {
		if closing := p.app.Close(); err == nil {
			err = closing
		}
	}
	return p.exitAfter(ctx, err)
}

// program is one run: what every command needs.
type program struct {
	Options
	out, err paint

	dataDir, project, colour string // global flags
	json                     bool

	loaded *config.Config
	app    *app.App
	input  io.Reader     // Stdin, to read from
	lines  *bufio.Reader // of it, once a question was asked
}

// config reads the settings once, with the global flags and those of one command on top.
func (p *program) config(cmd *cobra.Command, flags ...string) (config.Config, error) {
	if p.loaded != nil {
		return *p.loaded, nil
	}
	from, err := p.sources(cmd, flags...)
	if err != nil {
		return config.Config{}, err
	}
	c, err := config.Load(from)
	if err != nil {
		return c, err
	}
	p.loaded = &c
	for _, r := range c.Ignored() {
		p.warn(r.String())
	}
	return c, nil
}

// sources is where settings come from: the global flags and those of one command, the
// environment, the file.
func (p *program) sources(cmd *cobra.Command, flags ...string) (config.Sources, error) {
	given := map[string]string{}
	for _, name := range append(flags, "data-dir", "project") {
		if f := cmd.Flag(name); f != nil && f.Changed {
			given[strings.ReplaceAll(name, "-", "_")] = f.Value.String()
		}
	}
	if p.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return config.Sources{}, engram.Errorf(engram.CodeUnavailable, "the working directory does not exist any more").
				WithHint("change to a folder that exists").WithCause(err)
		}
		p.Dir = dir
	}
	return config.Sources{Flags: given, Env: p.Env, Dir: p.Dir}, nil
}

// open returns the engine. The database is opened by the first verb.
func (p *program) open(cmd *cobra.Command) (*engine.Engine, error) {
	return p.opened(cmd, true)
}

// with is the RunE of a command that works on the engine.
func (p *program) with(run func(*cobra.Command, *engine.Engine, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		e, err := p.open(cmd)
		if err != nil {
			return err
		}
		return run(cmd, e, args)
	}
}

// openDoubted is open for who looks whether the database is well: what the disk cannot
// read is an error of the command, at the cost of some milliseconds.
func (p *program) openDoubted(cmd *cobra.Command) (*engine.Engine, error) {
	return p.opened(cmd, false)
}

func (p *program) opened(cmd *cobra.Command, mapped bool) (*engine.Engine, error) {
	if p.app == nil {
		c, err := p.config(cmd)
		if err != nil {
			return nil, err
		}
		collectLate()
		p.app = app.New(app.Options{Config: c, Actor: "cli", Version: p.Version, Dir: p.Dir, Warm: true, Mapped: mapped, Try: tries(cmd)})
	}
	return p.app.Engine, nil
}

// tries reports a command that was asked to say what it would do.
func tries(cmd *cobra.Command) bool {
	f := cmd.Flag("dry-run")
	return f != nil && f.Value.String() == "true"
}

// readProject decides the project of a command that reads: all is every project. A
// project that was named must exist, so that a typing error is not an empty answer.
func (p *program) readProject(cmd *cobra.Command, e *engine.Engine, all bool) (string, error) {
	return p.readProjectAt(cmd, e, all, time.Time{})
}

// readProjectAt is readProject of a command that reads what there was at a time past: a
// name counts that was a project's then. The zero time is now.
func (p *program) readProjectAt(cmd *cobra.Command, e *engine.Engine, all bool, at time.Time) (string, error) {
	if all {
		return "", nil
	}
	r := engine.ProjectRequest{Override: p.loaded.Project, Dir: p.Dir, Lenient: true, AsOf: at}
	if p.loaded.Origins["project"].Source == config.SourceFlag {
		r.Explicit = p.loaded.Project
	}
	in, err := e.ProjectFor(cmd.Context(), r)
	if err == nil && p.unheeded(in) {
		p.warn(in.Warning)
	}
	return in.Name, err
}

// unheeded reports whether a project was set, and another counts because that can be no name.
func (p *program) unheeded(in engine.ProjectInForce) bool {
	return p.loaded.Project != "" && in.Source != project.SourceOverride && in.Source != project.SourceExplicit
}

// writeProject decides the project of a command that writes; a new name is made.
func (p *program) writeProject(cmd *cobra.Command, e *engine.Engine) (string, error) {
	in, err := e.ProjectFor(cmd.Context(), engine.ProjectRequest{
		Override: p.loaded.Project, Dir: p.Dir, Lenient: true, Write: true,
	})
	if err == nil && in.Warning != "" && (in.Source != project.SourceBaseName || p.unheeded(in)) {
		p.warn(in.Warning)
	}
	return in.Name, err
}

// zone is how times are shown.
func (p *program) zone() render.Options { return render.Options{Zone: p.loaded.Timezone} }

// text returns content given as an argument, or all of stdin for "-".
func (p *program) text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	p.awaitInput()
	// The engine refuses what is over its limit by name; this cap only keeps a pipe
	// that never ends from filling the memory.
	data, err := io.ReadAll(io.LimitReader(p.input, 16*engram.MaxContent))
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "standard input cannot be read").WithCause(err)
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}

// awaitInput says what a program waits for that reads what a person types: without it, it
// would seem to hang.
func (p *program) awaitInput() {
	if isTerminal(p.Stdin) && isTerminal(p.Stderr) {
		fmt.Fprintln(p.Stderr, p.err.dim("reading from the terminal; press Ctrl-D on an empty line to end"))
	}
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
