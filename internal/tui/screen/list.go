package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// fetch reads the part of a list that is visible, if it is not known yet, or again, and reads on until it is. Then, unless
// nil, runs after each reading.
func fetch[T any](c *Context, j *job, l *widget.List[T], again bool,
	read func(ctx context.Context, project string, p engram.Page) (widget.Page[T], error), then func(again bool) tea.Cmd) tea.Cmd {
	offset, limit, needed := l.Need()
	if again && !needed {
		offset, limit = l.Again()
	}
	if !needed && !again || !again && j.busy {
		return nil
	}
	project := c.Scope()
	return run(c, j, func(ctx context.Context) (widget.Page[T], error) {
		return read(ctx, project, engram.Page{Limit: limit, Offset: offset})
	}, func(p widget.Page[T], err error) tea.Cmd {
		if err != nil {
			c.Fail(err)
			return nil
		}
		l.Set(offset, limit, p)
		on := fetch(c, j, l, false, read, then)
		if then == nil {
			return on
		}
		return tea.Batch(on, then(again))
	})
}

// rows returns the visible items of a list, each of two lines; empty stands for an empty list.
func rows[T any](c *Context, l *widget.List[T], width, height int, empty string, show func(T) item) []string {
	l.Resize(max(1, height/2))
	from, to := l.Visible()
	var lines []string
	if l.Known() && l.Len() == 0 {
		lines = append(lines, cell.Of("  "+empty, c.Theme.Dim).Render(width, nil, false))
	}
	for i := from; i < to; i++ {
		one, ok := l.At(i)
		if !ok {
			lines = append(lines, cell.Of("  …", c.Theme.Faint).Render(width, nil, false), cell.Line{}.Render(width, nil, false))
			continue
		}
		lines = append(lines, show(one).lines(c, width, i == l.Cursor, l.Marked(one))...)
	}
	return blank(lines, width, height)
}

// sides are a list and the text of its selected item: side by side, or in a narrow terminal one after the other.
type sides struct {
	text   widget.Scroll
	onText bool // keys scroll the text
	left   int  // width of the list in the last view
}

// position says what is visible of the text while that has the keys and is longer than its side, else what of the list.
func (s *sides) position(list string) string {
	if text := s.text.Position(); s.onText && text != "" {
		return "text " + text
	}
	return list
}

// both shows the list and the text, or the one that is in use.
func (s *sides) both(c *Context, width, height int, list, text func(c *Context, width, height int) []string) []string {
	if width >= wide {
		left, right := columns(width)
		s.left = left
		return beside(c, list(c, left, height), text(c, right, height))
	}
	if s.left = width; s.onText {
		return text(c, width, height)
	}
	return list(c, width, height)
}

// aside lays out what was read of the selected item, for the side of its list.
type aside func(c *Context, width int) []cell.Line

// looking reads what stands beside a list.
type looking struct {
	job   job
	about string // key of the item that lines is about
	lines aside
}

// look reads what stands beside an item, when another one is selected, or again.
func (l *looking) look(c *Context, text *widget.Scroll, key string, again bool, read func(context.Context) (aside, error)) tea.Cmd {
	if key == l.about && !again {
		return nil
	}
	if key != l.about {
		l.about, l.lines = key, nil
		text.Top()
	}
	return run(c, &l.job, read, func(lines aside, err error) tea.Cmd {
		if err != nil {
			c.Fail(err)
			return nil
		}
		l.lines = lines
		return nil
	})
}

// of returns what was read of an item.
func (l *looking) of(c *Context, key string, width int) []cell.Line {
	if l.lines == nil || l.about != key {
		return nil
	}
	return l.lines(c, width)
}
