package cli

import (
	"os"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"

	"github.com/alanbuscaglia/engram/internal/render"
)

// columns is how many columns a line on stdout may take: those of COLUMNS, else those of
// the terminal, else render.Columns. 0 is no limit: what goes into a pipe or a file is
// never cut.
func (p *program) columns() int {
	if !isTerminal(p.Stdout) {
		return 0
	}
	return p.columnsOf(p.Stdout)
}

// columnsOf is how wide a stream is that is a terminal.
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

// fit cuts a line to so many columns, with … at the end; 0 leaves it. A wide character
// counts twice, a combining mark not at all, and none is cut in two.
func fit(line string, columns int) string {
	if columns == 0 {
		return line
	}
	return displaywidth.TruncateString(line, columns, "…")
}

// fitLines is fit for each line of a text.
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

// A table is rows of cells that stand below each other. Numbers are those columns that
// stand to the right in their place.
type table struct {
	indent  string
	numbers map[int]bool
	rows    [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table into so many columns, 0 for any number: where it is too wide, its
// first cells give way, because what a row is called by its beginning is known still.
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

// narrowest is how few columns the first cells of a table may get.
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

// fold breaks a line at spaces, and in scripts without spaces between characters, into lines of so
// many columns at most, each but the first after indent; 0 leaves it. A word that is longer stays
// whole.
func fold(line, indent string, columns int) string {
	if columns == 0 {
		return line
	}
	var b strings.Builder
	at, spaces, opens := 0, 0, true
	for i, word := range strings.Split(line, " ") {
		if i > 0 {
			spaces++
		}
		for _, piece := range pieces(word) {
			wide := displaywidth.String(piece)
			if opens || at+spaces+wide <= columns {
				b.WriteString(strings.Repeat(" ", spaces))
				at += spaces
			} else {
				b.WriteString("\n" + indent)
				at = displaywidth.String(indent)
			}
			b.WriteString(piece)
			at, spaces, opens = at+wide, 0, false
		}
	}
	return b.String()
}

// Marks that open no line, and those that end none, in scripts without spaces.
const (
	noFirst = "、。，．！？：；）」』】〉》〕］｝ー々…‥・％’”!?,.:;)]}"
	noLast  = "（「『【〈《〔［｛‘“([{"
)

// pieces cuts a word where a line may break in it: beside each wide character.
func pieces(word string) (all []string) {
	if word == "" {
		return nil
	}
	from, at, before, beforeWide := 0, 0, "", false
	for g := displaywidth.StringGraphemes(word); g.Next(); {
		c, wide := g.Value(), g.Width() > 1
		if at > 0 && (wide || beforeWide) && !strings.Contains(noFirst, c) && !strings.Contains(noLast, before) {
			all, from = append(all, word[from:at]), at
		}
		at, before, beforeWide = at+len(c), c, wide
	}
	return append(all, word[from:])
}

// wrapped breaks the lines of a text that are longer than so many columns; 0 leaves it. What goes on
// stands below where its line began, behind the same mark of a quotation, and never looks like the
// head of another thing.
func wrapped(text string, columns int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		indent := line[:len(line)-len(strings.TrimLeft(line, " >"))]
		if indent == "" && line != "" && strings.ContainsAny(line[:1], "#[-") { // a head, or an item
			indent = "    "
		}
		folded := fold(line, indent, max(columns, len(indent)+narrowest))
		if indent == "" { // the words of a memory may be broken so that they pass for a head
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

// prose sets paragraphs that were written for wide lines anew. What is laid out with
// spaces, a table or a list, keeps its lines.
func prose(text string, columns int) string {
	if columns == 0 {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !isLaidOut(p) {
			paragraphs[i] = fold(strings.ReplaceAll(p, "\n", " "), "", columns)
			continue
		}
		lines := strings.Split(p, "\n")
		for j, line := range lines {
			lines[j] = fold(line, hangingIndent(line), columns)
		}
		paragraphs[i] = strings.Join(lines, "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}

// isLaidOut reports whether a paragraph stands in columns.
func isLaidOut(paragraph string) bool {
	return strings.Contains(strings.ReplaceAll(paragraph, "\n ", "  "), "  ")
}

// hangingIndent is where the second column of a line begins, as spaces.
func hangingIndent(line string) string {
	body := strings.TrimLeft(line, " ")
	gap := strings.Index(body, "  ")
	if gap < 0 {
		return strings.Repeat(" ", len(line)-len(body))
	}
	rest := strings.TrimLeft(body[gap:], " ")
	return strings.Repeat(" ", displaywidth.String(line[:len(line)-len(rest)]))
}
