package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// bar is one line of a chart.
type bar struct {
	label string
	n     int
}

// barColumns is how long the longest bar is where nothing limits it.
const barColumns = 40

// writeBars writes a chart, a line for each bar, which fits into so many columns, 0 for any
// number. A bar that is not nothing is seen.
func writeBars(b *strings.Builder, bars []bar, what string, columns int, plain bool) {
	labels, numbers, most := 0, 0, 0
	for _, r := range bars {
		labels = max(labels, displaywidth.String(r.label))
		numbers = max(numbers, len(strconv.Itoa(r.n)))
		most = max(most, r.n)
	}
	wide := barColumns // 5 are blanks
	if columns > 0 {
		wide = min(wide, max(4, columns-labels-numbers-5))
	}
	for i, r := range bars {
		gap := strings.Repeat(" ", labels-displaywidth.String(r.label))
		line := fmt.Sprintf("  %s%s  %*d %s", r.label, gap, numbers, r.n, barText(r.n, most, wide, plain))
		if i == 0 && columns == 0 {
			line += " " + what
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// barText is n of most in so many columns, in eighths of one where the terminal has them.
func barText(n, most, wide int, plain bool) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	eighths := max(1, (n*wide*8+most/2)/most)
	if plain {
		return strings.Repeat("#", max(1, (eighths+4)/8))
	}
	parts := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	return strings.Repeat("█", eighths/8) + parts[eighths%8]
}

// plainBars reports whether the terminal may not know block characters: by its name, or by
// a locale that is not UTF-8. No locale at all is that of a container, whose terminal is
// somebody else's.
func (p *program) plainBars() bool {
	if term, _ := p.Env("TERM"); term == "dumb" || term == "linux" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale, _ := p.Env(name); locale != "" {
			locale = strings.ToLower(locale)
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}
