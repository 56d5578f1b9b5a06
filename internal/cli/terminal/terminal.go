// Package terminal lays out text for people: it cuts, wraps and colours lines, and aligns tables, by the columns that
// characters occupy. It writes nothing itself, and 0 columns always means no limit.
package terminal

import (
	"os"
	"regexp"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"github.com/alanbuscaglia/engram/internal/render"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Columns returns the width of a terminal in columns; 0 if that is unknown.
func Columns(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Width returns the number of columns of a text.
func Width(s string) int { return displaywidth.String(s) }

// Fit cuts a line to so many columns, with … at the end; 0 leaves it. Wide characters count as two columns
// and are never split.
func Fit(line string, columns int) string {
	if columns == 0 {
		return line
	}
	return displaywidth.TruncateString(line, columns, "…")
}

// FitLines applies fit to each line of a text.
func FitLines(text string, columns int) string {
	if columns == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Fit(line, columns)
	}
	return strings.Join(lines, "\n")
}

// A Table aligns rows of cells. The columns in numbers are aligned to the right.
type Table struct {
	Indent  string
	Numbers map[int]bool
	Rows    [][]string
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write writes the table into so many columns, 0 for no limit. If it is too wide, the first column is cut,
// since the beginning of a name usually identifies it.
func (t *Table) Write(b *strings.Builder, columns int) {
	widths := t.Widths()
	if columns > 0 && len(widths) > 0 {
		all := len(t.Indent) + 2*(len(widths)-1)
		for _, w := range widths {
			all += w
		}
		widths[0] = max(min(widths[0], narrowest), widths[0]-max(0, all-columns))
	}
	for _, row := range t.Rows {
		line := t.Indent
		for i, c := range row {
			if i > 0 {
				line += "  "
			}
			c = Fit(c, widths[i])
			gap := strings.Repeat(" ", widths[i]-Width(c))
			switch {
			case t.Numbers[i]:
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

// Widths returns the width of each column.
func (t *Table) Widths() []int {
	var widths []int
	for _, row := range t.Rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(c))
		}
	}
	return widths
}

// Wrapped wraps the lines of a text to so many columns; 0 leaves it. Continuation lines keep the indentation
// and quotation marks of their line, and never look like the heading of another item.
func Wrapped(text string, columns int) string {
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

// Prose rewraps paragraphs that were written for wide lines. Tables and lists keep their lines.
func Prose(text string, columns int) string {
	if columns == 0 {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !IsLaidOut(p) {
			paragraphs[i] = render.Fold(strings.ReplaceAll(p, "\n", " "), "", columns)
			continue
		}
		paragraphs[i] = Hanging(p, columns)
	}
	return strings.Join(paragraphs, "\n\n")
}

// Hanging wraps the lines of a text to so many columns, each continued below its second column.
func Hanging(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = render.Fold(line, hangingIndent(line), columns)
	}
	return strings.Join(lines, "\n")
}

// IsLaidOut reports whether a paragraph has columns.
func IsLaidOut(paragraph string) bool {
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
	return strings.Repeat(" ", Width(line[:len(line)-len(rest)]))
}

// Paint colours text if it is true: on a terminal without NO_COLOR, or by --color.
type Paint bool

// Bold returns s in bold.
func (p Paint) Bold(s string) string { return p.wrap("1", s) }

// Dim returns s dimmed.
func (p Paint) Dim(s string) string { return p.wrap("2", s) }

// Red returns s in bold red.
func (p Paint) Red(s string) string { return p.wrap("1;31", s) }

func (p Paint) wrap(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Lines makes headings bold and the lines below them dim. It works on the finished plain text, so that
// writers need not know about colours.
func (p Paint) Lines(text string) string {
	if !p {
		return text
	}
	head := regexp.MustCompile(`^(\[\d+\] #|#\d+ |#+ |>>> |Memory saved|Session \d|Connect |Next:|✓ |--- /|\+\+\+ /)`)
	note := regexp.MustCompile(`^    \d{4}-\d\d-\d\d |^─── |^@@ `)
	out := strings.Split(text, "\n")
	for i, line := range out {
		switch {
		case head.MatchString(line):
			out[i] = p.Bold(line)
		case note.MatchString(line):
			out[i] = p.Dim(line)
		}
	}
	return strings.Join(out, "\n")
}
