// Package command is the floor of every command: Program, the state of one run, which opens the engine, finds the
// project, asks, prints answers as text or JSON, and turns errors into exit codes; and the arguments, flags and
// phrases that several families share.
//
// A command decodes its arguments, calls one operation of the engine and prints the answer. Answers go to stdout,
// warnings and errors to stderr. Text from memories never reaches the terminal with control characters.
package command

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Options are the inputs of a run. Stdin, Stdout and Stderr are required; colours and questions depend on
// whether they are terminals.
type Options struct {
	Args           []string                    // without the program's name
	Env            func(string) (string, bool) // nil is the environment of the process
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string // selects the project; "" is the working directory
	Version        string // "dev" for a build from source
	Built          string // day of the source, 2006-01-02; "" if unknown
	// EndBySignal makes SIGINT end a process that was started with it ignored; nil leaves it so.
	EndBySignal func()
}

// Program is the state of one run.
type Program struct {
	Options
	Out, Err terminal.Paint

	DataDir, Project, colour string // global flags
	JSON                     bool

	Loaded *config.Config
	App    *app.App
	input  io.Reader     // reads Stdin
	lines  *bufio.Reader // buffers input, from the first question on
}

// UntilEnded returns the context of a command that runs until a signal ends it.
func (p *Program) UntilEnded(cmd *cobra.Command) context.Context {
	if p.EndBySignal != nil {
		p.EndBySignal()
	}
	return cmd.Context()
}

// New returns the state of a run that ctx ends.
func New(ctx context.Context, o Options) *Program {
	if o.Env == nil {
		o.Env = config.Environment
	}
	p := &Program{Options: o, colour: "auto", input: input{ctx, o.Stdin}}
	p.takeColours()
	return p
}

// Config reads the settings once; the global flags and those of the command override them.
func (p *Program) Config(cmd *cobra.Command, flags ...string) (config.Config, error) {
	if p.Loaded != nil {
		return *p.Loaded, nil
	}
	from, err := p.Sources(cmd, flags...)
	if err != nil {
		return config.Config{}, err
	}
	c, err := config.Load(from)
	if err != nil {
		return c, err
	}
	p.Loaded = &c
	for _, r := range c.Ignored() {
		p.Warn(r.String())
	}
	return c, nil
}

// Sources returns where settings come from: the global flags and those of one command, the environment, the
// file.
func (p *Program) Sources(cmd *cobra.Command, flags ...string) (config.Sources, error) {
	given := map[string]string{}
	for _, name := range append(flags, "data-dir", "project") {
		if f := cmd.Flag(name); f != nil && f.Changed {
			given[strings.ReplaceAll(name, "-", "_")] = f.Value.String()
		}
	}
	if p.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return config.Sources{}, engram.Errorf(engram.CodeUnavailable, "the working directory no longer exists").
				WithHint("change to a folder that exists").WithCause(err)
		}
		p.Dir = dir
	}
	return config.Sources{Flags: given, Env: p.Env, Dir: p.Dir}, nil
}

// Open returns the engine. The database is opened by the first operation.
func (p *Program) Open(cmd *cobra.Command) (*engine.Engine, error) {
	return p.opened(cmd, true)
}

// With returns the RunE of a command that needs the engine.
func (p *Program) With(run func(*cobra.Command, *engine.Engine, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		e, err := p.Open(cmd)
		if err != nil {
			return err
		}
		return run(cmd, e, args)
	}
}

// WithRef is With for a command whose first argument names a memory.
func (p *Program) WithRef(run func(*cobra.Command, *engine.Engine, engram.Ref, []string) error) func(*cobra.Command, []string) error {
	return p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
		ref, err := engram.ParseRef(args[0])
		if err != nil {
			return err
		}
		return run(cmd, e, ref, args[1:])
	})
}

// OpenUnmapped is Open for commands that examine a possibly damaged database. Without memory mapping, which
// costs some milliseconds, unreadable pages are errors of the command.
func (p *Program) OpenUnmapped(cmd *cobra.Command) (*engine.Engine, error) {
	return p.opened(cmd, false)
}

func (p *Program) opened(cmd *cobra.Command, mapped bool) (*engine.Engine, error) {
	if p.App == nil {
		c, err := p.Config(cmd)
		if err != nil {
			return nil, err
		}
		CollectLate()
		p.App = app.New(app.Options{Config: c, Actor: "cli", Version: p.Version, Dir: p.Dir, Warm: true, Mapped: mapped, Try: isDryRun(cmd)})
	}
	return p.App.Engine, nil
}

// isDryRun reports whether --dry-run was given.
func isDryRun(cmd *cobra.Command) bool {
	f := cmd.Flag("dry-run")
	return f != nil && f.Value.String() == "true"
}

// ReadProject returns the project of a command that reads; "" for all projects. A project that was named must
// exist, so that a typing error does not look like an empty answer.
func (p *Program) ReadProject(cmd *cobra.Command, e *engine.Engine, all bool) (string, error) {
	return p.ReadProjectAt(cmd, e, all, time.Time{})
}

// ReadProjectAt is ReadProject for a command that reads a past state: the project must have existed at that
// time. The zero time is now.
func (p *Program) ReadProjectAt(cmd *cobra.Command, e *engine.Engine, all bool, at time.Time) (string, error) {
	if all {
		return "", nil
	}
	r := projects.ProjectRequest{Override: p.Loaded.Project, Dir: p.Dir, Lenient: true, AsOf: at}
	if p.ProjectGiven() {
		r.Explicit = p.Loaded.Project
	}
	in, err := e.ProjectFor(cmd.Context(), r)
	if err == nil && p.projectIgnored(in) {
		p.Warn(in.Warning)
	}
	return in.Name, err
}

// projectIgnored reports whether a project was set but another is used, because the name is invalid.
func (p *Program) projectIgnored(in projects.ProjectInForce) bool {
	return p.Loaded.Project != "" && in.Source != project.SourceOverride && in.Source != project.SourceExplicit
}

// WriteProject returns the project of a command that writes, creating it if it is new.
func (p *Program) WriteProject(cmd *cobra.Command, e *engine.Engine) (string, error) {
	in, err := e.ProjectFor(cmd.Context(), projects.ProjectRequest{
		Override: p.Loaded.Project, Dir: p.Dir, Lenient: true, Write: true,
	})
	if err == nil && in.Warning != "" && (in.Source != project.SourceBaseName || p.projectIgnored(in)) {
		p.Warn(in.Warning)
	}
	return in.Name, err
}

// Path returns a path that the user gave, relative to the folder of the program.
func (p *Program) Path(given string) string {
	if filepath.IsAbs(given) {
		return filepath.Clean(given)
	}
	return filepath.Join(p.Dir, given)
}

// ProjectGiven reports whether --project was given.
func (p *Program) ProjectGiven() bool {
	return p.Loaded.Origins["project"].Source == config.SourceFlag
}

// Zone returns how to print times.
func (p *Program) Zone() render.Options { return render.Options{Zone: p.Loaded.Timezone} }

// roomPercent is how far the heap of a command grows before the first collection, in percent of the runtime's
// minimum of 4 MiB: to 32 MiB.
const roomPercent = 800

// CollectLate delays the first garbage collection: most commands end before it, and it would cost a fifth of
// their time. Afterwards the usual target applies. Servers must not call it; GOGC has precedence.
func CollectLate() {
	const usual = 100
	if before := debug.SetGCPercent(roomPercent); before != usual {
		debug.SetGCPercent(before)
		return
	}
	onFirstCollection(func() { debug.SetGCPercent(usual) })
}

// onFirstCollection calls fn after the first garbage collection, on a goroutine of the runtime.
func onFirstCollection(fn func()) {
	type unused struct{ _ [64]byte }
	runtime.AddCleanup(new(unused), func(fn func()) { fn() }, fn)
}

// Strays names variables that look like settings but are not read.
func Strays() []string {
	return document.Each(config.Strays(config.Variables()), config.Stray.String)
}

// Self returns how to call this program; after go run it has no name that would work again.
func Self() string {
	if path, err := os.Executable(); err == nil && strings.Contains(path, "go-build") {
		return "go run ./cmd/engram"
	}
	return "engram"
}

// Where returns where to look for the data of other programs.
func (p *Program) Where() app.ForeignWhere {
	home, _ := p.Env("HOME")
	if home == "" {
		home, _ = p.Env("USERPROFILE") // Windows
	}
	return app.ForeignWhere{Home: home, Dir: p.Dir, Env: p.Env}
}
