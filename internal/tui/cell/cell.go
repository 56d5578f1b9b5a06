// Package cell lays out text in the cells of a terminal: it makes texts harmless, measures them, and cuts, pads and
// wraps lines of styled spans. It knows nothing of memories.
//
// A span never has escape sequences, line breaks or characters whose width terminals disagree about, so that the sum of
// the widths of its characters is its width everywhere.
package cell

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// Span is a piece of a line in one style; nil is plain.
type Span struct {
	Text  string
	Style *theme.Style
}

// Line is the spans of one line.
type Line []Span

// Of returns a line of one span.
func Of(text string, style *theme.Style) Line { return Line{{text, style}} }

// Plain makes a text of any origin harmless: control and invisible characters become visible escapes, as render.Plain
// writes them, tabs become spaces, and emoji sequences become single emoji.
func Plain(s string) string {
	s = render.Plain(s)
	if isASCII(s) && strings.IndexByte(s, '\t') < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\t", "    ")
	return strings.Map(func(r rune) rune {
		if merges(r) {
			return -1
		}
		return r
	}, s)
}

// merges reports whether r joins its neighbours to one character. Terminals draw such sequences in one, two or as many
// cells as they have characters, so that a line after one would be out of place on some of them.
func merges(r rune) bool {
	return r == 0x200d || r == 0xfe0f || r == 0xfe0e || r == 0x20e3 || r >= 0x1f3fb && r <= 0x1f3ff
}

// First returns at most so many bytes of a text, without a part of a character at its end.
func First(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for back := 0; back < utf8.UTFMax && most > 0 && !utf8.RuneStart(s[most]); back++ {
		most--
	}
	return s[:most]
}

// Inline is Plain on one line, of the first so many bytes of a text; 0 is no limit.
func Inline(s string, most int) string {
	if most > 0 {
		s = First(s, most)
	}
	return strings.ReplaceAll(Plain(render.Line(s, 0)), "\n", " ")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Width returns the number of cells of a harmless text.
func Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return ansi.StringWidthWc(s)
}

// widthOf returns the number of cells of a character.
func widthOf(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return ansi.StringWidthWc(string(r))
}

// Cut shortens a harmless text to a width, ending in … if it was longer.
func Cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(s) <= width || Width(s) <= width {
		return s
	}
	at := split(s, width-1)
	return s[:at] + "…"
}

// split returns the length in bytes of the longest beginning that fits into a width, with the combining characters
// that follow.
func split(s string, width int) int {
	used := 0
	for i, r := range s {
		w := widthOf(r)
		if used+w > width {
			return i
		}
		used += w
	}
	return len(s)
}

// Pad appends spaces up to a width, and cuts what is longer.
func Pad(s string, width int) string {
	s = Cut(s, width)
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Width returns the number of cells of a line.
func (l Line) Width() (n int) {
	for _, s := range l {
		n += Width(s.Text)
	}
	return n
}

// Text returns a line without styles.
func (l Line) Text() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Cut shortens a line to a width, ending in … if it was longer.
func (l Line) Cut(width int) Line {
	left := width
	for i, s := range l {
		w := Width(s.Text)
		if w > left || w == left && i+1 < len(l) && l[i+1:].Width() > 0 {
			end := Cut(s.Text, left)
			if w <= left && left > 0 {
				end = s.Text[:split(s.Text, left-1)] + "…"
			}
			return append(append(Line{}, l[:i]...), Span{end, s.Style})
		}
		left -= w
	}
	return l
}

// Ends returns a line of a width with l at its beginning and end at its end; l is cut first.
func (l Line) Ends(end Line, width int) Line {
	room := width - end.Width()
	if room < 8 && len(end) > 0 { // the beginning says more
		return l.Cut(width)
	}
	l = l.Cut(max(0, room-1))
	gap := room - l.Width()
	return append(append(append(Line{}, l...), Span{strings.Repeat(" ", max(0, gap)), nil}), end...)
}

// Render returns a line with styles in exactly width cells. fill styles what the line leaves empty; of a selected line
// it must not be nil.
func (l Line) Render(width int, fill *theme.Style, selected bool) string {
	if width <= 0 {
		return ""
	}
	l = l.Cut(width)
	var b strings.Builder
	used := 0
	for _, s := range l {
		style := s.Style
		if style == nil {
			style = fill
		}
		b.WriteString(style.Render(s.Text, selected))
		used += Width(s.Text)
	}
	if used < width {
		rest := strings.Repeat(" ", width-used)
		if selected || fill != nil {
			rest = fill.Render(rest, selected)
		}
		b.WriteString(rest)
	}
	return b.String()
}

// Wrap breaks a line into lines of at most width cells, between words where it can. Following lines begin with indent,
// whose width counts.
func (l Line) Wrap(width int, indent Line) []Line {
	if width <= 0 {
		return nil
	}
	if l.Width() <= width {
		return []Line{l}
	}
	w := wrapping{width: width, indent: indent}
	if indent.Width() > width/2 {
		w.indent = nil
	}
	for _, s := range l {
		for text := s.Text; text != ""; {
			n := wordEnd(text)
			w.word(Span{text[:n], s.Style})
			text = text[n:]
		}
	}
	return append(w.done, w.line)
}

type wrapping struct {
	width  int
	indent Line
	done   []Line
	line   Line
	used   int
	begun  bool // the line has more than its indent
}

// word adds a word or a run of spaces.
func (w *wrapping) word(s Span) {
	n := Width(s.Text)
	blank := s.Text[0] == ' '
	if w.used+n > w.width && w.begun {
		if blank { // it ends the line
			return
		}
		w.next()
	}
	if blank && !w.begun && len(w.done) > 0 {
		return
	}
	for w.used+n > w.width { // a word longer than a line
		at := max(split(s.Text, w.width-w.used), firstLen(s.Text))
		n -= Width(s.Text[:at])
		w.add(Span{s.Text[:at], s.Style})
		w.next()
		s.Text = s.Text[at:]
	}
	if s.Text != "" {
		w.add(s)
	}
}

func (w *wrapping) add(s Span) {
	w.line, w.begun = append(w.line, s), true
	w.used += Width(s.Text)
}

func (w *wrapping) next() {
	w.done = append(w.done, w.line)
	w.line, w.used, w.begun = append(Line{}, w.indent...), w.indent.Width(), false
}

func firstLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// wordEnd returns the length of the first word or run of spaces; wide characters, which need no spaces between them,
// are words of their own.
func wordEnd(s string) int {
	first, size := utf8.DecodeRuneInString(s)
	if first != ' ' && widthOf(first) == 2 {
		for size < len(s) { // combining characters stay
			r, n := utf8.DecodeRuneInString(s[size:])
			if widthOf(r) != 0 {
				break
			}
			size += n
		}
		return size
	}
	for i, r := range s {
		if i > 0 && ((r == ' ') != (first == ' ') || r >= 0x1100 && widthOf(r) == 2) {
			return i
		}
	}
	return len(s)
}
