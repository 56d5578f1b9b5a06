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
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
		dryRun := cmd.Flag("dry-run")
		p.App = app.New(app.Options{Config: c, Actor: "cli", Version: p.Version, Dir: p.Dir, Warm: true, Mapped: mapped, Try: dryRun != nil && dryRun.Value.String() == "true"})
	}
	return p.App.Engine, nil
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

// laterPercent is how far it grows after that: a command that goes on moves many memories and keeps little of them.
// Import takes a tenth less CPU than with the usual 100, and a tenth more memory.
const laterPercent = 200

// CollectLate delays the first garbage collection: most commands end before it, and it would cost a fifth of
// their time. Afterwards the heap may grow by laterPercent. Servers must not call it; GOGC has precedence.
func CollectLate() {
	const usual = 100
	if before := debug.SetGCPercent(roomPercent); before != usual {
		debug.SetGCPercent(before)
		return
	}
	// The first collection finds this unused, and calls the function on a goroutine of the runtime.
	type unused struct{ _ [64]byte }
	runtime.AddCleanup(new(unused), func(later int) { debug.SetGCPercent(later) }, laterPercent)
}

// headroom returns how many bytes the heap of a server may grow between collections. Where little is in use it is more:
// that takes less CPU, and the whole stays within what a larger store needs.
func headroom(live uint64) uint64 { return max(17<<20-min(live/3, 17<<20), 3<<20+live/8) }

// CollectSteadily lets a server collect garbage by what a few questions leave behind instead of by what it keeps: most
// of that are numbers and texts, which cost no collection anything, so that a large store needs no heap of twice its
// size and a small one fewer collections. GOGC has precedence.
func CollectSteadily() {
	if usual := debug.SetGCPercent(100); usual != 100 {
		debug.SetGCPercent(usual)
		return
	}
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent := 100
	type unused struct{ _ [64]byte }
	var collected func(int)
	collected = func(int) { // after each collection, on a goroutine of the runtime
		metrics.Read(sample)
		live := max(sample[0].Value.Uint64(), 4<<20) // of less, any other percentage would be wrong a moment later
		want := int(headroom(live) * 100 / live)
		if want < percent*9/10 || want > percent*11/10 { // a change stops all goroutines
			percent = want
			debug.SetGCPercent(percent)
		}
		runtime.AddCleanup(new(unused), collected, 0)
	}
	runtime.AddCleanup(new(unused), collected, 0)
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

// Text returns content given as an argument, or all of stdin for "-".
func (p *Program) Text(arg string) (string, error) {
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
func (p *Program) awaitInput() {
	if terminal.Is(p.Stdin) && terminal.Is(p.Stderr) {
		fmt.Fprintln(p.Stderr, p.Err.Dim("reading from the terminal; press Ctrl-D on an empty line to end"))
	}
}

// Ask asks a person at the terminal, or reads the next line of piped input, and returns the answer trimmed
// and in lower case; "" at the end of input. If no answer is possible, the error names the flag to use
// instead.
func (p *Program) Ask(question, instead string) (string, error) {
	answer, _, err := p.AskOrEnd(question, instead)
	return answer, err
}

// AskOrEnd is Ask for questions to which Enter is an answer: ended distinguishes it from the end of input.
func (p *Program) AskOrEnd(question, instead string) (answer string, ended bool, err error) {
	// If piped input ends between two questions, the second is answered with no.
	if first := p.lines == nil; p.JSON || first && !p.CanAnswer() {
		return "", false, engram.Errorf(engram.CodeInvalid, "cannot ask for confirmation: standard input is not a terminal").
			WithHint("give %s", instead)
	}
	there := p.SomeoneThere()
	if there {
		fmt.Fprintf(p.Stderr, "%s ", p.Err.Bold(render.Fold(question, "", p.ColumnsOf(p.Stderr))))
	}
	line, err := p.Answers().ReadString('\n')
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

// Answers returns the one reader of all answers, which may have buffered more than one line.
func (p *Program) Answers() *bufio.Reader {
	if p.lines == nil {
		p.lines = bufio.NewReader(p.input)
	}
	return p.lines
}

// SomeoneThere reports whether a person can be asked again. Otherwise piped input holds all answers, and an
// invalid one is an error.
func (p *Program) SomeoneThere() bool { return terminal.Is(p.Stdin) }

// CanAnswer reports whether a question can be answered, by a person or by piped input.
func (p *Program) CanAnswer() bool {
	if p.JSON || p.SomeoneThere() {
		return !p.JSON
	}
	_, err := p.Answers().Peek(1)
	return err == nil
}

// Confirm asks a yes-or-no question; with yes it returns true without asking.
func (p *Program) Confirm(yes bool, question string) (bool, error) {
	if yes {
		return true, nil
	}
	answer, err := p.Ask(question+" [y/N]", "--yes, or --dry-run to preview")
	return answer == "y" || answer == "yes", err
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

// Pause waits for so long, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// FileReader opens a file, "-" is standard input; the caller closes it.
func (p *Program) FileReader(name string) (io.ReadCloser, error) {
	if name == "-" {
		p.awaitInput()
		return io.NopCloser(p.input), nil
	}
	if name == "" {
		return nil, Invalidf("no file given").WithHint("give a file, or - for standard input")
	}
	path := p.Path(name)
	if was, err := os.Stat(path); err == nil && was.IsDir() {
		return nil, Invalidf("%s is a folder", name).
			WithHint("use import --format obsidian for a folder of notes, migrate for data of another program, or name a file in it")
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, engram.Errorf(engram.CodeNotFound, "file %s does not exist", name)
	}
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "cannot read file %s", name).WithCause(err)
	}
	return f, nil
}

// Progress is a bar on stderr for work that may take more than a second. It appears only on terminals, and
// only after a second.
type Progress struct {
	p      *Program
	what   string
	since  time.Time
	drawn  time.Time
	active bool
	from   int64 // bytes of the first report
	seen   bool  // there was one
}

const (
	progressPatience = time.Second
	progressInterval = 100 * time.Millisecond
	progressWidth    = 30
)

// Progress returns a bar for work, which is named in front of it.
func (p *Program) Progress(what string) *Progress {
	term, _ := p.Env("TERM")
	return &Progress{p: p, what: what, since: time.Now(), active: terminal.Is(p.Stderr) && term != "dumb"}
}

// Report draws the progress; total 0 means unknown.
func (g *Progress) Report(done, total int) {
	if !g.due(total > 0 && done >= total) {
		return
	}
	if total == 0 {
		g.draw(fmt.Sprintf("%s: %d so far", g.what, done))
		return
	}
	g.drawBar(float64(done)/float64(total), fmt.Sprintf("%d of %d", done, total))
}

// ReportBytes draws the progress of a download, with its rate and the time that it will take; what was there at the
// first report was not downloaded.
func (g *Progress) ReportBytes(done, total int64) {
	if !g.seen {
		g.seen, g.from = true, done
	}
	now := time.Now()
	if !g.due(done >= total) || total <= 0 {
		return
	}
	said := SizeText(done) + " of " + SizeText(total)
	if rate := float64(done-g.from) / now.Sub(g.since).Seconds(); rate >= 1 {
		left := time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second)
		said += fmt.Sprintf(", %s/s, %v left", SizeText(int64(rate)), left)
	}
	g.drawBar(float64(done)/float64(total), said)
}

// due reports whether it is time to draw.
func (g *Progress) due(last bool) bool {
	now := time.Now()
	return g.active && now.Sub(g.since) >= progressPatience && (last || now.Sub(g.drawn) >= progressInterval)
}

func (g *Progress) drawBar(share float64, said string) {
	full := int(progressWidth * min(share, 1))
	g.draw(fmt.Sprintf("%s [%s%s] %s", g.what, strings.Repeat("█", full), strings.Repeat("░", progressWidth-full), said))
}

// Stages returns a reporter for work in several stages, with a bar for each, and a function that removes the
// last bar.
func (p *Program) Stages() (report func(what string, done, total int), end func()) {
	var bar *Progress
	end = func() {
		if bar != nil {
			bar.End()
			bar = nil
		}
	}
	return func(what string, done, total int) {
		if bar == nil || bar.what != what {
			end()
			bar = p.Progress(what)
		}
		bar.Report(done, total)
		if total > 0 && done == total {
			end()
		}
	}, end
}

// Waiting draws the elapsed time, for work without a measure; end stops it.
func (g *Progress) Waiting() (end func()) {
	if !g.active {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-tick.C:
				g.draw(fmt.Sprintf("%s: %d s", g.what, int(now.Sub(g.since).Seconds())))
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		g.End()
	}
}

// draw replaces the line drawn last, cut to the terminal's width so that it stays one line.
func (g *Progress) draw(line string) {
	g.drawn = time.Now()
	fmt.Fprint(g.p.Stderr, "\r"+terminal.Fit(line, max(1, g.p.ColumnsOf(g.p.Stderr)-1))+"\x1b[K")
}

// End removes the bar.
func (g *Progress) End() {
	if !g.drawn.IsZero() {
		fmt.Fprint(g.p.Stderr, "\r\x1b[K")
		g.drawn = time.Time{}
	}
}
