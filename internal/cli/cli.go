// Package cli is the command line: a file per kind of command, one printer with a text and a JSON form
// (print_text.go, print_json.go) and one table of exit codes (exit.go).
//
// A command decodes its arguments, calls one operation of the engine and prints the answer. Answers go to
// stdout, warnings and errors to stderr. Text from memories never reaches the terminal with control
// characters.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine"
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

// program is the state of one run.
type program struct {
	Options
	out, err paint

	dataDir, project, colour string // global flags
	json                     bool

	loaded *config.Config
	app    *app.App
	input  io.Reader     // reads Stdin
	lines  *bufio.Reader // buffers input, from the first question on
}

// config reads the settings once; the global flags and those of the command override them.
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

// sources returns where settings come from: the global flags and those of one command, the environment, the
// file.
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
			return config.Sources{}, engram.Errorf(engram.CodeUnavailable, "the working directory no longer exists").
				WithHint("change to a folder that exists").WithCause(err)
		}
		p.Dir = dir
	}
	return config.Sources{Flags: given, Env: p.Env, Dir: p.Dir}, nil
}

// open returns the engine. The database is opened by the first operation.
func (p *program) open(cmd *cobra.Command) (*engine.Engine, error) {
	return p.opened(cmd, true)
}

// with returns the RunE of a command that needs the engine.
func (p *program) with(run func(*cobra.Command, *engine.Engine, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		e, err := p.open(cmd)
		if err != nil {
			return err
		}
		return run(cmd, e, args)
	}
}

// withRef is with for a command whose first argument names a memory.
func (p *program) withRef(run func(*cobra.Command, *engine.Engine, engram.Ref, []string) error) func(*cobra.Command, []string) error {
	return p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
		ref, err := engram.ParseRef(args[0])
		if err != nil {
			return err
		}
		return run(cmd, e, ref, args[1:])
	})
}

// openUnmapped is open for commands that examine a possibly damaged database. Without memory mapping, which
// costs some milliseconds, unreadable pages are errors of the command.
func (p *program) openUnmapped(cmd *cobra.Command) (*engine.Engine, error) {
	return p.opened(cmd, false)
}

func (p *program) opened(cmd *cobra.Command, mapped bool) (*engine.Engine, error) {
	if p.app == nil {
		c, err := p.config(cmd)
		if err != nil {
			return nil, err
		}
		collectLate()
		p.app = app.New(app.Options{Config: c, Actor: "cli", Version: p.Version, Dir: p.Dir, Warm: true, Mapped: mapped, Try: isDryRun(cmd)})
	}
	return p.app.Engine, nil
}

// isDryRun reports whether --dry-run was given.
func isDryRun(cmd *cobra.Command) bool {
	f := cmd.Flag("dry-run")
	return f != nil && f.Value.String() == "true"
}

// readProject returns the project of a command that reads; "" for all projects. A project that was named must
// exist, so that a typing error does not look like an empty answer.
func (p *program) readProject(cmd *cobra.Command, e *engine.Engine, all bool) (string, error) {
	return p.readProjectAt(cmd, e, all, time.Time{})
}

// readProjectAt is readProject for a command that reads a past state: the project must have existed at that
// time. The zero time is now.
func (p *program) readProjectAt(cmd *cobra.Command, e *engine.Engine, all bool, at time.Time) (string, error) {
	if all {
		return "", nil
	}
	r := engine.ProjectRequest{Override: p.loaded.Project, Dir: p.Dir, Lenient: true, AsOf: at}
	if p.projectGiven() {
		r.Explicit = p.loaded.Project
	}
	in, err := e.ProjectFor(cmd.Context(), r)
	if err == nil && p.projectIgnored(in) {
		p.warn(in.Warning)
	}
	return in.Name, err
}

// projectIgnored reports whether a project was set but another is used, because the name is invalid.
func (p *program) projectIgnored(in engine.ProjectInForce) bool {
	return p.loaded.Project != "" && in.Source != project.SourceOverride && in.Source != project.SourceExplicit
}

// writeProject returns the project of a command that writes, creating it if it is new.
func (p *program) writeProject(cmd *cobra.Command, e *engine.Engine) (string, error) {
	in, err := e.ProjectFor(cmd.Context(), engine.ProjectRequest{
		Override: p.loaded.Project, Dir: p.Dir, Lenient: true, Write: true,
	})
	if err == nil && in.Warning != "" && (in.Source != project.SourceBaseName || p.projectIgnored(in)) {
		p.warn(in.Warning)
	}
	return in.Name, err
}

// path returns a path that the user gave, relative to the folder of the program.
func (p *program) path(given string) string {
	if filepath.IsAbs(given) {
		return filepath.Clean(given)
	}
	return filepath.Join(p.Dir, given)
}

// projectGiven reports whether --project was given.
func (p *program) projectGiven() bool {
	return p.loaded.Origins["project"].Source == config.SourceFlag
}

// zone returns how to print times.
func (p *program) zone() render.Options { return render.Options{Zone: p.loaded.Timezone} }

// text returns content given as an argument, or all of stdin for "-".
func (p *program) text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	p.awaitInput()
	// The engine rejects longer texts with a clear error; this cap only bounds the memory used for an endless
	// pipe.
	data, err := io.ReadAll(io.LimitReader(p.input, 16*engram.MaxContent))
	if err != nil {
		return "", engram.Errorf(engram.CodeUnavailable, "cannot read standard input").WithCause(err)
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}

// awaitInput tells a person at a terminal that the program is waiting for input, so that it does not seem to
// hang.
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

// The groups of commands, in the order of the help.
const (
	groupMemory  = "memory"
	groupWork    = "work"
	groupServe   = "serve"
	groupProgram = "program"
)

// root builds the whole tree. It reads nothing: help, version and completion work
// without a data directory.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "engram",
		Short: "Long-term memory for AI agents",
		Example: `engram save 'Auth model' 'Access tokens live 15 minutes, in an httpOnly cookie' --type decision
engram search how long do tokens live
engram serve`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show, _ := cmd.Flags().GetBool("version"); show {
				return p.version()
			}
			return p.home(cmd)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(p.help)
	root.SetHelpCommand(p.helpCommand())
	root.Flags().BoolP("version", "v", false, "print the version")
	root.PersistentFlags().StringVar(&p.dataDir, "data-dir", "", "`folder` of the database and config.toml (default ~/.engram)")
	root.PersistentFlags().StringVar(&p.project, "project", "", "project `name` (default: detected from the folder)")
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print JSON, errors too")
	root.PersistentFlags().Func("color", "`when` to use colour: auto (on a terminal, unless NO_COLOR is set), always or never", p.setColour)
	// Older designs, and JSON, write names with underscores.
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})

	root.AddGroup(
		&cobra.Group{ID: groupMemory, Title: "Memories"},
		&cobra.Group{ID: groupWork, Title: "Sessions and projects"},
		&cobra.Group{ID: groupServe, Title: "For agents"},
		&cobra.Group{ID: groupProgram, Title: "This program"},
	)
	for group, commands := range map[string][]*cobra.Command{
		groupMemory: {p.saveCommand(), p.searchCommand(), p.recallCommand(), p.contextCommand(), p.getCommand(), p.listCommand(), p.recentCommand(),
			p.timelineCommand(), p.updateCommand(), p.markCommand(), p.decayCommand(), p.reviewCommand(), p.tagCommand(), p.linkCommand(), p.unlinkCommand(), p.graphCommand(), p.deleteCommand(), p.historyCommand(), p.restoreCommand(), p.logCommand(), p.undoCommand(), p.topicCommand(), p.captureCommand(), p.ingestCommand(), p.backfillCommand(), p.exportCommand(), p.importCommand(), p.syncCommand(), p.obsidianCommand(), p.migrateCommand(), p.conflictsCommand(), p.sleepCommand(), p.pruneCommand(), p.reembedCommand()},
		groupWork:    {p.sessionCommand(), p.whyCommand(), p.promptCommand(), p.projectsCommand(), p.statsCommand(), p.metricsCommand()},
		groupServe:   {p.serveCommand(), p.startCommand(), p.stopCommand(), p.restartCommand(), p.statusCommand(), p.mcpCommand(), p.hookCommand(), p.offCommand(), p.onCommand(), p.demoCommand()},
		groupProgram: {p.setupCommand(), p.configCommand(), p.doctorCommand(), p.diagnosticsCommand(), p.evalCommand(), p.versionCommand(), p.completionCommand(), p.manCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	return root
}

// examples joins the lines of an Example, each a command to copy.
func examples(lines ...string) string { return strings.Join(lines, "\n") }

// flagAlias adds a hidden alias of a flag: the name used by another command or an older design.
func flagAlias(cmd *cobra.Command, name, also string) {
	f := *cmd.Flags().Lookup(name)
	f.Name, f.Hidden, f.Shorthand = also, true, ""
	cmd.Flags().AddFlag(&f)
}

// group returns a command that only has subcommands.
func group(use, short, example string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Example: example, Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return invalidf("%s needs a subcommand", cmd.Name()).WithHint("use one of %s; run: %s --help", strings.Join(names, ", "), cmd.CommandPath())
		},
	}
	c.AddCommand(subs...)
	return c
}

// ask asks a person at the terminal, or reads the next line of piped input, and returns the answer trimmed
// and in lower case; "" at the end of input. If no answer is possible, the error names the flag to use
// instead.
func (p *program) ask(question, instead string) (string, error) {
	answer, _, err := p.askOrEnd(question, instead)
	return answer, err
}

// askOrEnd is ask for questions to which Enter is an answer: ended distinguishes it from the end of input.
func (p *program) askOrEnd(question, instead string) (answer string, ended bool, err error) {
	// If piped input ends between two questions, the second is answered with no.
	if first := p.lines == nil; p.json || first && !p.canAnswer() {
		return "", false, engram.Errorf(engram.CodeInvalid, "cannot ask for confirmation: standard input is not a terminal").
			WithHint("give %s", instead)
	}
	there := p.someoneThere()
	if there {
		fmt.Fprintf(p.Stderr, "%s ", p.err.bold(render.Fold(question, "", p.columnsOf(p.Stderr))))
	}
	line, err := p.answers().ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(line))
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(p.Stderr)
		return "", false, err
	case !there: // no terminal has echoed the answer
		fmt.Fprintln(p.Stderr, render.Plain(strings.TrimSpace(question+" "+answer)))
	case err != nil: // the end of input counts as no
		fmt.Fprintln(p.Stderr)
	}
	return answer, err != nil, nil
}

// answers returns the one reader of all answers, which may have buffered more than one line.
func (p *program) answers() *bufio.Reader {
	if p.lines == nil {
		p.lines = bufio.NewReader(p.input)
	}
	return p.lines
}

// someoneThere reports whether a person can be asked again. Otherwise piped input holds all answers, and an
// invalid one is an error.
func (p *program) someoneThere() bool { return isTerminal(p.Stdin) }

// canAnswer reports whether a question can be answered, by a person or by piped input.
func (p *program) canAnswer() bool {
	if p.json || p.someoneThere() {
		return !p.json
	}
	_, err := p.answers().Peek(1)
	return err == nil
}

// confirm asks a yes-or-no question; with yes it returns true without asking.
func (p *program) confirm(yes bool, question string) (bool, error) {
	if yes {
		return true, nil
	}
	answer, err := p.ask(question+" [y/N]", "--yes, or --dry-run to preview")
	return answer == "y" || answer == "yes", err
}

// programDoc is the answer of `version --json`.
type programDoc struct {
	Version string `json:"version"` // "dev" for a build from source
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: examples("engram version"),
		Args:    between(0, 0),
		RunE:    func(*cobra.Command, []string) error { return p.version() },
	}
}

func (p *program) version() error {
	return p.answer(programDoc{p.Version}, func(b *strings.Builder) { fmt.Fprintf(b, "engram %s\n", p.Version) })
}

// roomPercent is how far the heap of a command grows before the first collection, in percent of the runtime's
// minimum of 4 MiB: to 32 MiB.
const roomPercent = 800

// collectLate delays the first garbage collection: most commands end before it, and it would cost a fifth of
// their time. Afterwards the usual target applies. Servers must not call it; GOGC has precedence.
func collectLate() {
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

// Interrupted is the cause of a context that a signal of this number cancelled.
type Interrupted syscall.Signal

// Error implements error.
func (Interrupted) Error() string { return "interrupted" }

// ExitCode returns the shells' exit code for a process ended by the signal.
func (s Interrupted) ExitCode() int { return 128 + int(s) }

// exitAfter reports err and returns the exit code; for an interrupted command that of the signal. A command
// that returns no error, such as a stopped server, has not failed.
func (p *program) exitAfter(ctx context.Context, err error) int {
	by, interrupted := errors.AsType[Interrupted](context.Cause(ctx))
	if err == nil || !interrupted {
		return p.exit(err)
	}
	if errors.Is(err, context.Canceled) {
		err = by
	}
	p.exit(err)
	return by.ExitCode()
}

// input is standard input whose reads end when ctx is done.
type input struct {
	ctx context.Context
	in  io.Reader
}

// Read implements io.Reader.
func (r input) Read(b []byte) (int, error) {
	type read struct {
		n   int
		err error
	}
	own := make([]byte, len(b)) // b must not be written after Read returns
	done := make(chan read, 1)
	go func() {
		n, err := r.in.Read(own)
		done <- read{n, err}
	}()
	select {
	case got := <-done:
		return copy(b, own[:got.n]), got.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}
