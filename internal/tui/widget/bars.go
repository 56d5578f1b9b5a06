package widget

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// Bar is a named number of a chart.
type Bar struct {
	Name  string
	Count int
	Style *theme.Style // nil: accent
}

// Bars draws a bar for each number on a line of its own, with eighths of a cell.
func Bars(bars []Bar, width int, t *theme.Theme) (lines []cell.Line) {
	name, most, digits := 0, 1, 1
	for _, b := range bars {
		name, most = max(name, cell.Width(b.Name)), max(most, b.Count)
		digits = max(digits, len(fmt.Sprint(b.Count)))
	}
	name = min(name, width/3)
	room := max(1, width-name-digits-3)
	for _, b := range bars {
		lines = append(lines, cell.Line{{Text: cell.Pad(b.Name, name) + "  ", Style: t.Dim},
			{Text: fmt.Sprintf("%*d ", digits, b.Count), Style: t.Text}, {Text: eighths(b.Count, most, room), Style: cmp.Or(b.Style, t.Accent)}})
	}
	return lines
}

// eighths returns a bar of n out of most in a width, at least one eighth for a positive number.
func eighths(n, most, width int) string {
	all := n * width * 8 / most
	if n > 0 {
		all = max(1, all)
	}
	s := strings.Repeat("█", all/8)
	if rest := all % 8; rest > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return s
}

// Columns draws the numbers as columns of a height, one or more cells wide, with the first and the last name below.
func Columns(bars []Bar, width, height int, t *theme.Theme) (lines []cell.Line) {
	if len(bars) == 0 || height < 2 || width < 10 {
		return nil
	}
	if len(bars) > width {
		bars = bars[len(bars)-width:]
	}
	wide := min(8, width/len(bars))
	gap := 0
	if wide > 1 {
		gap = 1
	}
	most := 1
	for _, b := range bars {
		most = max(most, b.Count)
	}
	for row := height - 2; row >= 0; row-- {
		var line strings.Builder
		for _, b := range bars {
			eighth := b.Count * (height - 1) * 8 / most
			if b.Count > 0 {
				eighth = max(1, eighth)
			}
			full := max(0, min(8, eighth-8*row))
			line.WriteString(strings.Repeat(string([]rune(" ▁▂▃▄▅▆▇█")[full]), wide-gap) + strings.Repeat(" ", gap))
		}
		lines = append(lines, cell.Of(line.String(), t.Accent))
	}
	from, to := bars[0].Name, bars[len(bars)-1].Name
	return append(lines, cell.Of(from, t.Faint).Ends(cell.Of(to, t.Faint), min(width, wide*len(bars))))
}
