package screen

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// age returns how long ago a time is, in at most four characters.
func age(now, t time.Time) string {
	const day = 24 * time.Hour
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	}
	for _, u := range []struct {
		name string
		of   time.Duration
	}{{"y", 365 * day}, {"mo", 30 * day}, {"w", 7 * day}, {"d", day}, {"h", time.Hour}} {
		if n := int(d / u.of); n > 0 {
			return fmt.Sprintf("%d%s", n, u.name)
		}
	}
	return fmt.Sprintf("%dm", int(d/time.Minute))
}

// item is what a list shows of a thing in two lines.
type item struct {
	lead  cell.Line // number, before the title
	title string    // harmless
	end   cell.Line // at the end of the first line
	kind  cell.Line // type, before what it says
	said  string    // harmless; the second line
	badge cell.Line // at its end
	faint bool      // shown as less important
	match []string  // words to mark
}

// lines renders an item in two lines.
func (it item) lines(c *Context, width int, selected, marked bool) []string {
	t := c.Theme
	bar := cell.Span{Text: "  "}
	switch {
	case selected:
		bar = cell.Span{Text: "▌ ", Style: t.Accent}
	case marked:
		bar = cell.Span{Text: "✓ ", Style: t.Good}
	}
	if selected && marked {
		bar.Text = "▌✓"
	}
	titleStyle, saidStyle := t.Strong, t.Dim
	if it.faint {
		titleStyle, saidStyle = t.Faint, t.Faint
	}
	head := append(cell.Line{bar}, it.lead...)
	head = append(head, widget.Highlighted(it.title, it.match, titleStyle, t.Match)...)
	below := append(append(cell.Line{{Text: "  "}}, it.kind...), widget.Highlighted(it.said, it.match, saidStyle, t.Match)...)
	return []string{head.Ends(it.end, width).Render(width, fill(t, selected), selected), below.Ends(it.badge, width).Render(width, fill(t, selected), selected)}
}

// fill is the style of the empty part of a line.
func fill(t *theme.Theme, selected bool) *theme.Style {
	if selected {
		return t.Text
	}
	return nil
}

// memoryItem returns the item of a memory.
func memoryItem(c *Context, m engram.Memory, n engram.Note, match []string) item {
	t := c.Theme
	it := item{title: cell.Inline(m.Title, 400), said: excerpt(m, match), match: match}
	it.lead = cell.Of(fmt.Sprintf("#%d ", m.Num), t.Faint)
	it.kind = kindOf(c, m.Type)
	badge := func(text string, style *theme.Style) {
		it.badge = append(it.badge, cell.Span{Text: " " + text, Style: style})
	}
	if len(n.Flagged) > 0 {
		badge("flagged", t.Bad)
	}
	if n.State == engram.StateNeedsReview {
		badge("due", t.Warn)
	}
	for _, r := range n.Relations {
		if r.Relation.Supersedes() && !r.Outgoing {
			badge("superseded", t.Warn)
			it.faint = true
			break
		}
	}
	if m.Permanent {
		badge("pinned", t.Accent)
	}
	if c.Running[m.SessionID] && m.SessionID != "" {
		badge("(active)", t.Active)
	}
	if c.Scope() == "" && m.Project != "" {
		badge(cell.Cut(cell.Inline(m.Project, 100), 20), t.Heading)
	}
	it.end = cell.Of(age(c.Now, m.CreatedAt), t.Faint)
	return it
}

// kindOf is the type of a memory before what it says.
func kindOf(c *Context, typ engram.Type) cell.Line {
	return cell.Of(cell.Inline(string(typ), 60)+"  ", c.Theme.Type(typ))
}

// mostExcerpt limits how much of a content is looked at for a line of a list, in bytes.
const mostExcerpt = 4 << 10

// excerpt returns one line of a memory's content: its beginning, or what is around the first of the words.
func excerpt(m engram.Memory, match []string) string {
	said := cell.Inline(m.Content, mostExcerpt)
	if title := cell.Inline(m.Title, 400); title != "" && strings.HasPrefix(said, title) && len(said) > len(title) {
		said = strings.TrimLeft(said[len(title):], " .,;:—-")
	}
	said = unmarked(said)
	const before = 40
	spans := widget.Found(said, match)
	if len(spans) == 0 || spans[0][0] < before*2 {
		return said
	}
	from := spans[0][0] - before
	if at := strings.IndexByte(said[from:spans[0][0]], ' '); at >= 0 {
		from += at + 1
	}
	for !utf8.RuneStart(said[from]) {
		from++
	}
	return "…" + said[from:]
}

// unmarked removes the marks of Markdown from a line.
func unmarked(s string) string {
	return strings.TrimLeft(strings.NewReplacer("**", "", "`", "", "## ", "").Replace(s), "# ")
}

// blank pads lines to a height.
func blank(lines []string, width, height int) []string {
	for len(lines) < height {
		lines = append(lines, strings.Repeat(" ", max(0, width)))
	}
	return lines[:max(0, min(len(lines), height))]
}

// beside joins two columns of lines with a rule between them.
func beside(c *Context, left, right []string) []string {
	rule := " " + c.Theme.Border.Render("│", false) + " "
	for i := range left {
		if i < len(right) {
			left[i] += rule + right[i]
		}
	}
	return left
}

// wide is the width from which a list has its text beside it.
const wide = 100

// columns divides a width into a list, a rule between spaces, and a text.
func columns(width int) (list, text int) {
	list = min(90, width*9/20)
	return list, width - list - 3
}
