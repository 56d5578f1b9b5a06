package screen

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Graph is what relations lead to from a memory, as a tree: each memory once, below the one that leads to it first.
type Graph struct {
	plain
	num  int64
	list widget.List[branch]
	cut  bool
	sides
	cache textCache
}

// branch is a line of the tree.
type branch struct {
	node engram.GraphNode
	lead string // the lines of the tree before it
	verb string // how it is related to the one above
}

// NewGraph returns the screen.
func NewGraph(num int64) *Graph {
	return &Graph{num: num, list: widget.List[branch]{Key: func(b branch) string { return strconv.FormatInt(b.node.Memory.Num, 10) }}}
}

// Title implements Screen.
func (g *Graph) Title() string { return fmt.Sprintf("Around #%d", g.num) }

// Position implements Screen.
func (g *Graph) Position() string {
	if g.cut {
		return g.list.Position() + "+"
	}
	return g.list.Position()
}

// Actions implements Screen.
func (*Graph) Actions() []keymap.Action {
	return []keymap.Action{keymap.Open, keymap.Graph, keymap.Link, keymap.Timeline, keymap.Edit, keymap.Forget, keymap.Pin, keymap.Copy}
}

// Open implements Screen.
func (g *Graph) Open(c *Context) tea.Cmd { return g.Refresh(c) }

// Refresh implements Screen.
func (g *Graph) Refresh(c *Context) tea.Cmd {
	all := c.All
	return run(c, &g.reading, func(ctx context.Context) (engram.Graph, error) {
		return c.Engine.Graph(ctx, read.GraphInput{Ref: engram.ByNum(g.num), Pending: true, AllProjects: all, Depth: 3})
	}, func(got engram.Graph, err error) tea.Cmd {
		if err != nil {
			c.Fail(err)
			return nil
		}
		lines := branches(got)
		g.cut = got.Cut
		g.list.Set(0, len(lines), widget.Page[branch]{Items: lines, Total: len(lines)})
		return nil
	})
}

// branches orders the nodes of a graph as a tree.
func branches(g engram.Graph) (all []branch) {
	if len(g.Nodes) == 0 {
		return nil
	}
	nodes := map[int64]engram.GraphNode{}
	for _, n := range g.Nodes {
		nodes[n.Memory.Num] = n
	}
	type child struct {
		num  int64
		verb string
	}
	children := map[int64][]child{}
	placed := map[int64]bool{g.Nodes[0].Memory.Num: true}
	for depth := 0; len(placed) < len(nodes) && depth < len(nodes); depth++ {
		for _, r := range g.Edges {
			verb := strings.ReplaceAll(string(r.Verb), "_", " ")
			if r.Status == engram.RelationPending {
				verb += "?"
			}
			for _, end := range []struct {
				from, to int64
				verb     string
			}{{r.Source, r.Target, "→ " + verb}, {r.Target, r.Source, "← " + verb}} {
				_, known := nodes[end.to]
				if known && placed[end.from] && !placed[end.to] && nodes[end.to].Depth == nodes[end.from].Depth+1 {
					placed[end.to] = true
					children[end.from] = append(children[end.from], child{end.to, end.verb})
				}
			}
		}
	}
	var grow func(num int64, lead, below, verb string)
	grow = func(num int64, lead, below, verb string) {
		all = append(all, branch{nodes[num], lead, verb})
		for i, ch := range children[num] {
			if i+1 == len(children[num]) {
				grow(ch.num, below+"└─ ", below+"   ", ch.verb)
			} else {
				grow(ch.num, below+"├─ ", below+"│  ", ch.verb)
			}
		}
	}
	grow(g.Nodes[0].Memory.Num, "", "", "")
	return all
}

// Do implements Screen.
func (g *Graph) Do(c *Context, a keymap.Action) tea.Cmd {
	if a == keymap.Focus {
		g.onText = !g.onText
		return nil
	}
	if g.onText && scrollBy(&g.text, a) {
		return nil
	}
	if moveBy(&g.list, a) {
		g.text.Top()
		return nil
	}
	b, ok := g.list.Current()
	if !ok {
		return nil
	}
	num := b.node.Memory.Num
	switch a {
	case keymap.Open:
		return c.Push(NewDetail(num, nil))
	case keymap.Graph:
		if num != g.num {
			return c.Push(NewGraph(num))
		}
	case keymap.Link:
		return link(c, []int64{num})
	case keymap.Timeline:
		return c.Push(NewTimeline(num))
	case keymap.Edit:
		return edit(c, num)
	case keymap.Forget:
		return forget(c, []int64{num})
	case keymap.Pin:
		return pin(c, []int64{num})
	case keymap.Copy:
		return copyText(c, b.node.Memory)
	}
	return nil
}

// Leave implements Leaving.
func (g *Graph) Leave() bool {
	was := g.onText
	g.onText = false
	return was
}

// Click implements Clicked.
func (g *Graph) Click(c *Context, x, y int, twice bool) tea.Cmd {
	g.onText = x >= g.left
	if !g.onText && g.list.Click(y) && twice {
		return g.Do(c, keymap.Open)
	}
	return nil
}

// View implements Screen.
func (g *Graph) View(c *Context, width, height int) []string {
	return g.both(c, width, height, g.viewList, g.viewText)
}

func (g *Graph) viewList(c *Context, width, height int) []string {
	t := c.Theme
	g.list.Resize(height)
	from, to := g.list.Visible()
	var lines []string
	for i := from; i < to; i++ {
		b, _ := g.list.At(i)
		on := i == g.list.Cursor
		bar := cell.Span{Text: "  "}
		if on {
			bar = cell.Span{Text: "▌ ", Style: t.Accent}
		}
		m := b.node.Memory
		title := cell.Inline(m.Title, 300)
		style := t.Text
		if b.node.Superseded {
			style = t.Faint
			title += " (superseded)"
		}
		line := cell.Line{bar, {Text: b.lead, Style: t.Border}}
		if b.verb != "" {
			line = append(line, cell.Span{Text: b.verb + " ", Style: t.Accent})
		}
		line = append(line, cell.Span{Text: fmt.Sprintf("#%d ", m.Num), Style: t.Faint}, cell.Span{Text: title, Style: style})
		lines = append(lines, line.Ends(cell.Of(cell.Inline(string(m.Type), 40), t.Type(m.Type)), width).Render(width, fill(t, on), on))
	}
	if g.list.Known() && g.list.Len() == 1 && len(lines) < height {
		lines = append(lines, cell.Of("  It is related to nothing yet; "+c.Keys.Of(keymap.Link).First()+" links it.", t.Dim).Render(width, nil, false))
	}
	return blank(lines, width, height)
}

func (g *Graph) viewText(c *Context, width, height int) []string {
	b, ok := g.list.Current()
	if !ok {
		return blank(nil, width, height)
	}
	n := b.node
	if key := fmt.Sprint(n.Memory.Num, n.Memory.UpdatedAt.UnixMilli(), width, c.Theme.Name); g.cache.key != key {
		g.cache = textCache{key, memoryText(c, n.Memory, engram.Note{State: n.State, Flagged: n.Flagged}, width, mostBeside, nil)}
	}
	return blank(g.text.View(g.cache.lines, width, height, c.Theme), width, height)
}
