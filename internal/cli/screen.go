package cli

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"

	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/render"
)

// columns returns the line width of stdout: COLUMNS, else the terminal's, else render.Columns; 0, no limit,
// for pipes and files.
func (p *program) columns() int {
	if !isTerminal(p.Stdout) {
		return 0
	}
	return p.columnsOf(p.Stdout)
}

// columnsOf returns the width of a terminal.
func (p *program) columnsOf(stream any) int {
	if text, given := p.Env("COLUMNS"); given {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n
		}
	}
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return render.Columns
}

// fit cuts a line to so many columns, with … at the end; 0 leaves it. Wide characters count as two columns
// and are never split.
func fit(line string, columns int) string {
	if columns == 0 {
		return line
	}
	return displaywidth.TruncateString(line, columns, "…")
}

// fitLines applies fit to each line of a text.
func fitLines(text string, columns int) string {
	if columns == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fit(line, columns)
	}
	return strings.Join(lines, "\n")
}

// A table aligns rows of cells. The columns in numbers are aligned to the right.
type table struct {
	indent  string
	numbers map[int]bool
	rows    [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table into so many columns, 0 for no limit. If it is too wide, the first column is cut,
// since the beginning of a name usually identifies it.
func (t *table) write(b *strings.Builder, columns int) {
	widths := t.widths()
	if columns > 0 && len(widths) > 0 {
		all := len(t.indent) + 2*(len(widths)-1)
		for _, w := range widths {
			all += w
		}
		widths[0] = max(min(widths[0], narrowest), widths[0]-max(0, all-columns))
	}
	for _, row := range t.rows {
		line := t.indent
		for i, c := range row {
			if i > 0 {
				line += "  "
			}
			c = fit(c, widths[i])
			gap := strings.Repeat(" ", widths[i]-displaywidth.String(c))
			switch {
			case t.numbers[i]:
				line += gap + c
			case i == len(row)-1:
				line += c
			default:
				line += c + gap
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// narrowest is the least width of the first column of a table.
const narrowest = 8

func (t *table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displaywidth.String(c))
		}
	}
	return widths
}

// wrapped wraps the lines of a text to so many columns; 0 leaves it. Continuation lines keep the indentation
// and quotation marks of their line, and never look like the heading of another item.
func wrapped(text string, columns int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		indent := line[:len(line)-len(strings.TrimLeft(line, " >"))]
		if indent == "" && line != "" && strings.ContainsAny(line[:1], "#[-") { // a heading, or an item
			indent = "    "
		}
		folded := render.Fold(line, indent, max(columns, len(indent)+narrowest))
		if indent == "" { // a wrapped line could begin like a heading
			for _, mark := range []string{"#", "[", "-", ">"} {
				folded = strings.ReplaceAll(folded, "\n"+mark, "\n "+mark)
			}
		}
		b.WriteString(folded)
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// prose rewraps paragraphs that were written for wide lines. Tables and lists keep their lines.
func prose(text string, columns int) string {
	if columns == 0 {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !isLaidOut(p) {
			paragraphs[i] = render.Fold(strings.ReplaceAll(p, "\n", " "), "", columns)
			continue
		}
		paragraphs[i] = hanging(p, columns)
	}
	return strings.Join(paragraphs, "\n\n")
}

// hanging wraps the lines of a text to so many columns, each continued below its second column.
func hanging(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = render.Fold(line, hangingIndent(line), columns)
	}
	return strings.Join(lines, "\n")
}

// isLaidOut reports whether a paragraph has columns.
func isLaidOut(paragraph string) bool {
	return strings.Contains(strings.ReplaceAll(paragraph, "\n ", "  "), "  ")
}

// hangingIndent returns spaces up to the second column of a line.
func hangingIndent(line string) string {
	body := strings.TrimLeft(line, " ")
	gap := strings.Index(body, "  ")
	if gap < 0 {
		return strings.Repeat(" ", len(line)-len(body))
	}
	rest := strings.TrimLeft(body[gap:], " ")
	return strings.Repeat(" ", displaywidth.String(line[:len(line)-len(rest)]))
}

// paint colours text if it is true: on a terminal without NO_COLOR, or by --color.
type paint bool

func (p paint) bold(s string) string { return p.wrap("1", s) }
func (p paint) dim(s string) string  { return p.wrap("2", s) }
func (p paint) red(s string) string  { return p.wrap("1;31", s) }

func (p paint) wrap(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// lines makes headings bold and the lines below them dim. It works on the finished plain text, so that
// writers need not know about colours.
func (p paint) lines(text string) string {
	if !p {
		return text
	}
	head := regexp.MustCompile(`^(\[\d+\] #|#\d+ |#+ |>>> |Memory saved|Session \d|Connect |Next:|✓ |--- /|\+\+\+ /)`)
	note := regexp.MustCompile(`^    \d{4}-\d\d-\d\d |^─── |^@@ `)
	out := strings.Split(text, "\n")
	for i, line := range out {
		switch {
		case head.MatchString(line):
			out[i] = p.bold(line)
		case note.MatchString(line):
			out[i] = p.dim(line)
		}
	}
	return strings.Join(out, "\n")
}

// setColour applies --color at once, so that help and errors about other flags obey it, too.
func (p *program) setColour(when string) error {
	if when != "auto" && when != "always" && when != "never" {
		return invalidf("%q is not one of auto, always and never", when)
	}
	p.colour = when
	p.takeColours()
	return nil
}

// takeColours decides what is coloured: by --color, else terminals unless NO_COLOR is set.
func (p *program) takeColours() {
	plain := config.NoColor(p.Env)
	painted := func(stream any) paint {
		switch p.colour {
		case "always":
			return true
		case "never":
			return false
		}
		return paint(isTerminal(stream) && !plain)
	}
	p.out, p.err = painted(p.Stdout), painted(p.Stderr)
}

// progress is a bar on stderr for work that may take more than a second. It appears only on terminals, and
// only after a second.
type progress struct {
	p      *program
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

func (p *program) progress(what string) *progress {
	term, _ := p.Env("TERM")
	return &progress{p: p, what: what, since: time.Now(), active: isTerminal(p.Stderr) && term != "dumb"}
}

// report draws the progress; total 0 means unknown.
func (g *progress) report(done, total int) {
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

// stages returns a reporter for work in several stages, with a bar for each, and a function that removes the
// last bar.
func (p *program) stages() (report func(what string, done, total int), end func()) {
	var bar *progress
	end = func() {
		if bar != nil {
			bar.end()
			bar = nil
		}
	}
	return func(what string, done, total int) {
		if bar == nil || bar.what != what {
			end()
			bar = p.progress(what)
		}
		bar.report(done, total)
		if total > 0 && done == total {
			end()
		}
	}, end
}

// waiting draws the elapsed time, for work without a measure; end stops it.
func (g *progress) waiting() (end func()) {
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
		g.end()
	}
}

// draw replaces the line drawn last, cut to the terminal's width so that it stays one line.
func (g *progress) draw(line string) {
	g.drawn = time.Now()
	fmt.Fprint(g.p.Stderr, "\r"+fit(line, max(1, g.p.columnsOf(g.p.Stderr)-1))+"\x1b[K")
}

// end removes the bar.
func (g *progress) end() {
	if !g.drawn.IsZero() {
		fmt.Fprint(g.p.Stderr, "\r\x1b[K")
		g.drawn = time.Time{}
	}
}
