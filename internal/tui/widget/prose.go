package widget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// Prose lays out Markdown in lines of a width: headings, lists, quotations, code, tables and emphasis. What is not
// Markdown stays as it is, and every line is harmless. Text beyond most bytes is left out, which the last line reports with
// how the rest is seen.
//
// It is our own, because glamour adds 12 ms and 70,000 allocations to every start of the program, also of hooks.
func Prose(text string, width, most int, rest string, t *theme.Theme) []cell.Line {
	left := len(text) - most
	if left > 0 {
		text = cell.First(text, most)
	}
	p := prose{width: max(1, width), t: t}
	p.blocks(strings.Split(cell.Plain(text), "\n"))
	if left > 0 {
		p.add(cell.Line{}, cell.Of(fmt.Sprintf("… %d KiB more: %s", (left+1023)/1024, rest), t.Warn))
	}
	return p.out
}

type prose struct {
	width int
	t     *theme.Theme
	out   []cell.Line
	depth int  // of quotations
	item  bool // the last block was an item of a list, or belongs to one
}

// mostQuoted limits how deep quotations are laid out in each other.
const mostQuoted = 5

// blocks lays out lines, without empty ones at the end.
func (p *prose) blocks(lines []string) {
	for i := 0; i < len(lines); {
		i += p.block(lines[i:])
	}
	for len(p.out) > 0 && p.out[len(p.out)-1].Width() == 0 {
		p.out = p.out[:len(p.out)-1]
	}
}

func (p *prose) add(lines ...cell.Line) { p.out = append(p.out, lines...) }

// block lays out the first block and returns how many lines it has.
func (p *prose) block(lines []string) int {
	line := lines[0]
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	switch {
	case strings.TrimSpace(line) == "":
		if len(p.out) > 0 && p.out[len(p.out)-1].Width() > 0 {
			p.add(cell.Line{})
		}
		return 1
	case strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~"):
		return p.fence(lines, indent)
	case isRule(body):
		p.add(cell.Of(strings.Repeat("─", p.width), p.t.Border))
		return 1
	case strings.HasPrefix(body, "#"):
		title := strings.TrimLeft(body, "#")
		if level := len(body) - len(title); level < 7 && strings.HasPrefix(title, " ") {
			p.heading(strings.TrimRight(title, "# "), level)
			return 1
		}
	case strings.HasPrefix(body, ">") && p.depth < mostQuoted && p.width > 4:
		return p.quotation(lines)
	case strings.HasPrefix(body, "|") && len(lines) > 1 && isTableRule(lines[1]):
		return p.table(lines)
	}
	if mark, rest, ok := item(body); ok {
		p.item = true
		lead := cell.Line{{Text: strings.Repeat(" ", min(indent, p.width/3))}, {Text: mark, Style: p.t.Accent}}
		hang := cell.Of(strings.Repeat(" ", lead.Width()), nil)
		p.add(append(lead, p.inline(rest, p.t.Text)...).Wrap(p.width, hang)...)
		return 1
	}
	p.item = p.item && indent > 0
	lead := cell.Of(strings.Repeat(" ", min(indent, p.width/3)), nil)
	switch {
	case indent >= 4 && !p.item && len(p.out) > 0:
		p.add(cell.Of(line, p.t.Code).Wrap(p.width, lead)...)
	case len(lines) > 1 && indent == 0 && isUnderline(lines[1]):
		p.heading(line, map[byte]int{'=': 1, '-': 2}[lines[1][0]])
		return 2
	default:
		p.add(append(lead, p.inline(body, p.t.Text)...).Wrap(p.width, lead)...)
	}
	return 1
}

func (p *prose) heading(title string, level int) {
	styles := []*theme.Style{p.t.Title, p.t.Heading, p.t.Strong}
	p.item = false
	p.add(p.inline(strings.TrimSpace(title), styles[min(level, len(styles))-1]).Wrap(p.width, nil)...)
}

// isUnderline reports whether a line makes a heading of the one before it.
func isUnderline(s string) bool {
	s = strings.TrimRight(s, " ")
	return len(s) >= 3 && (strings.Trim(s, "=") == "" || strings.Trim(s, "-") == "")
}

// quotation lays out quoted lines, which are Markdown again.
func (p *prose) quotation(lines []string) (n int) {
	var said []string
	for n < len(lines) {
		rest, quoted := strings.CutPrefix(strings.TrimLeft(lines[n], " "), ">")
		if !quoted {
			break
		}
		said = append(said, strings.TrimPrefix(rest, " "))
		n++
	}
	dim := *p.t
	dim.Text = p.t.Dim
	inner := prose{width: p.width - 2, t: &dim, depth: p.depth + 1}
	inner.blocks(said)
	for _, l := range inner.out {
		p.add(append(cell.Line{{Text: "▌ ", Style: p.t.Border}}, l...))
	}
	return n
}

// fence lays out a block of code, whose fence has an indent.
func (p *prose) fence(lines []string, indent int) int {
	mark := lines[0][indent:]
	mark = mark[:len(mark)-len(strings.TrimLeft(mark, mark[:1]))]
	lead := cell.Line{{Text: strings.Repeat(" ", min(indent, p.width/3))}, {Text: "│ ", Style: p.t.Border}}
	for i, line := range lines[1:] {
		if strings.HasPrefix(strings.TrimLeft(line, " "), mark) {
			return i + 2
		}
		line = line[min(indent, len(line)-len(strings.TrimLeft(line, " "))):]
		p.add(append(lead[:2:2], cell.Span{Text: line, Style: p.t.Code}).Wrap(p.width, lead)...)
	}
	return len(lines)
}

func isRule(s string) bool {
	s = strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	return len(s) >= 3 && (strings.Trim(s, "-") == "" || strings.Trim(s, "*") == "" || strings.Trim(s, "_") == "")
}

// item splits a list item into its mark and its text.
func item(s string) (mark, rest string, ok bool) {
	if len(s) > 2 && strings.ContainsRune("-*+", rune(s[0])) && s[1] == ' ' {
		switch rest = s[2:]; {
		case strings.HasPrefix(rest, "[ ] "):
			return "☐ ", rest[4:], true
		case strings.HasPrefix(rest, "[x] "), strings.HasPrefix(rest, "[X] "):
			return "☑ ", rest[4:], true
		}
		return "• ", rest, true
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits > 0 && digits < 5 && (strings.HasPrefix(s[digits:], ". ") || strings.HasPrefix(s[digits:], ") ")) {
		return s[:digits+2], s[digits+2:], true
	}
	return "", "", false
}

// marks are the delimiters of emphasis, longest first.
func (p *prose) marks() []struct {
	mark  string
	style *theme.Style
} {
	return []struct {
		mark  string
		style *theme.Style
	}{{"``", p.t.Code}, {"`", p.t.Code}, {"***", p.t.Strong}, {"**", p.t.Strong}, {"__", p.t.Strong}, {"~~", p.t.Faint}, {"*", p.t.Emphasis}, {"_", p.t.Emphasis}}
}

// inline splits a text into spans by its emphasis, code and links.
func (p *prose) inline(s string, base *theme.Style) (line cell.Line) {
	begin := 0
	flush := func(to int) {
		if to > begin {
			line = append(line, cell.Span{Text: s[begin:to], Style: base})
		}
	}
	for i := 0; i < len(s); {
		span, n := p.span(s, i, base)
		if n == 0 {
			i++
			continue
		}
		flush(i)
		line = append(line, span...)
		i += n
		begin = i
	}
	flush(len(s))
	return line
}

// span returns the styled span that begins at i, and how many bytes of s it takes; 0 if none does.
func (p *prose) span(s string, i int, base *theme.Style) (cell.Line, int) {
	switch {
	case s[i] == '[':
		return p.link(s[i:])
	case strings.HasPrefix(s[i:], "!["):
		if line, n := p.link(s[i+1:]); n > 0 {
			return line, n + 1
		}
	case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("*_`~", s[i+1]) >= 0:
		return cell.Of(s[i+1:i+2], base), 2
	case strings.HasPrefix(s[i:], "http://") || strings.HasPrefix(s[i:], "https://"):
		n := len(s) - i
		if end := strings.IndexAny(s[i:], " <>()[]|\"'`"); end >= 0 {
			n = end
		}
		n = len(strings.TrimRight(s[i:i+n], ".,;:!?*"))
		return cell.Of(s[i:i+n], p.t.Link), n
	case !strings.ContainsRune("`*_~", rune(s[i])):
		return nil, 0
	}
	for _, m := range p.marks() {
		rest, found := strings.CutPrefix(s[i:], m.mark)
		if !found {
			continue
		}
		if m.mark[0] == '_' && i > 0 && isWordByte(s[i-1]) { // snake_case
			return nil, 0
		}
		end := strings.Index(rest, m.mark)
		if end <= 0 || rest[0] == ' ' || rest[end-1] == ' ' {
			continue
		}
		after := rest[end+len(m.mark):]
		if m.mark[0] == '_' && after != "" && isWordByte(after[0]) {
			continue
		}
		return cell.Of(rest[:end], m.style), end + 2*len(m.mark)
	}
	return nil, 0
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}

// mostLinked limits how far a link is looked for, in bytes: a text of nothing but brackets must not take its square in time.
const mostLinked = 1 << 10

// link reads [text](address); an address that the text does not repeat is shown after it.
func (p *prose) link(s string) (cell.Line, int) {
	text, rest, found := strings.Cut(cell.First(s[1:], mostLinked), "](")
	end := strings.IndexByte(rest, ')')
	if !found || end < 0 || strings.ContainsAny(text, "[]") {
		return nil, 0
	}
	line := cell.Of(text, p.t.Link)
	if to := rest[:end]; to != text {
		line = append(line, cell.Span{Text: " (" + to + ")", Style: p.t.Faint})
	}
	return line, len(text) + end + 4
}

func isTableRule(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "|") && strings.Contains(s, "-") && strings.Trim(s, "|-: ") == ""
}

// table lays out a table. In one that is too wide, the widest columns wrap, or, if it has too many, its rows.
func (p *prose) table(lines []string) (n int) {
	var rows [][]cell.Line
	for ; n < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n]), "|"); n++ {
		if n == 1 {
			continue
		}
		base := p.t.Text
		if n == 0 {
			base = p.t.Strong
		}
		var row []cell.Line
		for _, text := range cellsOf(lines[n]) {
			row = append(row, p.inline(text, base))
		}
		rows = append(rows, row)
	}
	widths, fit := p.columns(rows)
	aligned := cellsOf(lines[1])
	for r, row := range rows {
		before := len(p.out)
		if fit {
			p.row(row, widths, aligned)
		} else {
			var line cell.Line
			for i, c := range row {
				line = append(append(line, p.ruleBefore(i)...), c...)
			}
			p.add(line.Wrap(p.width, cell.Of("  ", nil))...)
		}
		if r == 0 {
			wide := 1
			for _, l := range p.out[before:] {
				wide = max(wide, l.Width())
			}
			p.add(cell.Of(strings.Repeat("─", wide), p.t.Border))
		}
	}
	return n
}

// row lays out a row whose cells wrap in their columns. aligned are the cells of the rule below the first row.
func (p *prose) row(row []cell.Line, widths []int, aligned []string) {
	wrapped, high := make([][]cell.Line, len(row)), 1
	for i, c := range row {
		wrapped[i] = c.Wrap(widths[i], nil)
		high = max(high, len(wrapped[i]))
	}
	for y := range high {
		var line cell.Line
		for i, w := range widths[:len(row)] {
			var part cell.Line
			if y < len(wrapped[i]) {
				part = wrapped[i][y]
			}
			left, gap := 0, max(0, w-part.Width())
			if i < len(aligned) && strings.HasSuffix(aligned[i], ":") {
				if left = gap; strings.HasPrefix(aligned[i], ":") {
					left = gap / 2
				}
			}
			line = append(append(line, p.ruleBefore(i)...), cell.Span{Text: strings.Repeat(" ", left)})
			line = append(append(line, part...), cell.Span{Text: strings.Repeat(" ", gap-left)})
		}
		p.add(line)
	}
}

// ruleBefore is what stands before a column.
func (p *prose) ruleBefore(column int) cell.Line {
	if column == 0 {
		return nil
	}
	return cell.Of(" │ ", p.t.Border)
}

// cellsOf returns the texts of a row.
func cellsOf(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// columns returns the widths of a table's columns: as wide as their texts, or less until all fit; fit reports whether they
// do.
func (p *prose) columns(rows [][]cell.Line) (widths []int, fit bool) {
	const least, rule = 4, 3 // cells of a column that is cut, and between two columns
	all := -rule
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
				all += rule
			}
			if w := max(1, min(c.Width(), p.width)); w > widths[i] {
				all += w - widths[i]
				widths[i] = w
			}
		}
	}
	if all > p.width && len(widths)*(least+rule)-rule > p.width {
		return widths, false
	}
	for ; all > p.width; all-- {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	return widths, true
}
