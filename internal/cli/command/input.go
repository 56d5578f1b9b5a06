package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/render"
)

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
	now := time.Now()
	if !g.active || now.Sub(g.since) < progressPatience || now.Sub(g.drawn) < progressInterval && (done < total || total == 0) {
		return
	}
	if total == 0 {
		g.draw(fmt.Sprintf("%s: %d so far", g.what, done))
		return
	}
	full := progressWidth * min(done, total) / total
	g.draw(fmt.Sprintf("%s [%s%s] %d of %d", g.what, strings.Repeat("█", full), strings.Repeat("░", progressWidth-full), done, total))
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
