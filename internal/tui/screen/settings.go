package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// page is a screen of lines that scroll.
type page struct {
	plain
	scroll widget.Scroll
}

// Position implements Screen.
func (p *page) Position() string { return p.scroll.Position() }

// Actions implements Screen.
func (*page) Actions() []keymap.Action { return nil }

// Do implements Screen.
func (p *page) Do(_ *Context, a keymap.Action) tea.Cmd {
	scrollBy(&p.scroll, a)
	return nil
}

func (p *page) view(c *Context, width, height int, lines func(width int) []cell.Line) []string {
	return blank(p.scroll.View(lines(width), width, height, c.Theme), width, height)
}

// Settings shows the settings in force and where each value comes from.
type Settings struct {
	page
	all []Setting
}

// NewSettings returns the screen.
func NewSettings() *Settings { return &Settings{} }

// Title implements Screen.
func (*Settings) Title() string { return "Settings" }

// Open implements Screen.
func (s *Settings) Open(c *Context) tea.Cmd { return s.Refresh(c) }

// Refresh implements Screen.
func (s *Settings) Refresh(c *Context) tea.Cmd {
	return run(c, &s.reading, c.Outside.Settings, func(all []Setting, err error) tea.Cmd {
		c.Fail(err)
		s.all = all
		return nil
	})
}

// View implements Screen.
func (s *Settings) View(c *Context, width, height int) []string {
	t := c.Theme
	return s.view(c, width, height, func(width int) (lines []cell.Line) {
		name, value := 0, 0
		for _, one := range s.all {
			name, value = max(name, cell.Width(one.Name)), max(value, min(cell.Width(one.Value), width/3))
		}
		for _, one := range s.all {
			style := t.Text
			origin := t.Faint
			if one.Origin != "default" {
				style, origin = t.Good, t.Accent
			}
			lines = append(lines, cell.Line{{Text: "  " + cell.Pad(one.Name, name) + "  ", Style: t.Strong}, {Text: cell.Pad(one.Value, value) + "  ", Style: style}, {Text: one.Origin, Style: origin}}.Cut(width))
			about := one.About
			if one.Range != "" {
				about += " (" + one.Range + ")"
			}
			lines = append(lines, indented(cell.Of(about, t.Dim), width, 4)...)
			if one.Note != "" {
				lines = append(lines, indented(cell.Of(one.Note, t.Warn), width, 4)...)
			}
		}
		return lines
	})
}

// indented wraps a line behind spaces.
func indented(l cell.Line, width, by int) []cell.Line {
	lead := cell.Of("                "[:min(16, by)], nil)
	return append(append(cell.Line{}, lead...), l...).Wrap(width, lead)
}

// Setup shows which agents are connected.
type Setup struct {
	page
	all   []Agent
	known bool
}

// NewSetup returns the screen.
func NewSetup() *Setup { return &Setup{} }

// Title implements Screen.
func (*Setup) Title() string { return "Setup" }

// Open implements Screen.
func (s *Setup) Open(c *Context) tea.Cmd { return s.Refresh(c) }

// Refresh implements Screen.
func (s *Setup) Refresh(c *Context) tea.Cmd {
	return run(c, &s.reading, c.Outside.Agents, func(all []Agent, err error) tea.Cmd {
		c.Fail(err)
		s.all, s.known = all, err == nil
		return nil
	})
}

// View implements Screen.
func (s *Setup) View(c *Context, width, height int) []string {
	t := c.Theme
	return s.view(c, width, height, func(width int) (lines []cell.Line) {
		title := 0
		for _, a := range s.all {
			title = max(title, cell.Width(a.Title))
		}
		for _, installed := range []bool{true, false} {
			for _, a := range s.all {
				if a.Installed != installed {
					continue
				}
				mark, style := "○ ", t.Faint
				switch {
				case a.State == "set up":
					mark, style = "● ", t.Good
				case installed || a.State != "not set up":
					mark, style = "◐ ", t.Warn
				}
				state := a.State
				if !installed {
					state += ", not installed"
				}
				lines = append(lines, cell.Line{{Text: "  " + mark, Style: style}, {Text: cell.Pad(a.Title, title) + "  ", Style: t.Strong}, {Text: state, Style: style}}.Cut(width))
				for _, d := range a.Details {
					lines = append(lines, indented(cell.Of(d, t.Dim), width, 6)...)
				}
			}
		}
		if s.known {
			lines = append(lines, cell.Line{}, cell.Of("  engram setup connects agents; engram setup --undo restores their files.", t.Dim))
		}
		return lines
	})
}
