package screen

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Detail is one memory: its text, what it is related to, its strength, and its earlier versions.
type Detail struct {
	plain
	num    int64
	match  []string
	from   *memories    // the list that it was opened from; nil for none
	detail *read.Detail // nil: not read yet
	scroll widget.Scroll
	main   textCache // its text
	side   textCache // what is known of it
}

// NewDetail returns the screen of a memory, with words marked in it.
func NewDetail(num int64, match []string) *Detail { return &Detail{num: num, match: match} }

// Title implements Screen.
func (d *Detail) Title() string { return fmt.Sprintf("#%d", d.num) }

// Position implements Screen.
func (d *Detail) Position() string { return d.scroll.Position() }

// Actions implements Screen.
func (*Detail) Actions() []keymap.Action {
	return []keymap.Action{keymap.Edit, keymap.Forget, keymap.Pin, keymap.Timeline, keymap.Graph, keymap.Link, keymap.Copy, keymap.Approve, keymap.Restore, keymap.New, keymap.Next, keymap.Previous}
}

// Open implements Screen.
func (d *Detail) Open(c *Context) tea.Cmd { return d.Refresh(c) }

// Refresh implements Screen.
func (d *Detail) Refresh(c *Context) tea.Cmd {
	return run(c, &d.reading, func(ctx context.Context) (read.Detail, error) { return c.Engine.Get(ctx, engram.ByNum(d.num)) },
		func(got read.Detail, err error) tea.Cmd {
			if err != nil {
				if d.detail == nil || engram.CodeOf(err) != engram.CodeNotFound {
					c.Fail(err)
				} else {
					d.detail.Memory.DeletedAt = c.Now // it stays on the screen, marked
				}
				return nil
			}
			d.detail, d.main.key = &got, ""
			return nil
		})
}

// Do implements Screen.
func (d *Detail) Do(c *Context, a keymap.Action) tea.Cmd {
	if scrollBy(&d.scroll, a) || d.detail == nil {
		return nil
	}
	if d.from != nil {
		if cmd, done := d.from.step(c, a); done {
			return tea.Batch(cmd, d.turn(c))
		}
	}
	nums := []int64{d.num}
	switch a {
	case keymap.Edit:
		return edit(c, d.num)
	case keymap.Forget:
		return forget(c, nums)
	case keymap.Pin:
		return pin(c, nums)
	case keymap.Timeline:
		return c.Push(NewTimeline(d.num))
	case keymap.Graph, keymap.Open:
		return c.Push(NewGraph(d.num))
	case keymap.Link:
		return link(c, nums)
	case keymap.Copy:
		return copyText(c, d.detail.Memory)
	case keymap.Approve:
		return reviewed(c, d.num)
	case keymap.Restore:
		d.chooseVersion(c)
	case keymap.New:
		return Write(c)
	}
	return nil
}

// turn shows the memory that is selected in the list. One that is not read yet is shown by the next step.
func (d *Detail) turn(c *Context) tea.Cmd {
	now, ok := d.from.list.Current()
	if !ok || now.Num == d.num {
		return nil
	}
	d.num = now.Num
	d.scroll.Top()
	return d.Refresh(c)
}

// chooseVersion offers the earlier versions, the latest first.
func (d *Detail) chooseVersion(c *Context) {
	var all []Option
	for _, r := range slices.Backward(d.detail.Revisions) {
		all = append(all, Option{fmt.Sprintf("version %d, %s", r.Number, when(c, r.WrittenAt)), cell.Inline(r.Content, 200), strconv.Itoa(r.Number)})
	}
	if len(all) == 0 {
		c.Say("#%d has no earlier version", d.num)
		return
	}
	num := d.num
	c.Ask(&Choice{Label: "Restore:", Options: all, Then: func(version string) tea.Cmd {
		return act(c, func(ctx context.Context) (written, error) {
			number, err := strconv.Atoi(version)
			if err == nil {
				_, err = c.Engine.Restore(ctx, engram.ByNum(num), number)
			}
			return written{ops: change{latest(ctx, c, num)}}, err
		}, func(w written) tea.Cmd { return c.Did(w.ops, "Restored version %s of #%d", version, num) })
	}})
}

// View implements Screen.
func (d *Detail) View(c *Context, width, height int) []string {
	if d.detail == nil {
		return blank([]string{cell.Of("…", c.Theme.Faint).Render(width, nil, false)}, width, height)
	}
	const column = 100 // longer lines are hard to read
	if width < 150 {
		text, margin := width, 0
		if width >= 60 {
			margin = min(4, max(1, (width-column)/2))
			text = min(column, width-2*margin)
		}
		d.layOut(c, text, text)
		lines := d.scroll.View(append(append([]cell.Line{}, d.main.lines...), d.side.lines...), text, height, c.Theme)
		for i, l := range lines {
			lines[i] = strings.Repeat(" ", margin) + l + strings.Repeat(" ", max(0, width-text-margin))
		}
		return blank(lines, width, height)
	}
	const margin = 4
	side := width - column - 2*margin - 3
	d.layOut(c, column, side)
	known := d.side.lines[min(1, len(d.side.lines)):]
	main := slices.Concat(d.main.lines, make([]cell.Line, max(0, len(known)-len(d.main.lines)))) // both sides scroll
	left, right := d.scroll.View(main, column, height, c.Theme), make([]string, 0, height)
	for i, l := range left {
		left[i] = strings.Repeat(" ", margin) + l + strings.Repeat(" ", margin)
	}
	from := min(d.scroll.First(), max(0, len(known)-height))
	for _, l := range known[from:min(len(known), from+height)] {
		right = append(right, l.Render(side, nil, false))
	}
	return beside(c, blank(left, column+2*margin, height), blank(right, side, height))
}

// layOut lays out the text, and what is known of it, unless it is laid out already.
func (d *Detail) layOut(c *Context, text, side int) {
	m := d.detail.Memory
	key := fmt.Sprint(text, side, c.Theme.Name, c.Running[m.SessionID], m.DeletedAt.IsZero())
	if d.main.key != key {
		n := d.detail.Note()
		n.Relations = nil // they stand with the others
		d.main = textCache{key, memoryText(c, m, n, text, mostPage, d.match)}
		d.side = textCache{key, d.known(c, side)}
	}
}

// mostTold limits how many earlier versions are shown with their text.
const mostTold = 20

// known is what is known of the memory besides its text. It begins with an empty line.
func (d *Detail) known(c *Context, width int) (lines []cell.Line) {
	t := c.Theme
	m := d.detail.Memory
	if len(d.detail.Relations) > 0 {
		lines = append(lines, cell.Line{}, cell.Of("Relations", t.Heading))
	}
	for _, r := range d.detail.Relations {
		lines = append(lines, relationLine(t, r).Wrap(width, cell.Of("  ", nil))...)
	}
	lines = append(lines, cell.Line{}, cell.Of("Strength", t.Heading))
	full := int(d.detail.Strength*20 + 0.5)
	lines = append(lines, cell.Line{{Text: strings.Repeat("█", full) + strings.Repeat("░", 20-full), Style: t.Accent},
		{Text: " " + cell.Inline(d.detail.Why, 0), Style: t.Dim}}.Wrap(width, cell.Of("  ", nil))...)
	fact := func(name, value string) {
		if value != "" {
			lines = append(lines, cell.Line{{Text: cell.Pad(name, 12), Style: t.Faint}, {Text: value, Style: t.Dim}}.Wrap(width, cell.Of(strings.Repeat(" ", 12), nil))...)
		}
	}
	fact("importance", fmt.Sprintf("%.2f", m.Importance))
	fact("read", counted(m.AccessCount, "time", "times"))
	fact("written", when(c, d.detail.WrittenAt))
	if !m.ReviewAfter.IsZero() {
		fact("review", when(c, m.ReviewAfter))
	}
	fact("session", cell.Inline(m.SessionID, 0))
	fact("tool", cell.Inline(m.ToolName, 0))
	fact("id", string(m.ID))
	if len(d.detail.Revisions) > 0 {
		lines = append(lines, cell.Line{}, cell.Of("Earlier versions", t.Heading))
	}
	next := m.Content
	for i, r := range slices.Backward(d.detail.Revisions) {
		lines = append(lines, cell.Line{{Text: fmt.Sprintf("%d ", r.Number), Style: t.Accent},
			{Text: when(c, r.WrittenAt) + " to " + when(c, r.ReplacedAt) + " ", Style: t.Faint}, {Text: cell.Inline(r.Title, 200), Style: t.Dim}}.Cut(width))
		if i+mostTold >= len(d.detail.Revisions) {
			was, _ := widget.Difference(firstBytes(r.Content, mostExcerpt), firstBytes(next, mostExcerpt), width-2, t)
			lines = append(lines, inset(was)...)
		}
		next = r.Content
	}
	return lines
}
