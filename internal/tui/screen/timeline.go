package screen

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Timeline is what was saved in the session of a memory, before and after it, oldest first.
type Timeline struct {
	memories
	num   int64
	found bool // the cursor was put on the memory
}

// NewTimeline returns the screen.
func NewTimeline(num int64) *Timeline {
	t := &Timeline{num: num}
	t.memories = newMemories(func(ctx context.Context, c *Context, _, _ int) (widget.Page[noted], error) {
		const most = 100
		got, err := c.Engine.Timeline(ctx, engram.ByNum(num), most, most)
		if err != nil {
			return widget.Page[noted]{}, err
		}
		all := slices.Concat(got.Before, []engram.Memory{got.Focus}, got.After)
		return widget.Page[noted]{Items: notedOf(all, got.Notes), Total: len(all)}, nil
	}, "Nothing else was saved in its session.")
	return t
}

// Title implements Screen.
func (t *Timeline) Title() string { return fmt.Sprintf("Timeline of #%d", t.num) }

// Open implements Screen.
func (t *Timeline) Open(c *Context) tea.Cmd { return t.Refresh(c) }

// Refresh implements Screen. A timeline is read as a whole: it has at most 201 memories.
func (t *Timeline) Refresh(c *Context) tea.Cmd {
	read, scope := t.read, *c
	return run(c, &t.reading, func(ctx context.Context) (widget.Page[noted], error) { return read(ctx, &scope, 0, 0) },
		func(p widget.Page[noted], err error) tea.Cmd {
			if err != nil {
				c.Fail(err)
				return nil
			}
			t.list.Set(0, len(p.Items), p)
			if !t.found {
				t.found = t.list.Select(strconv.FormatInt(t.num, 10))
				t.list.Center()
			}
			return nil
		})
}
