package screen

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Projects lists the projects, and merges and renames them.
type Projects struct {
	plain
	list   widget.List[engram.ProjectCounts]
	beside looking
	sides
}

// NewProjects returns the screen.
func NewProjects() *Projects {
	return &Projects{list: widget.List[engram.ProjectCounts]{Key: func(p engram.ProjectCounts) string { return p.Name }}}
}

// Title implements Screen.
func (*Projects) Title() string { return "Projects" }

// Position implements Screen.
func (p *Projects) Position() string { return p.position(p.list.Position()) }

// Actions implements Screen.
func (*Projects) Actions() []keymap.Action {
	return []keymap.Action{keymap.Open, keymap.Rename, keymap.Merge, keymap.Select}
}

// Open implements Screen.
func (p *Projects) Open(c *Context) tea.Cmd { return p.Refresh(c) }

// Refresh implements Screen.
func (p *Projects) Refresh(c *Context) tea.Cmd {
	return run(c, &p.reading, c.Engine.Projects, func(all []engram.ProjectCounts, err error) tea.Cmd {
		if err != nil {
			c.Fail(err)
			return nil
		}
		slices.SortFunc(all, func(a, b engram.ProjectCounts) int {
			return cmp.Or(cmp.Compare(b.Memories, a.Memories), cmp.Compare(a.Name, b.Name))
		})
		p.list.Set(0, len(all), widget.Page[engram.ProjectCounts]{Items: all, Total: len(all)})
		return p.look(c, true)
	})
}

// Close implements Screen.
func (p *Projects) Close() {
	p.beside.job.stop()
	p.plain.Close()
}

// look reads the latest memories of the selected project, and counts them by type.
func (p *Projects) look(c *Context, again bool) tea.Cmd {
	one, ok := p.list.Current()
	if !ok {
		return nil
	}
	return p.beside.look(c, &p.text, one.Name, again, func(ctx context.Context) (aside, error) {
		ms, err := c.Engine.List(ctx, engram.Filter{Project: one.Name}, engram.Page{Limit: mostAside})
		if err != nil {
			return nil, err
		}
		st, err := c.Engine.Stats(ctx, one.Name)
		return func(c *Context, width int) (lines []cell.Line) {
			lines = append(lines, widget.Bars(typeBars(c.Theme, st.Types, 6), min(width, 80), c.Theme)...)
			lines = append(lines, cell.Line{}, cell.Of("Latest memories", c.Theme.Heading))
			for _, m := range ms {
				lines = append(lines, memoryLine(c, m, width))
			}
			return lines
		}, err
	})
}

// Do implements Screen.
func (p *Projects) Do(c *Context, a keymap.Action) tea.Cmd {
	switch {
	case a == keymap.Focus:
		p.onText = !p.onText
		return nil
	case p.onText && scrollBy(&p.text, a):
		return nil
	case moveBy(&p.list, a):
		return p.look(c, false)
	}
	one, ok := p.list.Current()
	if !ok {
		return nil
	}
	switch a {
	case keymap.Open:
		c.Project, c.All = one.Name, false
		return c.Push(NewRecent())
	case keymap.Select:
		p.list.Mark()
		p.list.Move(1)
		return p.look(c, false)
	case keymap.Rename:
		c.Ask((&Prompt{Label: "New name of " + cell.Inline(one.Name, 100) + ":", Then: func(to string) tea.Cmd {
			return moved(c, one.Name, func(ctx context.Context) (projects.MergeResult, error) {
				return c.Engine.RenameProject(ctx, one.Name, to)
			})
		}}).With(one.Name))
	case keymap.Merge:
		from := p.list.Marks()
		if len(from) == 0 {
			from = []string{one.Name}
		}
		slices.Sort(from)
		c.Ask(&Choice{Label: "Merge " + cell.Inline(strings.Join(from, ", "), 100) + " into:", Options: p.others(from), Then: func(to string) tea.Cmd {
			p.list.Unmark()
			return moved(c, strings.Join(from, ", "), func(ctx context.Context) (projects.MergeResult, error) { return c.Engine.MergeProjects(ctx, from, to) })
		}})
	}
	return nil
}

// others are the projects that some can be merged into.
func (p *Projects) others(from []string) (all []Option) {
	for i := range p.list.Len() {
		if one, ok := p.list.At(i); ok && !slices.Contains(from, one.Name) {
			all = append(all, Option{cell.Inline(one.Name, 100), counted(one.Memories, "memory", "memories"), one.Name})
		}
	}
	return all
}

// moved merges or renames, and lets undo find the operation.
func moved(c *Context, from string, move func(context.Context) (projects.MergeResult, error)) tea.Cmd {
	type result struct {
		projects.MergeResult
		op int64
	}
	return act(c, func(ctx context.Context) (r result, err error) {
		if r.MergeResult, err = move(ctx); err == nil {
			r.op = latestOf(ctx, c, r.To)
		}
		return r, err
	}, func(r result) tea.Cmd {
		if c.Project != "" && slices.Contains(strings.Split(from, ", "), c.Project) {
			c.Project = r.To
		}
		return c.Did(change{r.op}, "%s is now %s: %s moved", cell.Inline(from, 100), cell.Inline(r.To, 100), counted(r.Memories, "memory", "memories"))
	})
}

// Leave implements Leaving. It drops the selection, too.
func (p *Projects) Leave() bool {
	was := p.onText || p.list.Unmark()
	p.onText = false
	return was
}

// Click implements Clicked.
func (p *Projects) Click(c *Context, x, y int, twice bool) tea.Cmd {
	p.onText = x >= p.left
	switch {
	case p.onText || !p.list.Click(y/2):
		return nil
	case twice:
		return p.Do(c, keymap.Open)
	}
	return p.look(c, false)
}

// View implements Screen.
func (p *Projects) View(c *Context, width, height int) []string {
	return p.both(c, width, height, p.viewList, p.viewText)
}

func (p *Projects) viewList(c *Context, width, height int) []string {
	t := c.Theme
	return rows(c, &p.list, width, height, "No project yet.", func(one engram.ProjectCounts) item {
		it := item{title: cell.Inline(one.Name, 0)}
		if one.Name == c.Project {
			it.lead = cell.Of("● ", t.Good)
		}
		var said []string
		if len(one.Aliases) > 0 {
			said = append(said, "also "+strings.Join(one.Aliases, ", "))
		}
		for _, s := range []string{one.Root, one.Remote} {
			if s != "" {
				said = append(said, s)
			}
		}
		it.said = cell.Inline(strings.Join(said, " · "), 500)
		it.end = cell.Of(counted(one.Memories, "memory", "memories"), t.Dim)
		it.badge = cell.Of(counted(one.Sessions, "session", "sessions")+"  "+counted(one.Prompts, "prompt", "prompts"), t.Faint)
		return it
	})
}

// viewText is the selected project, its types and its latest memories.
func (p *Projects) viewText(c *Context, width, height int) []string {
	one, ok := p.list.Current()
	if !ok {
		return blank(nil, width, height)
	}
	t := c.Theme
	lines := cell.Of(cell.Inline(one.Name, 0), t.Title).Wrap(width, nil)
	for _, f := range [][2]string{{"also", strings.Join(one.Aliases, ", ")}, {"folder", one.Root}, {"remote", one.Remote}} {
		if f[1] != "" {
			lines = append(lines, cell.Line{{Text: cell.Pad(f[0], 8), Style: t.Faint}, {Text: cell.Inline(f[1], 0), Style: t.Dim}}.Wrap(width, cell.Of("        ", nil))...)
		}
	}
	lines = append(lines, cell.Of(strings.Repeat("─", width), t.Border))
	return blank(p.text.View(append(lines, p.beside.of(c, one.Name, width)...), width, height, t), width, height)
}
