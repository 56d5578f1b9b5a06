package widget

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// mostProse limits how much of a text is laid out, in bytes: some 4,000 lines of a terminal. Editors show the rest.
const mostProse = 256 << 10

// Prose lays out Markdown in lines of a width: headings, lists, quotations, code, tables and emphasis. What is not
// Markdown stays as it is, and every line is harmless. Text beyond 256 KiB is left out, which the last line reports.
//
// It is our own, because glamour adds 12 ms and 70,000 allocations to every start of the program, also of hooks.
func Prose(text string, width int, t *theme.Theme) []cell.Line {
	left := len(text) - mostProse
	if left > 0 {
		text = cell.First(text, mostProse)
	}
	p := prose{width: max(1, width), t: t}
	lines := strings.Split(cell.Plain(text), "\n")
	for i := 0; i < len(lines); {
		i += p.block(lines[i:])
	}
	for len(p.out) > 0 && p.out[len(p.out)-1].Width() == 0 {
		p.out = p.out[:len(p.out)-1]
	}
	if left > 0 {
		p.add(cell.Line{}, cell.Of(fmt.Sprintf("… %d KiB more: e opens the whole text in your editor", (left+1023)/1024), t.Warn))
	}
	return p.out
}

type prose struct {
	width int
	t     *theme.Theme
	out   []cell.Line
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
		return p.fence(lines, body[:3])
	case isRule(body):
		p.add(cell.Of(strings.Repeat("─", p.width), p.t.Border))
		return 1
	case strings.HasPrefix(body, "#"):
		if title := strings.TrimLeft(body, "#"); strings.HasPrefix(title, " ") {
			p.add(cell.Of(strings.TrimSpace(strings.TrimRight(title, "# ")), p.t.Heading).Wrap(p.width, nil)...)
			return 1
		}
	case strings.HasPrefix(body, ">"):
		bar := cell.Span{Text: "▌ ", Style: p.t.Border}
		said := p.inline(strings.TrimPrefix(strings.TrimPrefix(body, ">"), " "), p.t.Dim)
		p.add(append(cell.Line{bar}, said...).Wrap(p.width, cell.Line{bar})...)
		return 1
	case strings.HasPrefix(body, "|") && len(lines) > 1 && isTableRule(lines[1]):
		return p.table(lines)
	}
	if mark, rest, ok := item(body); ok {
		lead := cell.Line{{Text: strings.Repeat(" ", min(indent, p.width/3))}, {Text: mark, Style: p.t.Accent}}
		hang := cell.Of(strings.Repeat(" ", lead.Width()), nil)
		p.add(append(lead, p.inline(rest, p.t.Text)...).Wrap(p.width, hang)...)
		return 1
	}
	if indent >= 4 && len(p.out) > 0 { // code, or a continued item; either keeps its shape
		p.add(cell.Of(line, p.t.Code).Wrap(p.width, cell.Of(strings.Repeat(" ", min(indent, p.width/3)), nil))...)
		return 1
	}
	p.add(p.inline(line, p.t.Text).Wrap(p.width, nil)...)
	return 1
}

// fence lays out a block of code.
func (p *prose) fence(lines []string, mark string) int {
	bar := cell.Span{Text: "│ ", Style: p.t.Border}
	for i, line := range lines[1:] {
		if strings.HasPrefix(strings.TrimLeft(line, " "), mark) {
			return i + 2
		}
		p.add(cell.Line{bar, {Text: line, Style: p.t.Code}}.Wrap(p.width, cell.Line{bar})...)
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
	}{{"`", p.t.Code}, {"**", p.t.Strong}, {"__", p.t.Strong}, {"*", p.t.Emphasis}, {"_", p.t.Emphasis}}
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
		span, n := p.span(s, i)
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
func (p *prose) span(s string, i int) (cell.Line, int) {
	if !strings.ContainsRune("`*_[", rune(s[i])) {
		return nil, 0
	}
	if s[i] == '[' {
		return p.link(s[i:])
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

// link reads [text](address); an address that the text does not repeat is shown after it.
func (p *prose) link(s string) (cell.Line, int) {
	text, rest, found := strings.Cut(s[1:], "](")
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

// table aligns the columns of a table; one that is too wide keeps its lines.
func (p *prose) table(lines []string) int {
	var rows [][]string
	n := 0
	for ; n < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n]), "|"); n++ {
		if n == 1 {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(lines[n]), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	var widths []int
	all := 0
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], p.inline(c, nil).Width())
		}
	}
	for _, w := range widths {
		all += w + 3
	}
	for r, row := range rows {
		base := p.t.Text
		if r == 0 {
			base = p.t.Strong
		}
		var line cell.Line
		for i, c := range row {
			if i > 0 {
				line = append(line, cell.Span{Text: " │ ", Style: p.t.Border})
			}
			said := p.inline(c, base)
			line = append(line, said...)
			if i+1 < len(row) && all <= p.width+3 {
				line = append(line, cell.Span{Text: strings.Repeat(" ", widths[i]-said.Width())})
			}
		}
		p.add(line.Wrap(p.width, cell.Of("  ", nil))...)
		if r == 0 {
			p.add(cell.Of(strings.Repeat("─", min(p.width, max(1, all-3))), p.t.Border))
		}
	}
	return n
}
