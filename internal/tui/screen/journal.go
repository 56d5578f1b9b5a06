package screen

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Journal lists what was changed, by whom, the latest first, and undoes it.
type Journal struct {
	plain
	list widget.List[engram.LogEntry]
	sides
}

// NewJournal returns the screen.
func NewJournal() *Journal {
	return &Journal{list: widget.List[engram.LogEntry]{Key: func(e engram.LogEntry) string { return fmt.Sprint(e.Op) }}}
}

// Title implements Screen.
func (*Journal) Title() string { return "Journal" }

// Position implements Screen.
func (j *Journal) Position() string { return j.position(j.list.Position()) }

// Actions implements Screen.
func (*Journal) Actions() []keymap.Action { return []keymap.Action{keymap.Undo, keymap.Open} }

// Open implements Screen.
func (j *Journal) Open(c *Context) tea.Cmd { return j.load(c, true) }

// Refresh implements Screen.
func (j *Journal) Refresh(c *Context) tea.Cmd { return j.load(c, true) }

func (j *Journal) load(c *Context, again bool) tea.Cmd {
	return fetch(c, &j.reading, &j.list, again, func(ctx context.Context, project string, p engram.Page) (widget.Page[engram.LogEntry], error) {
		entries, _, err := c.Engine.Log(ctx, read.LogInput{Project: project, Page: p})
		return widget.Page[engram.LogEntry]{Items: entries, Total: -1}, err
	}, nil)
}

// Do implements Screen.
func (j *Journal) Do(c *Context, a keymap.Action) tea.Cmd {
	if a == keymap.Focus {
		j.onText = !j.onText
		return nil
	}
	if j.onText && scrollBy(&j.text, a) {
		return nil
	}
	if moveBy(&j.list, a) {
		j.text.Top()
		return j.load(c, false)
	}
	e, ok := j.list.Current()
	if !ok {
		return nil
	}
	switch a {
	case keymap.Undo:
		switch {
		case e.Final:
			c.Warn(fmt.Sprintf("operation %d cannot be undone: what it touched was erased", e.Op), "")
		case e.UndoneBy > 0:
			c.Warn(fmt.Sprintf("operation %d is undone already", e.Op), fmt.Sprintf("undo operation %d to do it again", e.UndoneBy))
		default:
			return undoAll(c, change{e.Op})
		}
	case keymap.Open:
		for _, it := range e.Items {
			if num := memoryOf(it); num > 0 {
				return c.Push(NewDetail(num, nil))
			}
		}
	}
	return nil
}

// memoryOf returns the number of the memory that an item of the journal is; 0 for another thing.
func memoryOf(it engram.LogItem) (num int64) {
	if it.Entity == engram.EntityMemory {
		_, _ = fmt.Sscan(it.Key, &num)
	}
	return num
}

// Leave implements Leaving.
func (j *Journal) Leave() bool {
	was := j.onText
	j.onText = false
	return was
}

// Click implements Clicked.
func (j *Journal) Click(c *Context, x, y int, twice bool) tea.Cmd {
	j.onText = x >= j.left
	if !j.onText && j.list.Click(y/2) {
		if twice {
			return j.Do(c, keymap.Open)
		}
		return j.load(c, false)
	}
	return nil
}

// View implements Screen.
func (j *Journal) View(c *Context, width, height int) []string {
	return j.both(c, width, height, j.viewList, j.viewText)
}

func (j *Journal) viewList(c *Context, width, height int) []string {
	return rows(c, &j.list, width, height, "Nothing was changed yet.", func(e engram.LogEntry) item { return journalItem(c, e) })
}

func journalItem(c *Context, e engram.LogEntry) item {
	t := c.Theme
	it := item{faint: e.UndoneBy > 0}
	it.lead = cell.Line{{Text: fmt.Sprintf("%d ", e.Op), Style: t.Faint}}
	it.title = cell.Inline(e.Name, 0)
	if len(e.Items) > 0 && e.Items[0].Title != "" {
		it.lead = append(it.lead, cell.Span{Text: it.title + " ", Style: t.Accent})
		it.title = cell.Inline(e.Items[0].Title, 300)
	}
	if e.UndoneBy > 0 {
		it.end = cell.Of("undone ", t.Warn)
	}
	if e.Undoes > 0 {
		it.end = append(it.end, cell.Span{Text: fmt.Sprintf("undoes %d ", e.Undoes), Style: t.Warn})
	}
	it.end = append(it.end, cell.Span{Text: age(c.Now, e.At.Time()), Style: t.Faint})
	said := []string{cell.Inline(e.Actor, 0)}
	if n := len(e.Items) + e.More; n > 1 {
		said = append(said, counted(n, "thing", "things"))
	}
	if e.Reason != "" {
		said = append(said, cell.Inline(e.Reason, 200))
	}
	if len(e.Items) > 0 && len(e.Items[0].Fields) > 0 {
		said = append(said, cell.Inline(strings.Join(e.Items[0].Fields, ", "), 200))
	}
	it.said = strings.Join(said, " · ")
	return it
}

// viewText is the whole entry, as engram log writes it.
func (j *Journal) viewText(c *Context, width, height int) []string {
	e, ok := j.list.Current()
	if !ok {
		return blank(nil, width, height)
	}
	var lines []cell.Line
	for i, l := range strings.Split(cell.Plain(render.Log([]engram.LogEntry{e}, zeroTime(), render.Options{Zone: c.Zone})), "\n") {
		style := c.Theme.Text
		if i == 0 {
			style = c.Theme.Title
		}
		lines = append(lines, cell.Of(l, style).Wrap(width, cell.Of("  ", nil))...)
	}
	return blank(j.text.View(lines, width, height, c.Theme), width, height)
}

// latestOf returns the newest own operation on a project.
func latestOf(ctx context.Context, c *Context, project string) int64 {
	entries, _, err := c.Engine.Log(ctx, read.LogInput{Project: project, Actor: c.Engine.Caller().Actor, Page: engram.Page{Limit: 1}})
	if err != nil || len(entries) == 0 {
		return 0
	}
	return entries[0].Op
}
