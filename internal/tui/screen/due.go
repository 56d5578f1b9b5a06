package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Due lists memories that are due for review, the longest overdue first.
type Due struct{ memories }

// NewDue returns the screen.
func NewDue() *Due {
	return &Due{newMemories(func(ctx context.Context, c *Context, offset, limit int) (widget.Page[noted], error) {
		ms, err := c.Engine.Reviews(ctx, c.Scope(), engram.Page{Limit: limit, Offset: offset})
		all := make([]noted, len(ms))
		for i, m := range ms {
			all[i] = noted{Memory: m, note: engram.Note{State: c.Engine.StateOf(m)}}
		}
		return widget.Page[noted]{Items: all, Total: -1}, err
	}, "Nothing is due for review.")}
}

// Title implements Screen.
func (*Due) Title() string { return "Reviews due" }

// Actions implements Screen.
func (*Due) Actions() []keymap.Action {
	return append([]keymap.Action{keymap.Approve, keymap.Snooze}, memoryActions()...)
}

// Do implements Screen.
func (d *Due) Do(c *Context, a keymap.Action) tea.Cmd {
	if one, ok := d.list.Current(); ok {
		switch a {
		case keymap.Approve:
			return reviewed(c, one.Num)
		case keymap.Snooze:
			return snooze(c, one.Num)
		}
	}
	return d.memories.Do(c, a)
}

// reviewed confirms that a memory still holds.
func reviewed(c *Context, num int64) tea.Cmd {
	return act(c, func(ctx context.Context) (review.ReviewResult, error) {
		return c.Engine.Reviewed(ctx, engram.ByNum(num))
	},
		func(r review.ReviewResult) tea.Cmd {
			return c.Did(change{r.Op}, "Reviewed “%s”: it still holds", cell.Inline(r.Memory.Title, 60))
		})
}

// snoozed is how long snooze postpones a review.
const snoozed = 90 * 24 * time.Hour

func snooze(c *Context, num int64) tea.Cmd {
	until := c.Now.Add(snoozed)
	return act(c, func(ctx context.Context) (review.ReviewResult, error) {
		return c.Engine.Snooze(ctx, engram.ByNum(num), until)
	},
		func(r review.ReviewResult) tea.Cmd {
			return c.Did(change{r.Op}, "Postponed the review of “%s” to %s", cell.Inline(r.Memory.Title, 60), r.Memory.ReviewAfter.In(c.Zone).Format(time.DateOnly))
		})
}

// Queue is the review queue: what is pending for a person.
type Queue struct {
	plain
	list widget.List[engram.QueueItem]
	sides
	cache textCache
}

// NewQueue returns the screen.
func NewQueue() *Queue {
	return &Queue{list: widget.List[engram.QueueItem]{Key: func(i engram.QueueItem) string { return string(i.Kind) + i.Name() }}}
}

// Title implements Screen.
func (*Queue) Title() string { return "Review queue" }

// Position implements Screen.
func (q *Queue) Position() string { return q.position(q.list.Position()) }

// Actions implements Screen.
func (*Queue) Actions() []keymap.Action {
	return []keymap.Action{keymap.Approve, keymap.Reject, keymap.Open, keymap.Select, keymap.Snooze, keymap.Edit, keymap.Timeline, keymap.Graph}
}

// Open implements Screen.
func (q *Queue) Open(c *Context) tea.Cmd { return q.load(c, true) }

// Refresh implements Screen.
func (q *Queue) Refresh(c *Context) tea.Cmd { return q.load(c, true) }

func (q *Queue) load(c *Context, again bool) tea.Cmd {
	return fetch(c, &q.reading, &q.list, again, func(ctx context.Context, project string, p engram.Page) (widget.Page[engram.QueueItem], error) {
		got, err := c.Engine.Queue(ctx, review.QueueInput{Project: project, Page: p})
		total := 0
		for _, n := range got.Counts {
			total += n
		}
		return widget.Page[engram.QueueItem]{Items: got.Items, Total: total}, err
	}, nil)
}

// Do implements Screen.
func (q *Queue) Do(c *Context, a keymap.Action) tea.Cmd {
	if a == keymap.Focus {
		q.onText = !q.onText
		return nil
	}
	if q.onText && scrollBy(&q.text, a) {
		return nil
	}
	if moveBy(&q.list, a) {
		q.text.Top()
		return q.load(c, false)
	}
	one, ok := q.list.Current()
	if !ok {
		return nil
	}
	num := one.Memory.Num
	switch a {
	case keymap.Approve, keymap.Reject:
		return q.decide(c, one, a == keymap.Approve)
	case keymap.Select:
		q.list.Mark()
		q.list.Move(1)
		return q.load(c, false)
	}
	if num == 0 { // a record that is no memory yet
		if a == keymap.Open {
			q.onText = true
		}
		return nil
	}
	switch a {
	case keymap.Open:
		return c.Push(NewDetail(num, nil))
	case keymap.Snooze:
		return snooze(c, num)
	case keymap.Edit:
		return edit(c, num)
	case keymap.Timeline:
		return c.Push(NewTimeline(num))
	case keymap.Graph:
		return c.Push(NewGraph(num))
	}
	return nil
}

// decide approves or rejects the selected items, or the one at the cursor.
func (q *Queue) decide(c *Context, one engram.QueueItem, approve bool) tea.Cmd {
	names := []string{one.Name()}
	if marks := q.list.Marks(); len(marks) > 0 {
		names = nil
		for _, key := range marks {
			for _, kind := range engram.QueueKinds() {
				if name, found := strings.CutPrefix(key, string(kind)); found {
					names = append(names, name)
				}
			}
		}
		q.list.Unmark()
	} else if approve && (one.Kind == engram.QueueDue || one.Kind == engram.QueueChanged) {
		return reviewed(c, one.Memory.Num)
	}
	return act(c, func(ctx context.Context) (review.Decided, error) {
		if approve {
			return c.Engine.ApproveNamed(ctx, names)
		}
		return c.Engine.RefuseNamed(ctx, names)
	}, func(d review.Decided) tea.Cmd {
		var ops change
		for _, done := range d.Done {
			ops = append(ops, done.Op)
		}
		slices.Sort(ops)
		verb := "Rejected"
		if approve {
			verb = "Approved"
		}
		cmd := c.Did(ops, "%s %s", verb, cell.Inline(strings.Join(names, ", "), 100))
		if len(d.Degraded) > 0 {
			c.Warn(cell.Inline(d.Degraded[0], 300), "")
		}
		return cmd
	})
}

// Leave implements Leaving.
func (q *Queue) Leave() bool {
	was := q.onText || q.list.Unmark()
	q.onText = false
	return was
}

// Click implements Clicked.
func (q *Queue) Click(c *Context, x, y int, twice bool) tea.Cmd {
	q.onText = x >= q.left
	if !q.onText && q.list.Click(y/2) {
		if twice {
			return q.Do(c, keymap.Open)
		}
		return q.load(c, false)
	}
	return nil
}

// View implements Screen.
func (q *Queue) View(c *Context, width, height int) []string {
	return q.both(c, width, height, q.viewList, q.viewText)
}

func (q *Queue) viewList(c *Context, width, height int) []string {
	return rows(c, &q.list, width, height, "Nothing is pending.", func(one engram.QueueItem) item { return queueItem(c, one) })
}

// kindName names a kind of the queue for a person.
func kindName(k engram.QueueKind) string {
	switch k {
	case engram.QueueFlagged:
		return "flagged"
	case engram.QueuePending:
		return "from outside"
	case engram.QueueProposal:
		return "proposal"
	case engram.QueueChanged:
		return "code changed"
	case engram.QueueDue:
		return "due"
	}
	return cell.Inline(string(k), 0)
}

func queueItem(c *Context, one engram.QueueItem) item {
	t := c.Theme
	style := t.Warn
	if one.Kind == engram.QueueFlagged {
		style = t.Bad
	}
	it := item{lead: cell.Of(kindName(one.Kind)+" ", style), said: cell.Inline(strings.Join(one.Reasons, "; "), 400)}
	if m, ok := recordOf(one); ok {
		it.title = cell.Inline(m.Title, 300)
		it.kind = kindOf(c, m.Type)
	} else {
		it.title = one.Name()
	}
	it.end = cell.Of(age(c.Now, one.Since), t.Faint)
	return it
}

// recordOf returns the memory of an item, or the one that a pending record would become.
func recordOf(one engram.QueueItem) (engram.Memory, bool) {
	if one.Pending == nil {
		return one.Memory, true
	}
	if m := one.Pending.Record.Memory; m != nil {
		return m.Memory, true
	}
	return engram.Memory{}, false
}

func (q *Queue) viewText(c *Context, width, height int) []string {
	one, ok := q.list.Current()
	if !ok {
		return blank(nil, width, height)
	}
	t := c.Theme
	if key := fmt.Sprint(one.Kind, one.Name(), one.Memory.UpdatedAt.UnixMilli(), width, t.Name); q.cache.key != key {
		q.cache = textCache{key: key}
		for _, r := range one.Reasons {
			q.cache.lines = append(q.cache.lines, cell.Of(cell.Inline(r, 0), t.Warn).Wrap(width, cell.Of("  ", nil))...)
		}
		if p := one.Pending; p != nil {
			q.cache.lines = append(q.cache.lines, cell.Of(cell.Inline(fmt.Sprintf("%s for project %s, from %s", one.Name(), p.Project, p.By), 0), t.Dim).Wrap(width, nil)...)
		}
		q.cache.lines = append(q.cache.lines, cell.Line{})
		if m, ok := recordOf(one); ok {
			q.cache.lines = append(q.cache.lines, memoryText(c, m, engram.Note{Anchors: one.Anchors}, width, mostBeside, nil)...)
		}
	}
	return blank(q.text.View(q.cache.lines, width, height, t), width, height)
}
