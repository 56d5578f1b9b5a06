package widget

import (
	"fmt"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// Scroll shows a part of lines. The zero value shows their beginning.
type Scroll struct {
	top, rows, total int
}

// Move scrolls by n lines.
func (s *Scroll) Move(n int) { s.top = max(0, min(s.top+n, s.total-s.rows)) }

// Top scrolls to the first line.
func (s *Scroll) Top() { s.top = 0 }

// Bottom scrolls to the last lines.
func (s *Scroll) Bottom() { s.Move(s.total) }

// First returns the index of the first visible line.
func (s *Scroll) First() int { return s.top }

// Page returns how many lines a page has.
func (s *Scroll) Page() int { return max(1, s.rows-1) }

// Reveal scrolls as little as makes a line visible.
func (s *Scroll) Reveal(line int) {
	s.top = max(min(s.top, line), line-max(1, s.rows)+1)
	s.top = max(0, s.top)
}

// View returns the visible lines, rendered in width and height, and remembers their number for Move.
func (s *Scroll) View(lines []cell.Line, width, height int, t *theme.Theme) []string {
	s.total, s.rows = len(lines), height
	s.Move(0)
	out := make([]string, 0, height)
	for _, l := range lines[s.top:min(len(lines), s.top+height)] {
		out = append(out, l.Render(width, nil, false))
	}
	return out
}

// Position says which lines are visible: "1–20 of 50"; "" if all are.
func (s *Scroll) Position() string {
	if s.total <= s.rows {
		return ""
	}
	return fmt.Sprintf("%d–%d of %d", s.top+1, min(s.total, s.top+s.rows), s.total)
}
