package screen

import (
	"context"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// noted is a memory in a list, with what changes how it is to be read.
type noted struct {
	engram.Memory
	note  engram.Note
	below bool     // below the relevance threshold
	why   []string // harmless lines on why it was found
}

// memories is a list of memories with the text of the selected one beside it or below, and what keys do to memories. The
// screens that list memories embed it.
type memories struct {
	plain
	list  widget.List[noted]
	read  func(ctx context.Context, c *Context, offset, limit int) (widget.Page[noted], error)
	match []string
	empty string // what an empty list says
	sides
	why bool // the text begins with why it was found

	cache textCache
}

// textCache is the text that was laid out last.
type textCache struct {
	key   string
	lines []cell.Line
}

func newMemories(read func(ctx context.Context, c *Context, offset, limit int) (widget.Page[noted], error), empty string) memories {
	return memories{read: read, empty: empty, list: widget.List[noted]{Key: func(n noted) string { return strconv.FormatInt(n.Num, 10) }}}
}

// Position implements Screen.
func (m *memories) Position() string { return m.position(m.list.Position()) }

// Open implements Screen.
func (m *memories) Open(c *Context) tea.Cmd { return m.load(c, true) }

// Refresh implements Screen.
func (m *memories) Refresh(c *Context) tea.Cmd { return m.load(c, true) }

// load reads what is visible, if it must be read, or again.
func (m *memories) load(c *Context, again bool) tea.Cmd {
	read, scope := m.read, *c
	return fetch(c, &m.reading, &m.list, again, func(ctx context.Context, _ string, p engram.Page) (widget.Page[noted], error) {
		return read(ctx, &scope, p.Offset, p.Limit)
	}, nil)
}

// Do implements Screen.
func (m *memories) Do(c *Context, a keymap.Action) tea.Cmd {
	if cmd, done := m.move(c, a); done {
		return cmd
	}
	if cmd, done := m.step(c, a); done {
		return cmd
	}
	current, ok := m.list.Current()
	if a == keymap.New {
		return Write(c)
	}
	if !ok {
		return nil
	}
	switch a {
	case keymap.Open:
		return c.Push(&Detail{num: current.Num, match: m.match, from: m})
	case keymap.Timeline:
		return c.Push(NewTimeline(current.Num))
	case keymap.Graph:
		return c.Push(NewGraph(current.Num))
	case keymap.Edit:
		return edit(c, current.Num)
	case keymap.Pin:
		return pin(c, m.chosen())
	case keymap.Forget:
		nums := m.chosen()
		m.list.Unmark()
		return forget(c, nums)
	case keymap.Link:
		return link(c, m.chosen())
	case keymap.Copy:
		return copyText(c, current.Memory)
	case keymap.Select:
		m.list.Mark()
		m.list.Move(1)
		return m.load(c, false)
	case keymap.Why:
		m.why = !m.why
		m.text.Top()
	}
	return nil
}

// chosen returns the numbers of the selected memories, or that of the one at the cursor.
func (m *memories) chosen() (nums []int64) {
	for _, key := range m.list.Marks() {
		if n, err := strconv.ParseInt(key, 10, 64); err == nil {
			nums = append(nums, n)
		}
	}
	if current, ok := m.list.Current(); ok && len(nums) == 0 {
		nums = []int64{current.Num}
	}
	return nums
}

func (m *memories) move(c *Context, a keymap.Action) (tea.Cmd, bool) {
	if a == keymap.Focus {
		m.onText = !m.onText
		return nil, true
	}
	if m.onText {
		return nil, scrollBy(&m.text, a)
	}
	if !moveBy(&m.list, a) {
		return nil, false
	}
	m.text.Top()
	return m.load(c, false), true
}

// step selects the next or the previous memory, also while the text or the page of the selected one is read.
func (m *memories) step(c *Context, a keymap.Action) (tea.Cmd, bool) {
	switch a {
	case keymap.Next:
		m.list.Move(1)
	case keymap.Previous:
		m.list.Move(-1)
	default:
		return nil, false
	}
	m.text.Top()
	return m.load(c, false), true
}

// moveBy moves the cursor of a list; it reports whether the action is a movement.
func moveBy[T any](l *widget.List[T], a keymap.Action) bool {
	switch a {
	case keymap.Down:
		l.Move(1)
	case keymap.Up:
		l.Move(-1)
	case keymap.Top:
		l.To(0)
	case keymap.Bottom:
		l.To(l.Len() - 1)
	case keymap.PageDown:
		l.Move(l.Page())
	case keymap.PageUp:
		l.Move(-l.Page())
	default:
		return false
	}
	return true
}

// scrollBy scrolls a text; it reports whether the action is a movement.
func scrollBy(s *widget.Scroll, a keymap.Action) bool {
	switch a {
	case keymap.Down:
		s.Move(1)
	case keymap.Up:
		s.Move(-1)
	case keymap.Top:
		s.Top()
	case keymap.Bottom:
		s.Bottom()
	case keymap.PageDown:
		s.Move(s.Page())
	case keymap.PageUp:
		s.Move(-s.Page())
	default:
		return false
	}
	return true
}

// Leave implements Leaving. It drops the selection, too.
func (m *memories) Leave() bool {
	was := m.onText || m.list.Unmark()
	m.onText = false
	return was
}

// Click implements Clicked.
func (m *memories) Click(c *Context, x, y int, twice bool) tea.Cmd {
	if x >= m.left {
		m.onText = true
		return nil
	}
	m.onText = false
	if !m.list.Click(y / 2) {
		return nil
	}
	m.text.Top()
	if twice {
		return m.Do(c, keymap.Open)
	}
	return m.load(c, false)
}

// View implements Screen.
func (m *memories) View(c *Context, width, height int) []string {
	return m.both(c, width, height, m.viewList, m.viewText)
}

func (m *memories) viewList(c *Context, width, height int) []string {
	return rows(c, &m.list, width, height, m.empty, func(n noted) item {
		it := memoryItem(c, n.Memory, n.note, m.match)
		if n.below {
			it.faint = true
			it.badge = append(cell.Line{{Text: " weak", Style: c.Theme.Warn}}, it.badge...)
		}
		return it
	})
}

func (m *memories) viewText(c *Context, width, height int) []string {
	n, ok := m.list.Current()
	if !ok {
		return blank(nil, width, height)
	}
	key := fmt.Sprint(n.Num, n.RevisionCount, n.UpdatedAt.UnixMilli(), n.Permanent, n.note.State, len(n.note.Relations), width, c.Theme.Name, m.why, len(n.why), c.Running[n.SessionID])
	if m.cache.key != key {
		m.cache = textCache{key: key}
		if m.why {
			for _, w := range n.why {
				m.cache.lines = append(m.cache.lines, cell.Of(w, c.Theme.Warn).Wrap(width, cell.Of("  ", nil))...)
			}
			m.cache.lines = append(m.cache.lines, cell.Line{})
		}
		m.cache.lines = append(m.cache.lines, memoryText(c, n.Memory, n.note, width, mostBeside, m.match)...)
	}
	return blank(m.text.View(m.cache.lines, width, height, c.Theme), width, height)
}

// memoryActions are what keys do to a memory in a list.
func memoryActions() []keymap.Action {
	return []keymap.Action{keymap.Open, keymap.Edit, keymap.Forget, keymap.Pin, keymap.Timeline, keymap.Graph, keymap.Link, keymap.Copy, keymap.Select, keymap.New, keymap.Next, keymap.Previous}
}

// Actions implements Screen.
func (m *memories) Actions() []keymap.Action { return memoryActions() }

// listed reads a page of memories that match a filter, newest first.
func listed(ctx context.Context, c *Context, f engram.Filter, offset, limit int) (widget.Page[noted], error) {
	l, err := c.Engine.ListNoted(ctx, f, engram.Page{Limit: limit, Offset: offset}, zeroTime())
	if err != nil {
		return widget.Page[noted]{}, err
	}
	total, err := c.Engine.Count(ctx, f)
	return widget.Page[noted]{Items: notedOf(l.Memories, l.Notes), Total: total}, err
}

func notedOf(ms []engram.Memory, notes engram.Notes) []noted {
	all := make([]noted, len(ms))
	for i, m := range ms {
		all[i] = noted{Memory: m, note: notes[m.Num]}
	}
	return all
}
