package screen

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Activity counts memories over time, by type and by project.
type Activity struct {
	plain
	by     engram.Grouping
	over   *read.StatsOver
	others []engram.GroupCount // by project
	scroll widget.Scroll
}

// NewActivity returns the screen.
func NewActivity() *Activity { return &Activity{by: engram.ByDay} }

// Title implements Screen.
func (*Activity) Title() string { return "Activity" }

// Position implements Screen.
func (a *Activity) Position() string { return a.scroll.Position() }

// Actions implements Screen.
func (*Activity) Actions() []keymap.Action { return []keymap.Action{keymap.Period} }

// Open implements Screen.
func (a *Activity) Open(c *Context) tea.Cmd { return a.Refresh(c) }

// Refresh implements Screen.
func (a *Activity) Refresh(c *Context) tea.Cmd {
	type both struct{ time, project read.StatsOver }
	project, by := c.Scope(), a.by
	return run(c, &a.reading, func(ctx context.Context) (b both, err error) {
		if b.time, err = c.Engine.StatsOver(ctx, read.StatsInput{Project: project, By: by}); err != nil {
			return b, err
		}
		b.project, err = c.Engine.StatsOver(ctx, read.StatsInput{Project: project, By: engram.ByProject})
		return b, err
	}, func(b both, err error) tea.Cmd {
		if err != nil {
			c.Fail(err)
			return nil
		}
		a.over, a.others = &b.time, b.project.Groups
		return nil
	})
}

// Do implements Screen.
func (a *Activity) Do(c *Context, action keymap.Action) tea.Cmd {
	if scrollBy(&a.scroll, action) || action != keymap.Period {
		return nil
	}
	a.by = map[engram.Grouping]engram.Grouping{engram.ByDay: engram.ByWeek, engram.ByWeek: engram.ByMonth, engram.ByMonth: engram.ByDay}[a.by]
	return a.Refresh(c)
}

// View implements Screen.
func (a *Activity) View(c *Context, width, height int) []string {
	t := c.Theme
	var lines []cell.Line
	if a.over != nil {
		title := map[engram.Grouping]string{engram.ByDay: "Saved by day, the last 30", engram.ByWeek: "Saved by week, the last 26", engram.ByMonth: "Saved by month, the last 12"}[a.by]
		lines = append(lines, cell.Line{{Text: "  "}, {Text: title, Style: t.Heading}, {Text: "  " + summed(a.over.Groups, a.by), Style: t.Dim}, {Text: "  " + c.Keys.Of(keymap.Period).First() + " changes the period", Style: t.Faint}}, cell.Line{})
		lines = append(lines, inset(widget.Columns(barsOf(a.over.Groups), width-4, max(6, min(16, height/3)), t))...)
		lines = append(lines, cell.Line{}, cell.Of("  By type", t.Heading))
		lines = append(lines, inset(widget.Bars(typeBars(t, a.over.Types, 12), min(width-4, 100), t))...)
		if len(a.others) > 1 {
			slices.SortFunc(a.others, func(x, y engram.GroupCount) int {
				return cmp.Or(cmp.Compare(y.Memories, x.Memories), cmp.Compare(x.Name, y.Name))
			})
			lines = append(lines, cell.Line{}, cell.Of("  By project", t.Heading))
			lines = append(lines, inset(widget.Bars(barsOf(a.others[:min(len(a.others), 20)]), min(width-4, 100), t))...)
		}
	}
	return blank(a.scroll.View(lines, width, height, t), width, height)
}

// summed says how many memories the groups of a chart have, and the largest of them.
func summed(groups []engram.GroupCount, by engram.Grouping) string {
	sum, most := 0, 0
	for _, g := range groups {
		sum, most = sum+g.Memories, max(most, g.Memories)
	}
	return fmt.Sprintf("%s, at most %s a %s", grouped(sum), grouped(most), by)
}

func inset(lines []cell.Line) []cell.Line {
	for i := range lines {
		lines[i] = append(cell.Line{{Text: "  "}}, lines[i]...)
	}
	return lines
}

// typeBars returns the bars of types, most first.
func typeBars(t *theme.Theme, types map[engram.Type]int, most int) (bars []widget.Bar) {
	for name, n := range types {
		if n > 0 {
			bars = append(bars, widget.Bar{Name: cell.Inline(string(name), 40), Count: n, Style: t.Type(name)})
		}
	}
	slices.SortFunc(bars, func(x, y widget.Bar) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name)) })
	return bars[:max(0, min(len(bars), most))]
}
