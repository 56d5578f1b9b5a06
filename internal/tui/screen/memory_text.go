package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// How much of a text is laid out, in bytes: beside a list, where each keystroke may lay out another one, and on its own page,
// some 4,000 lines of a terminal.
const (
	mostBeside = 16 << 10
	mostPage   = 256 << 10
)

// memoryText lays out a memory with what is known of it, as its own page and beside lists. most is of its text.
func memoryText(c *Context, m engram.Memory, n engram.Note, width, most int, match []string) (lines []cell.Line) {
	t := c.Theme
	lines = append(lines, widget.Highlighted(cell.Inline(m.Title, 0), match, t.Title, t.Match).Wrap(width, nil)...)
	lines = append(lines, facts(c, m).Wrap(width, nil)...)
	if len(m.Tags) > 0 || m.TopicKey != "" {
		var tags cell.Line
		if m.TopicKey != "" {
			tags = append(tags, cell.Span{Text: cell.Inline(m.TopicKey, 0) + " ", Style: t.Heading})
		}
		for _, tag := range m.Tags {
			tags = append(tags, cell.Span{Text: "#" + cell.Inline(tag, 0) + " ", Style: t.Accent})
		}
		lines = append(lines, tags.Wrap(width, nil)...)
	}
	for _, reason := range n.Flagged {
		lines = append(lines, cell.Of("flagged: "+cell.Inline(reason, 0), t.Bad).Wrap(width, cell.Of("  ", nil))...)
	}
	lines = append(lines, cell.Of(strings.Repeat("─", width), t.Border))
	rest := c.Keys.Of(keymap.Edit).First() + " opens the whole text in your editor"
	if most < mostPage {
		rest = c.Keys.Of(keymap.Open).First() + " opens it"
	}
	for _, l := range widget.Prose(m.Content, width, most, rest, t) {
		lines = append(lines, widget.Marking(l, match, t.Match))
	}
	if len(n.Anchors) > 0 {
		lines = append(lines, cell.Line{}, cell.Of("Code", t.Heading))
		for _, a := range n.Anchors {
			lines = append(lines, cell.Of(cell.Inline(render.Anchor(a), 0), t.Dim).Wrap(width, cell.Of("  ", nil))...)
		}
	}
	if len(n.Relations) > 0 {
		lines = append(lines, cell.Line{}, cell.Of("Relations", t.Heading))
		for _, r := range n.Relations {
			lines = append(lines, relationLine(t, r).Wrap(width, cell.Of("  ", nil))...)
		}
	}
	return lines
}

// facts is the line below the title of a memory.
func facts(c *Context, m engram.Memory) cell.Line {
	t := c.Theme
	line := cell.Line{{Text: fmt.Sprintf("#%d ", m.Num), Style: t.Faint}, {Text: cell.Inline(string(m.Type), 0), Style: t.Type(m.Type)}}
	add := func(text string, style *theme.Style) {
		line = append(line, cell.Span{Text: " · ", Style: t.Faint}, cell.Span{Text: text, Style: style})
	}
	if m.Project != "" {
		add(cell.Inline(m.Project, 0), t.Heading)
	}
	if m.Scope != engram.ScopeProject {
		add(string(m.Scope), t.Dim)
	}
	if m.Permanent {
		add("pinned", t.Accent)
	}
	if c.Running[m.SessionID] && m.SessionID != "" {
		add("(active)", t.Active)
	}
	add(m.CreatedAt.In(c.Zone).Format("2006-01-02 15:04"), t.Dim)
	if m.RevisionCount > 1 {
		add(fmt.Sprintf("revision %d", m.RevisionCount), t.Dim)
	}
	if m.Origin == engram.OriginImport || m.Origin == engram.OriginSync || m.Origin == engram.OriginTool {
		add("from "+string(m.Origin), t.Warn)
	}
	if m.Forgotten() {
		add("forgotten", t.Bad)
	}
	return line
}

func relationLine(t *theme.Theme, r engram.RelationNote) cell.Line {
	title := cell.Inline(r.Other.Title, 400)
	if r.Withheld {
		title = "(title withheld: flagged)"
	}
	arrow, verb := "→ ", cell.Inline(strings.ReplaceAll(string(r.Relation.Verb), "_", " "), 0)
	if !r.Outgoing {
		arrow = "← "
	}
	if r.Relation.Status == engram.RelationPending {
		verb += "?"
	}
	return cell.Line{{Text: arrow + verb + " ", Style: t.Accent}, {Text: fmt.Sprintf("#%d ", r.Other.Num), Style: t.Faint}, {Text: title, Style: t.Text}}
}

// when writes a time for a person.
func when(c *Context, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.In(c.Zone).Format("2006-01-02 15:04")
}

// counted returns "1 memory" or "2 memories".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped writes a number with thousands apart: 100,000.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
