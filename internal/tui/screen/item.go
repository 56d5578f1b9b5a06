package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
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
	head = append(head, highlighted(it.title, it.match, titleStyle, t.Match)...)
	below := append(append(cell.Line{{Text: "  "}}, it.kind...), highlighted(it.said, it.match, saidStyle, t.Match)...)
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
	spans := found(said, match)
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

// questionWords returns the words of a question that are marked in results, in lower case and without the endings by which
// English inflects. The last one, which may not be finished, ends in * and marks all words that begin with it.
func questionWords(question string) (all []string) {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		for _, ending := range endings() {
			if stem, ok := strings.CutSuffix(w, ending); ok && len(stem) >= 3 {
				w = stem
				break
			}
		}
		if (len(w) < 3 && w[0] < 0x80) || common(w) {
			continue
		}
		if i+1 == len(words) || w[0] >= 0x80 {
			w += "*"
		}
		all = append(all, w)
	}
	return all
}

// endings are those by which English inflects, the longest first.
func endings() []string { return []string{"ing", "ies", "es", "ed", "e", "s"} }

// common reports whether a word is too common to be marked.
func common(w string) bool {
	switch w {
	case "the", "and", "how", "what", "why", "when", "where", "who", "does", "did", "for", "with", "are", "was", "our", "you", "that", "this", "can", "has", "have", "not", "from", "which", "should":
		return true
	}
	return false
}

// found returns the words of a text that begin with one of the given, as ranges of bytes. Words of scripts without spaces
// are found anywhere.
func found(text string, words []string) (spans [][2]int) {
	if len(words) == 0 {
		return nil
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // some letter has another length in lower case: positions would be wrong
		return nil
	}
	begin := true
	for i := 0; i < len(lower); {
		n := 0
		for _, w := range words {
			if begin || w[0] >= 0x80 {
				n = max(n, matching(lower[i:], w))
			}
		}
		if n > 0 {
			spans = append(spans, [2]int{i, i + n})
			i, begin = i+n, false
			continue
		}
		begin = !isWord(lower[i])
		i++
		for i < len(lower) && lower[i]&0xc0 == 0x80 {
			i++
		}
	}
	return spans
}

// matching returns the length of the word that a text begins with, if the question's word stands for it; else 0.
func matching(text, word string) int {
	stem, open := strings.CutSuffix(word, "*")
	if !strings.HasPrefix(text, stem) {
		return 0
	}
	end := len(stem)
	for end < len(text) && isWord(text[end]) && text[0] < 0x80 {
		end++
	}
	if rest := text[len(stem):end]; open || rest == "" || slices.Contains(endings(), rest) {
		return end
	}
	return 0
}

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80 || b == '_'
}

// highlighted returns a text with the words marked.
func highlighted(text string, words []string, base, mark *theme.Style) (line cell.Line) {
	at := 0
	for _, span := range found(text, words) {
		if span[0] > at {
			line = append(line, cell.Span{Text: text[at:span[0]], Style: base})
		}
		line = append(line, cell.Span{Text: text[span[0]:span[1]], Style: mark})
		at = span[1]
	}
	if at < len(text) {
		line = append(line, cell.Span{Text: text[at:], Style: base})
	}
	return line
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
