package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/screen"
)

// View implements tea.Model.
func (m *Model) View() tea.View {
	lines, x, y := m.draw()
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	v.WindowTitle = "engram: " + m.c.Top().Title()
	if x >= 0 && x < m.width && y >= 0 && y < m.height {
		v.Cursor = tea.NewCursor(x, y)
		v.Cursor.Color = m.c.Theme.Cursor
		v.Cursor.Blink = false
	}
	return v
}

// draw returns the lines of a frame, each as wide as the terminal, and the cell of the cursor; x is -1 for none.
func (m *Model) draw() (lines []string, x, y int) {
	c := m.c
	if m.width <= 0 || m.height <= 0 {
		return nil, -1, -1
	}
	top, height := m.body()
	if top > 0 {
		lines = append(lines, "")
	}
	x, y = -1, -1
	var asked []string
	if q := c.Modal(); q != nil {
		most := height
		if _, whole := q.(*screen.Help); !whole {
			most = max(1, height*2/3)
		}
		asked, x, y = q.View(c, m.width, most)
		asked = asked[:min(len(asked), height)]
		y += m.height - len(asked) - min(1, top)
	}
	if rest := height - len(asked); rest > 0 {
		lines = append(lines, c.Top().View(c, m.width, rest)...)
		for len(lines) < top+rest {
			lines = append(lines, strings.Repeat(" ", m.width))
		}
	}
	lines = append(lines, asked...)
	if t, ok := c.Top().(screen.Typing); ok && c.Modal() == nil {
		if tx, ty, focused := t.Cursor(); focused {
			x, y = tx, ty+top
		}
	}
	if top > 0 { // the header last: drawing a screen says what is visible of it
		lines[0] = m.header().Render(m.width, c.Theme.Bar, false)
		lines = append(lines, m.footer().Render(m.width, c.Theme.Bar, false))
	}
	return lines[:min(len(lines), m.height)], x, y
}

// header names the open screens, the project and the position.
func (m *Model) header() cell.Line {
	c, t := m.c, m.c.Theme
	titles := c.Stack()
	line := cell.Line{{Text: " ", Style: t.Bar}}
	if n := len(titles); n > 4 {
		titles = append([]string{titles[0], "…"}, titles[n-2:]...)
	}
	for i, title := range titles {
		style := t.Bar
		if i+1 == len(titles) {
			style = t.BarStrong
		}
		if i > 0 {
			line = append(line, cell.Span{Text: " › ", Style: t.Bar})
		}
		line = append(line, cell.Span{Text: title, Style: style})
	}
	end := cell.Line{{Text: c.ScopeName(), Style: t.BarKey}}
	if p := c.Top().Position(); p != "" {
		end = append(end, cell.Span{Text: "  " + p, Style: t.Bar})
	}
	end = append(end, cell.Span{Text: " ", Style: t.Bar})
	return line.Ends(end, m.width)
}

// footer is the message, or the trouble with the store, or the keys.
func (m *Model) footer() cell.Line {
	c, t := m.c, m.c.Theme
	if m.trouble != "" {
		return cell.Line{{Text: " " + m.trouble, Style: t.BarBad}}
	}
	if text, hint, bad := c.Note(); text != "" {
		style := t.BarStrong
		if bad {
			style = t.BarBad
		}
		line := cell.Line{{Text: " " + text, Style: style}}
		if hint != "" {
			line = append(line, cell.Span{Text: "  " + hint, Style: t.Bar})
		}
		return line
	}
	if q := c.Modal(); q != nil {
		keys := cell.Line{{Text: " enter", Style: t.BarKey}, {Text: " choose  ", Style: t.Bar}, {Text: "tab", Style: t.BarKey}, {Text: " next  ", Style: t.Bar},
			{Text: "esc", Style: t.BarKey}, {Text: " close", Style: t.Bar}}
		if _, help := q.(*screen.Help); help {
			keys = append(cell.Line{{Text: " ", Style: t.Bar}}, keys[4:]...)
		}
		return keys
	}
	return m.keyLine()
}

// keyLine names the keys that fit.
func (m *Model) keyLine() cell.Line {
	c, t := m.c, m.c.Theme
	actions := append(append([]keymap.Action{}, c.Top().Actions()...), keymap.Search, keymap.AllProjects, keymap.Command)
	if len(c.Stack()) > 1 {
		actions = append(actions, keymap.Back)
	} else {
		actions = append(actions, keymap.Quit)
	}
	help := cell.Line{{Text: c.Keys.Of(keymap.Help).First(), Style: t.BarKey}, {Text: " help ", Style: t.Bar}}
	if typing, ok := c.Top().(screen.Typing); ok {
		if _, _, focused := typing.Cursor(); focused {
			return cell.Line{{Text: " enter", Style: t.BarKey}, {Text: " results  ", Style: t.Bar}, {Text: "↑ ↓", Style: t.BarKey}, {Text: " choose  ", Style: t.Bar}, {Text: "esc", Style: t.BarKey}, {Text: " back", Style: t.Bar}}
		}
	}
	line := cell.Line{{Text: " ", Style: t.Bar}}
	named := map[keymap.Action]bool{}
	for _, a := range actions {
		b := c.Keys.Of(a)
		if named[a] || b.First() == "" {
			continue
		}
		named[a] = true
		next := cell.Line{{Text: b.First(), Style: t.BarKey}, {Text: " " + b.Short + "  ", Style: t.Bar}}
		if line.Width()+next.Width()+help.Width() > m.width {
			break
		}
		line = append(line, next...)
	}
	return append(line, help...)
}
