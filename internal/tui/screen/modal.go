package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Modal is a question at the bottom of the screen, which has all keys until it is answered or closed.
type Modal interface {
	Type(c *Context, press tea.KeyPressMsg) tea.Cmd
	Paste(c *Context, text string)
	// View returns at most height lines of a width, and the cell of the cursor in them; x is -1 for none.
	View(c *Context, width, height int) (lines []string, x, y int)
}

// Modal returns the open question; nil for none.
func (c *Context) Modal() Modal { return c.modal }

// Ask opens a question.
func (c *Context) Ask(m Modal) { c.modal = m }

// Prompt asks for a line of text.
type Prompt struct {
	Label    string
	Hint     string                     // what may be written
	Complete func(text string) []string // whole lines that the text may become; nil for none
	Then     func(text string) tea.Cmd

	input widget.Input
	past  []string // completions of the text before tab
	at    int
}

// With returns the prompt with a text to begin with.
func (p *Prompt) With(text string) *Prompt {
	p.input.Set(text)
	return p
}

// Type implements Modal.
func (p *Prompt) Type(c *Context, press tea.KeyPressMsg) tea.Cmd {
	switch press.String() {
	case "esc", "ctrl+c":
		c.modal = nil
		return nil
	case "enter":
		c.modal = nil
		if text := strings.TrimSpace(p.input.Text()); text != "" {
			return p.Then(text)
		}
		return nil
	case "tab", "shift+tab":
		p.complete(press.String() == "tab")
		return nil
	}
	p.past = nil
	p.input.Press(press.String(), press.Text)
	return nil
}

// complete replaces the text by the next completion.
func (p *Prompt) complete(forward bool) {
	if p.past == nil {
		p.past, p.at = p.options(), -1
		if !forward {
			p.at = 0
		}
	}
	if len(p.past) == 0 {
		return
	}
	step := 1
	if !forward {
		step = -1
	}
	p.at = (p.at + step + len(p.past)) % len(p.past)
	p.input.Set(p.past[p.at])
}

func (p *Prompt) options() []string {
	if p.Complete == nil {
		return nil
	}
	return p.Complete(p.input.Text())
}

// Paste implements Modal.
func (p *Prompt) Paste(_ *Context, text string) {
	p.past = nil
	p.input.Insert(text)
}

// View implements Modal.
func (p *Prompt) View(c *Context, width, height int) ([]string, int, int) {
	t := c.Theme
	label := p.Label + " "
	line, x := p.input.Line(max(1, width-cell.Width(label)), "", t)
	lines := []string{append(cell.Of(label, t.Title), line...).Render(width, nil, false)}
	options := p.past
	if options == nil {
		options = p.options()
	}
	if len(options) > 0 && height > 1 {
		var row cell.Line
		for i, o := range options[:min(len(options), 30)] {
			style := t.Dim
			if p.past != nil && i == p.at {
				style = t.Chip
			}
			row = append(row, cell.Span{Text: o, Style: style}, cell.Span{Text: "  "})
		}
		lines = append(lines, row.Render(width, nil, false))
	} else if p.Hint != "" && height > 1 {
		lines = append(lines, cell.Of(p.Hint, t.Faint).Render(width, nil, false))
	}
	return lines, min(width-1, cell.Width(label)+x), 0
}

// Option is one of a Choice.
type Option struct {
	Text   string // harmless
	Detail string // harmless
	Value  string
}

// Choice asks for one of several options; typing narrows them.
type Choice struct {
	Label   string
	Options []Option
	Then    func(value string) tea.Cmd

	input  widget.Input
	cursor int
}

func (p *Choice) shown() []Option {
	words := strings.Fields(strings.ToLower(p.input.Text()))
	return slices.DeleteFunc(slices.Clone(p.Options), func(o Option) bool {
		text := strings.ToLower(o.Text + " " + o.Detail)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
}

// Type implements Modal.
func (p *Choice) Type(c *Context, press tea.KeyPressMsg) tea.Cmd {
	shown := p.shown()
	switch press.String() {
	case "esc", "ctrl+c":
		c.modal = nil
	case "enter":
		c.modal = nil
		if p.cursor < len(shown) {
			return p.Then(shown[p.cursor].Value)
		}
	case "down", "ctrl+n", "tab":
		p.cursor = min(p.cursor+1, max(0, len(shown)-1))
	case "up", "ctrl+p", "shift+tab":
		p.cursor = max(0, p.cursor-1)
	default:
		p.input.Press(press.String(), press.Text)
		p.cursor = 0
	}
	return nil
}

// Paste implements Modal.
func (p *Choice) Paste(_ *Context, text string) {
	p.input.Insert(text)
	p.cursor = 0
}

// View implements Modal.
func (p *Choice) View(c *Context, width, height int) ([]string, int, int) {
	t := c.Theme
	label := p.Label + " "
	line, x := p.input.Line(max(1, width-cell.Width(label)), "type to narrow, enter to choose", t)
	lines := []string{append(cell.Of(label, t.Title), line...).Render(width, nil, false)}
	shown := p.shown()
	rows := min(height-1, 12)
	from := max(0, min(p.cursor-rows/2, len(shown)-rows))
	for i := from; i < len(shown) && i < from+rows; i++ {
		on := i == p.cursor
		bar := "  "
		if on {
			bar = "▌ "
		}
		row := cell.Line{{Text: bar, Style: t.Accent}, {Text: shown[i].Text, Style: t.Text}, {Text: "  " + shown[i].Detail, Style: t.Faint}}
		lines = append(lines, row.Render(width, fill(t, on), on))
	}
	if len(shown) == 0 && rows > 0 {
		lines = append(lines, cell.Of("  nothing matches", t.Faint).Render(width, nil, false))
	}
	return lines, min(width-1, cell.Width(label)+x), 0
}

// Help lists the keys.
type Help struct {
	here   []keymap.Action
	title  string
	scroll widget.Scroll
}

// NewHelp returns the help of the screen on top.
func NewHelp(c *Context) *Help { return &Help{here: c.Top().Actions(), title: c.Top().Title()} }

// Type implements Modal.
func (h *Help) Type(c *Context, press tea.KeyPressMsg) tea.Cmd {
	a := c.Keys.Match(press, Moves(), []keymap.Action{keymap.Help, keymap.Back, keymap.Quit})
	if !scrollBy(&h.scroll, a) {
		c.modal = nil
	}
	return nil
}

// Paste implements Modal.
func (*Help) Paste(*Context, string) {}

// View implements Modal.
func (h *Help) View(c *Context, width, height int) ([]string, int, int) {
	t := c.Theme
	lines := []cell.Line{cell.Of("Keys on this screen: "+h.title, t.Title), {}}
	lines = append(lines, h.table(c, width, func(b keymap.Binding) bool { return slices.Contains(h.here, b.Action) })...)
	lines = append(lines, cell.Line{}, cell.Of("Everywhere", t.Title), cell.Line{})
	everywhere := append(Moves(), Everywhere()...)
	lines = append(lines, h.table(c, width, func(b keymap.Binding) bool { return slices.Contains(everywhere, b.Action) })...)
	lines = append(lines, cell.Line{}, cell.Of("The mouse selects, opens by a second click, and scrolls. config.toml changes keys: tui_keys = \"forget=x, new=N\"", t.Faint))
	return blank(h.scroll.View(lines, width, height, t), width, height), -1, 0
}

// table lists bindings in as many columns as fit.
func (h *Help) table(c *Context, width int, when func(keymap.Binding) bool) (lines []cell.Line) {
	var rows []cell.Line
	wide := 0
	for _, b := range c.Keys {
		if !when(b) || len(b.Keys()) == 0 {
			continue
		}
		row := cell.Line{{Text: cell.Pad(b.Shown(), 20) + "  ", Style: c.Theme.Key}, {Text: b.About, Style: c.Theme.Text}}
		rows = append(rows, row)
		wide = max(wide, row.Width()+4)
	}
	n := max(1, width/max(1, wide))
	high := (len(rows) + n - 1) / n
	for i := range high {
		var line cell.Line
		for col := range n {
			if at := col*high + i; at < len(rows) {
				row := rows[at]
				if col+1 < n {
					row = append(row, cell.Span{Text: strings.Repeat(" ", wide-row.Width())})
				}
				line = append(line, row...)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// Everywhere are the actions that the program performs on every screen.
func Everywhere() []keymap.Action {
	return []keymap.Action{keymap.Back, keymap.Search, keymap.AllProjects, keymap.New, keymap.Undo, keymap.Command, keymap.Help, keymap.Refresh, keymap.Quit}
}
