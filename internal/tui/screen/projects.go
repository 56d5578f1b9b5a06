package screen

import (
	"cmp"
	"context"
	"fmt"
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
	list widget.List[engram.ProjectCounts]
}

// NewProjects returns the screen.
func NewProjects() *Projects {
	return &Projects{list: widget.List[engram.ProjectCounts]{Key: func(p engram.ProjectCounts) string { return p.Name }}}
}

// Title implements Screen.
func (*Projects) Title() string { return "Projects" }

// Position implements Screen.
func (p *Projects) Position() string { return p.list.Position() }

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
		return nil
	})
}

// Do implements Screen.
func (p *Projects) Do(c *Context, a keymap.Action) tea.Cmd {
	if moveBy(&p.list, a) {
		return nil
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
		return c.Did(r.op, "%s is now %s: %s moved", cell.Inline(from, 100), cell.Inline(r.To, 100), counted(r.Memories, "memory", "memories"))
	})
}

// Click implements Clicked.
func (p *Projects) Click(c *Context, _, y int, twice bool) tea.Cmd {
	if p.list.Click(y/2) && twice {
		return p.Do(c, keymap.Open)
	}
	return nil
}

// View implements Screen.
func (p *Projects) View(c *Context, width, height int) []string {
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
		it.end = cell.Of(fmt.Sprintf("%s  %s  %s", counted(one.Memories, "memory", "memories"), counted(one.Sessions, "session", "sessions"), counted(one.Prompts, "prompt", "prompts")), t.Dim)
		return it
	})
}
