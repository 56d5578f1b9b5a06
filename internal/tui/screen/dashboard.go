package screen

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Place is a screen that can be opened by name.
type Place struct {
	Name  string // in the command line
	Label string // in the menu
	About string
	New   func(*Context) Screen
}

// Places returns the screens of the menu, in its order.
func Places() []Place {
	return []Place{
		{"search", "Search", "find by words and meaning", func(c *Context) Screen { return NewSearch(c, "") }},
		{"recent", "Recent memories", "everything, newest first", func(*Context) Screen { return NewRecent() }},
		{"sessions", "Sessions", "what was done when", func(*Context) Screen { return NewSessions() }},
		{"conflicts", "Conflicts", "judge what contradicts", func(*Context) Screen { return NewConflicts() }},
		{"due", "Reviews due", "check what may have changed", func(*Context) Screen { return NewDue() }},
		{"queue", "Review queue", "approve or reject what is pending", func(*Context) Screen { return NewQueue() }},
		{"journal", "Journal", "who changed what; undo", func(*Context) Screen { return NewJournal() }},
		{"exposures", "Exposures", "what sessions were shown", func(*Context) Screen { return NewExposures() }},
		{"activity", "Activity", "memories over time, by type, by project", func(*Context) Screen { return NewActivity() }},
		{"projects", "Projects", "merge, rename", func(*Context) Screen { return NewProjects() }},
		{"setup", "Setup", "which agents are connected", func(*Context) Screen { return NewSetup() }},
		{"settings", "Settings", "where each value comes from", func(*Context) Screen { return NewSettings() }},
	}
}

// Dashboard is the first screen: counts, the menu, and what needs a person.
type Dashboard struct {
	plain
	counts  *overview
	cursor  int
	left    int // width of the menu in the last view
	menuTop int // line of the first menu item in the last view
	listTop int // line of the first of the latest memories
	listed  int // how many of them it showed
}

// overview is what the dashboard counts.
type overview struct {
	stats   read.StatsOver
	queue   map[engram.QueueKind]int
	running []engram.SessionActivity
	latest  []engram.Memory
}

// mostShown limits the sessions and memories that the dashboard shows.
const mostShown = 40

// NewDashboard returns the screen.
func NewDashboard() *Dashboard { return &Dashboard{} }

// Title implements Screen.
func (*Dashboard) Title() string { return "Engram" }

// Actions implements Screen.
func (*Dashboard) Actions() []keymap.Action {
	return []keymap.Action{keymap.Open}
}

// Open implements Screen.
func (d *Dashboard) Open(c *Context) tea.Cmd { return d.Refresh(c) }

// Refresh implements Screen.
func (d *Dashboard) Refresh(c *Context) tea.Cmd {
	project := c.Scope()
	return run(c, &d.reading, func(ctx context.Context) (o overview, err error) {
		if o.stats, err = c.Engine.StatsOver(ctx, read.StatsInput{Project: project, By: engram.ByDay}); err != nil {
			return o, err
		}
		q, err := c.Engine.Queue(ctx, review.QueueInput{Project: project, Kinds: []engram.QueueKind{engram.QueueFlagged, engram.QueuePending, engram.QueueProposal, engram.QueueChanged}, Page: engram.Page{Limit: 1}})
		if err != nil {
			return o, err
		}
		o.queue = q.Counts
		if o.running, err = c.Engine.RunningSessions(ctx, project, engram.Page{Limit: mostShown}); err != nil {
			return o, err
		}
		o.latest, err = c.Engine.List(ctx, engram.Filter{Project: project}, engram.Page{Limit: mostShown})
		return o, err
	}, func(o overview, err error) tea.Cmd {
		if engram.CodeOf(err) == engram.CodeNotFound && !c.All { // the folder's project has nothing yet
			c.All = true
			c.Say("Nothing is stored for project %s yet: all projects are shown", cell.Inline(project, 100))
			return c.Refreshed()
		}
		if err != nil {
			c.Fail(err)
			return nil
		}
		d.counts = &o
		if d.empty() {
			c.ClearNote()
		}
		return nil
	})
}

// empty reports whether nothing is stored in any project.
func (d *Dashboard) empty() bool {
	return d.counts != nil && d.counts.stats.Memories == 0 && len(d.counts.stats.Projects) == 0
}

// Do implements Screen.
func (d *Dashboard) Do(c *Context, a keymap.Action) tea.Cmd {
	last := len(Places()) - 1
	switch a {
	case keymap.Down:
		d.cursor = min(d.cursor+1, last)
	case keymap.Up:
		d.cursor = max(d.cursor-1, 0)
	case keymap.Top, keymap.PageUp:
		d.cursor = 0
	case keymap.Bottom, keymap.PageDown:
		d.cursor = last
	case keymap.Open:
		return c.Push(Places()[d.cursor].New(c))
	}
	return nil
}

// Click implements Clicked.
func (d *Dashboard) Click(c *Context, x, y int, _ bool) tea.Cmd {
	if x >= d.left {
		return nil
	}
	if at := y - d.menuTop; at >= 0 && at < len(Places()) {
		d.cursor = at
		return d.Do(c, keymap.Open)
	}
	if at := y - d.listTop; at >= 0 && at < d.listed && at < len(d.counts.latest) {
		return c.Push(NewDetail(d.counts.latest[at].Num, nil))
	}
	return nil
}

// View implements Screen.
func (d *Dashboard) View(c *Context, width, height int) []string {
	if width >= wide && height >= 24 {
		left, right := columns(width)
		left, right = max(left, 60), min(right, width-63)
		d.left = left
		return beside(c, d.side(c, left, height, true), d.activity(c, right, height))
	}
	d.left = width
	return d.side(c, width, height, height >= 22)
}

// side is the counts and the menu.
func (d *Dashboard) side(c *Context, width, height int, roomy bool) []string {
	var lines []string
	put := func(l cell.Line) { lines = append(lines, l.Render(width, nil, false)) }
	gap := func() {
		if roomy {
			put(nil)
		}
	}
	if height > len(Places())+4 {
		gap()
		for _, l := range d.tiles(c, width) {
			put(l)
		}
		gap()
	}
	d.menuTop = len(lines)
	rows := max(1, height-len(lines))
	from := max(0, min(d.cursor-rows/2, len(Places())-rows))
	d.menuTop -= from
	for i, p := range Places()[from:min(len(Places()), from+rows)] {
		lines = append(lines, d.menuLine(c, p, width, from+i == d.cursor))
	}
	if d.counts != nil && len(d.counts.running) > 0 && len(lines)+2 < height {
		put(nil)
		for _, s := range d.counts.running[:min(len(d.counts.running), max(3, (height-len(lines))/3), max(0, height-len(lines)-1))] {
			put(cell.Line{{Text: "  "}, {Text: "(active) ", Style: c.Theme.Active}, {Text: cell.Inline(s.ID, 0), Style: c.Theme.Text},
				{Text: "  " + cell.Inline(s.Project, 0) + "  " + counted(s.Memories, "memory", "memories"), Style: c.Theme.Dim}})
		}
	}
	if d.empty() && len(lines)+2 < height {
		put(nil)
		put(cell.Of("  Nothing is stored yet: "+c.Keys.Of(keymap.New).First()+" writes a memory, and agents save", c.Theme.Accent))
		put(cell.Of("  by themselves once Setup shows them as set up.", c.Theme.Accent))
	}
	d.listed = 0
	if room := height - len(lines) - 2; room >= 4 && d.counts != nil && len(d.counts.latest) > 0 {
		put(nil)
		put(cell.Of("  Latest memories", c.Theme.Heading))
		d.listTop, d.listed = len(lines), min(room, len(d.counts.latest))
		for _, m := range d.counts.latest[:d.listed] {
			put(append(cell.Line{{Text: "  "}}, memoryLine(c, m, width-2)...))
		}
	}
	return blank(lines, width, height)
}

func (d *Dashboard) menuLine(c *Context, p Place, width int, on bool) string {
	t := c.Theme
	bar := cell.Span{Text: "  "}
	if on {
		bar = cell.Span{Text: "▌ ", Style: t.Accent}
	}
	line := cell.Line{bar, {Text: cell.Pad(p.Label, 18), Style: t.Strong}}
	if n := d.pending(p.Name); n > 0 {
		line = append(line, cell.Span{Text: fmt.Sprintf("%s ", grouped(n)), Style: t.Warn})
	}
	return append(line, cell.Span{Text: p.About, Style: t.Dim}).Render(width, fill(t, on), on)
}

// pending is how many things wait for a person on a screen.
func (d *Dashboard) pending(name string) (n int) {
	if d.counts == nil {
		return 0
	}
	switch name {
	case "conflicts":
		return d.counts.stats.Pending
	case "due":
		return d.counts.stats.Due
	case "queue":
		for _, count := range d.counts.queue {
			n += count
		}
	}
	return n
}

// tiles are the counts.
func (d *Dashboard) tiles(c *Context, width int) []cell.Line {
	t := c.Theme
	number := func(n int) string {
		if d.counts == nil {
			return "…"
		}
		return grouped(n)
	}
	var s read.StatsOver
	if d.counts != nil {
		s = d.counts.stats
	}
	tiles := []struct{ name, count string }{
		{"memories", number(s.Memories)}, {"sessions", number(s.Sessions)}, {"prompts", number(s.Prompts)},
		{"projects", number(len(s.Projects))}, {"relations", number(s.Relations)},
	}
	counts, names := cell.Line{{Text: "  "}}, cell.Line{{Text: "  "}}
	for _, tile := range tiles {
		w := max(cell.Width(tile.name), cell.Width(tile.count)) + 2
		if counts.Width()+w > width {
			break
		}
		counts = append(counts, cell.Span{Text: cell.Pad(tile.count, w), Style: t.Title})
		names = append(names, cell.Span{Text: cell.Pad(tile.name, w), Style: t.Dim})
	}
	return []cell.Line{counts, names}
}

// activity is the last thirty days and the types.
func (d *Dashboard) activity(c *Context, width, height int) []string {
	t := c.Theme
	var lines []cell.Line
	if d.counts != nil && !d.empty() {
		s := d.counts.stats
		lines = append(lines, cell.Line{}, cell.Line{{Text: "Saved in the last 30 days", Style: t.Heading}, {Text: "  " + summed(s.Groups, engram.ByDay), Style: t.Dim}}, cell.Line{})
		lines = append(lines, widget.Columns(barsOf(s.Groups), width-2, min(10, height/3), t)...)
		lines = append(lines, cell.Line{}, cell.Of("By type", t.Heading), cell.Line{})
		lines = append(lines, widget.Bars(typeBars(t, s.Types, height-len(lines)-1), min(width-2, 80), t)...)
	}
	out := make([]string, 0, height)
	for _, l := range lines {
		out = append(out, l.Render(width, nil, false))
	}
	return blank(out, width, height)
}

// barsOf returns the bars of counted groups.
func barsOf(groups []engram.GroupCount) (bars []widget.Bar) {
	for _, g := range groups {
		name := cell.Inline(g.Name, 60)
		bars = append(bars, widget.Bar{Name: strings.TrimSpace(name), Count: g.Memories})
	}
	return bars
}
