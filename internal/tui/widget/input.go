package widget

import (
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// mostInput limits a line of input in bytes: a question is not a document, and a pasted megabyte must cost nothing.
const mostInput = 2000

// Input is one line of text with a cursor.
type Input struct {
	text []rune
	at   int // before this character
}

// Text returns the line.
func (in *Input) Text() string { return string(in.text) }

// Set replaces the line and moves the cursor to its end.
func (in *Input) Set(s string) {
	in.text, in.at = nil, 0
	in.Insert(s)
}

// Insert writes a text at the cursor: line breaks become spaces, other control characters and bytes that are not UTF-8
// are dropped, and what exceeds the limit is cut. It reports whether all of it fitted.
func (in *Input) Insert(s string) bool {
	room := mostInput - len(string(in.text))
	fits := len(s) <= room
	if !fits {
		s = s[:max(0, room)]
	}
	var add []rune
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
		case r == '\n' || r == '\t':
			add = append(add, ' ')
		case unicode.IsControl(r) || cell.Plain(string(r)) != string(r):
		default:
			add = append(add, r)
		}
	}
	in.text = append(in.text[:in.at:in.at], append(add, in.text[in.at:]...)...)
	in.at += len(add)
	return fits
}

// Press handles a key that edits the line; it reports whether it is one.
func (in *Input) Press(key, text string) bool {
	switch key {
	case "left", "ctrl+b":
		in.at = max(0, in.at-1)
	case "right", "ctrl+f":
		in.at = min(len(in.text), in.at+1)
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.text)
	case "backspace", "ctrl+h":
		in.cut(max(0, in.at-1), in.at)
	case "delete":
		in.cut(in.at, min(len(in.text), in.at+1))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		from := in.at
		for from > 0 && in.text[from-1] == ' ' {
			from--
		}
		for from > 0 && in.text[from-1] != ' ' {
			from--
		}
		in.cut(from, in.at)
	case "ctrl+u":
		in.cut(0, in.at)
	case "ctrl+k":
		in.cut(in.at, len(in.text))
	default:
		if text == "" {
			return false
		}
		in.Insert(text)
	}
	return true
}

func (in *Input) cut(from, to int) {
	in.text = append(in.text[:from:from], in.text[to:]...)
	in.at = from
}

// Line returns the line in a width, scrolled so that the cursor is visible, and the cell of the cursor in it.
func (in *Input) Line(width int, placeholder string, t *theme.Theme) (line cell.Line, cursor int) {
	if len(in.text) == 0 {
		return cell.Of(cell.Cut(placeholder, max(0, width-1)), t.Faint), 0
	}
	from := in.at
	for from > 0 {
		w := cell.Width(string(in.text[from-1]))
		if cursor+w >= max(1, width) {
			break
		}
		from, cursor = from-1, cursor+w
	}
	return cell.Of(cell.Cut(string(in.text[from:]), width), t.Text), cursor
}
