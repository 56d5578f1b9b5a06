package screen

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Conflicts lists pairs that may contradict each other, with both texts side by side. One key is a verdict.
type Conflicts struct {
	plain
	list   widget.List[relate.Conflict]
	text   widget.Scroll
	onText bool
	cache  struct {
		key         string
		left, right []cell.Line
	}
	listed int // lines of the list in the last view
}

// NewConflicts returns the screen.
func NewConflicts() *Conflicts {
	return &Conflicts{list: widget.List[relate.Conflict]{Key: func(p relate.Conflict) string { return p.Relation.ID }}}
}

// Title implements Screen.
func (*Conflicts) Title() string { return "Conflicts" }

// Position implements Screen.
func (p *Conflicts) Position() string { return p.list.Position() }

// Actions implements Screen.
func (*Conflicts) Actions() []keymap.Action {
	return []keymap.Action{keymap.Supersede, keymap.Reverse, keymap.Contradict, keymap.Compatible, keymap.Scoped, keymap.NotConflict, keymap.Ignore, keymap.Open, keymap.Edit}
}

// Open implements Screen.
func (p *Conflicts) Open(c *Context) tea.Cmd { return p.load(c, true) }

// Refresh implements Screen.
func (p *Conflicts) Refresh(c *Context) tea.Cmd { return p.load(c, true) }

func (p *Conflicts) load(c *Context, again bool) tea.Cmd {
	return fetch(c, &p.reading, &p.list, again, func(ctx context.Context, project string, page engram.Page) (widget.Page[relate.Conflict], error) {
		all, total, err := c.Engine.Conflicts(ctx, relate.ConflictFilter{Project: project, Status: engram.RelationPending, Page: page})
		return widget.Page[relate.Conflict]{Items: all, Total: total}, err
	}, nil)
}

// Do implements Screen.
func (p *Conflicts) Do(c *Context, a keymap.Action) tea.Cmd {
	if a == keymap.Focus {
		p.onText = !p.onText
		return nil
	}
	if p.onText && scrollBy(&p.text, a) {
		return nil
	}
	if moveBy(&p.list, a) {
		p.text.Top()
		return p.load(c, false)
	}
	pair, ok := p.list.Current()
	if !ok {
		return nil
	}
	verbs := map[keymap.Action]engram.Verb{keymap.Supersede: engram.VerbSupersedes, keymap.Reverse: engram.VerbSupersedes, keymap.Contradict: engram.VerbContradicts,
		keymap.Compatible: engram.VerbCompatible, keymap.Scoped: engram.VerbScoped, keymap.NotConflict: engram.VerbNotConflict}
	switch verb, judged := verbs[a]; {
	case judged:
		return judge(c, pair, verb, a == keymap.Reverse)
	case a == keymap.Ignore:
		return act(c, func(ctx context.Context) (written, error) {
			_, err := c.Engine.Ignore(ctx, engram.RelationRef{Num: pair.Relation.Num}, "")
			return written{ops: change{latest(ctx, c, pair.Source.Num)}}, err
		}, func(w written) tea.Cmd {
			return c.Did(w.ops, "Dismissed #%d and #%d", pair.Source.Num, pair.Target.Num)
		})
	case a == keymap.Open:
		return c.Push(NewDetail(pair.Source.Num, nil))
	case a == keymap.Edit:
		return edit(c, pair.Source.Num)
	}
	return nil
}

// judge records a verdict: the left memory is the source.
func judge(c *Context, pair relate.Conflict, verb engram.Verb, reverse bool) tea.Cmd {
	return act(c, func(ctx context.Context) (written, error) {
		_, err := c.Engine.Judge(ctx, relate.JudgeInput{Ref: engram.RelationRef{Num: pair.Relation.Num}, Verb: verb, Reverse: reverse, ActorKind: relate.KindHuman})
		return written{ops: change{latest(ctx, c, pair.Source.Num)}}, err
	}, func(w written) tea.Cmd {
		a, b := pair.Source.Num, pair.Target.Num
		if reverse {
			a, b = b, a
		}
		return c.Did(w.ops, "Judged: #%d %s #%d", a, strings.ReplaceAll(string(verb), "_", " "), b)
	})
}

// Leave implements Leaving.
func (p *Conflicts) Leave() bool {
	was := p.onText
	p.onText = false
	return was
}

// Click implements Clicked.
func (p *Conflicts) Click(c *Context, _, y int, twice bool) tea.Cmd {
	p.onText = y > p.listed
	if !p.onText && p.list.Click(y) {
		if twice {
			return p.Do(c, keymap.Open)
		}
		return p.load(c, false)
	}
	return nil
}

// View implements Screen.
func (p *Conflicts) View(c *Context, width, height int) []string {
	t := c.Theme
	rows := max(1, min(p.list.Len(), height/3))
	if height < 8 {
		rows = height
	}
	p.list.Resize(rows)
	p.listed = rows
	from, to := p.list.Visible()
	var lines []string
	if p.list.Known() && p.list.Len() == 0 {
		return blank([]string{cell.Of("  No conflict is open.", t.Dim).Render(width, nil, false)}, width, height)
	}
	for i := from; i < to; i++ {
		pair, ok := p.list.At(i)
		if !ok {
			lines = append(lines, cell.Of("  …", t.Faint).Render(width, nil, false))
			continue
		}
		on := i == p.list.Cursor
		bar := cell.Span{Text: "  "}
		if on {
			bar = cell.Span{Text: "▌ ", Style: t.Accent}
		}
		line := cell.Line{bar, {Text: fmt.Sprintf("#%d ", pair.Source.Num), Style: t.Faint}, {Text: cell.Cut(cell.Inline(pair.Source.Title, 200), width*2/5), Style: t.Strong},
			{Text: " ↔ ", Style: t.Warn}, {Text: fmt.Sprintf("#%d ", pair.Target.Num), Style: t.Faint}, {Text: cell.Inline(pair.Target.Title, 200), Style: t.Strong}}
		lines = append(lines, line.Ends(cell.Of(age(c.Now, pair.Relation.CreatedAt), t.Faint), width).Render(width, fill(t, on), on))
	}
	if len(lines) >= height-2 {
		return blank(lines, width, height)
	}
	lines = append(lines, cell.Of(strings.Repeat("─", width), t.Border).Render(width, nil, false))
	return blank(append(lines, p.pair(c, width, height-len(lines))...), width, height)
}

// pair shows both texts: side by side, or in a narrow terminal one below the other.
func (p *Conflicts) pair(c *Context, width, height int) []string {
	pair, ok := p.list.Current()
	if !ok {
		return nil
	}
	t := c.Theme
	side := (width - 3) / 2
	if width < 60 {
		side = width
	}
	if key := fmt.Sprint(pair.Relation.ID, pair.Source.UpdatedAt.UnixMilli(), pair.Target.UpdatedAt.UnixMilli(), side, t.Name); p.cache.key != key {
		p.cache.key = key
		head := func(m engram.Memory) []cell.Line {
			return append(cell.Of(cell.Inline(m.Title, 0), t.Title).Wrap(side, nil), append(facts(c, m).Wrap(side, nil), cell.Line{})...)
		}
		left, right := head(pair.Source), head(pair.Target)
		for len(left) < len(right) {
			left = append(left, cell.Line{})
		}
		for len(right) < len(left) {
			right = append(right, cell.Line{})
		}
		a, b := widget.Difference(firstBytes(pair.Source.Content, 64<<10), firstBytes(pair.Target.Content, 64<<10), side, t)
		p.cache.left, p.cache.right = append(left, a...), append(right, b...)
		if pair.Relation.Reason != "" {
			p.cache.left = append(p.cache.left, cell.Line{})
			p.cache.left = append(p.cache.left, cell.Of("why: "+cell.Inline(pair.Relation.Reason, 0), t.Faint).Wrap(side, cell.Of("  ", nil))...)
		}
	}
	if side == width {
		all := append(append(append([]cell.Line{}, p.cache.left...), cell.Of(strings.Repeat("┄", width), t.Border)), p.cache.right...)
		return p.text.View(all, width, height, t)
	}
	rows := max(len(p.cache.left), len(p.cache.right))
	all := make([]cell.Line, rows)
	for i := range all {
		all[i] = joined(lineAt(p.cache.left, i), lineAt(p.cache.right, i), side, t)
	}
	return p.text.View(all, width, height, t)
}

func lineAt(lines []cell.Line, i int) cell.Line {
	if i < len(lines) {
		return lines[i]
	}
	return nil
}

// joined puts two lines beside each other.
func joined(a, b cell.Line, side int, t *theme.Theme) cell.Line {
	line := append(cell.Line{}, a.Cut(side)...)
	line = append(line, cell.Span{Text: strings.Repeat(" ", max(0, side-line.Width()))}, cell.Span{Text: " │ ", Style: t.Border})
	return append(line, b...)
}

// firstBytes cuts a text without splitting a character.
func firstBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return cell.First(s, most) + "\n…"
}
