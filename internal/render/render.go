// Package render writes memories as text: the lists that agents read through MCP
// and people read in a terminal, which are the same. It is pure; who prints, and
// where, is the frontend's business.
//
// What is one line here stays one line: titles, names and previews inside a line
// have their line breaks turned into spaces and their hidden characters made
// visible, so that no memory can pass for another. Content that stands on
// lines of its own is written as it is; a terminal needs Plain around it.
//
// No text ends in a line break, but Context, whose format ends in an empty line.
//
// Source of the formats: the mem_* dialect, docs/protocol.
package render

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
)

// Options say how to write times.
type Options struct {
	Zone *time.Location // nil is UTC
}

// Time returns t in o.Zone as 2006-01-02 15:04:05, or "never" for the zero time.
func Time(t time.Time, o Options) string {
	if t.IsZero() {
		return "never"
	}
	zone := o.Zone
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format(time.DateTime)
}

// Preview returns the first runes characters of s, and "..." when there are more.
func Preview(s string, runes int) string {
	for i := range s {
		if runes == 0 {
			return s[:i] + "..."
		}
		runes--
	}
	return s
}

// Line returns s on one line, safe to show: each run of white space is one space.
// With runes above zero it is cut as Preview does.
func Line(s string, runes int) string {
	var b strings.Builder
	blank, n := false, 0
	for i, r := range s {
		if unicode.IsSpace(r) {
			blank = b.Len() > 0
			continue
		}
		if blank {
			n++
		}
		if runes > 0 && n >= runes {
			return Plain(b.String()) + "..."
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[i : i+size])
		n++
	}
	return Plain(b.String())
}

// Plain returns s with every character that acts on a terminal, or hides, written
// out: escapes and other controls (but line break and tab) as \x1b, those that turn
// the direction of writing, take no room or carry invisible text as \u202e, bytes
// that are not UTF-8 as \xff. A line break of two characters becomes one.
// Joiners stay where scripts and emoji need them: between two characters that are
// neither ASCII nor space. Plain(Plain(s)) == Plain(s); a clean s costs one look.
func Plain(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	before := ' '
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		next := i + size
		switch {
		case r == '\r' && strings.HasPrefix(s[next:], "\n"):
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !acts(r), isJoiner(r) && joins(before) && joins(first(s[next:])), isVariant(r) && unicode.Is(unicode.Han, before):
			b.WriteString(s[i:next])
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		before, i = r, next
	}
	return b.String()
}

// JSON returns a JSON text with every character that Plain writes out, joiners too, as an
// escape of JSON: whoever parses it gets the same, whoever prints it is safe.
func JSON(text []byte) []byte {
	if isClean(string(text)) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case !acts(r):
			out = append(out, text[i:i+size]...)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		i += size
	}
	return out
}

// isClean reports a text of which Plain changes nothing. It says no where only a
// closer look can tell.
func isClean(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || acts(r) {
			return false
		}
		i += size
	}
	return true
}

// acts reports a character that does something else than showing itself.
func acts(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r < 0x300:
		return r <= 0x9f || r == 0xad
	}
	return isJoiner(r) || isVariant(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) ||
		r == 0x180e || r == 0x200b || r >= 0x2060 && r <= 0x206f || r == 0xfeff ||
		r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}

// isJoiner reports the zero-width joiner and non-joiner.
func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// isVariant reports the selectors that pick the shape of a Han character. Elsewhere
// they can hide a message.
func isVariant(r rune) bool { return r >= 0xe0100 && r <= 0xe01ef }

func joins(r rune) bool { return r >= 0x80 && r != utf8.RuneError && !acts(r) && !unicode.IsSpace(r) }

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// Columns is how wide a terminal is taken to be.
const Columns = 80

// Fold breaks a line at spaces into lines of at most Columns characters, each but the
// first after indent. A word that is longer stays whole.
func Fold(line, indent string) string {
	var b strings.Builder
	column, spaces, opens := 0, 0, true
	for i, word := range strings.Split(line, " ") {
		if i > 0 {
			spaces++
		}
		if word == "" {
			continue
		}
		length := utf8.RuneCountInString(word)
		switch {
		case opens || column+spaces+length <= Columns:
			b.WriteString(strings.Repeat(" ", spaces))
			column += spaces
		default:
			b.WriteString("\n" + indent)
			column = utf8.RuneCountInString(indent)
		}
		b.WriteString(word)
		column, spaces, opens = column+length, 0, false
	}
	return b.String()
}

// Said is what a list says of a memory in one line: its title, and after it so many characters of
// what it says. A title that is only how the content begins is not said twice. note is what is
// known of it.
func Said(m engram.Memory, n engram.Note, most int) string {
	title, said := once(m.Title, Line(gist.Line(m, most), 0))
	if Quoted(m, n) {
		title, said = QuoteLine(title), quotedOrNone(said)
	}
	if said == "" {
		return title
	}
	return title + " — " + said
}

func quotedOrNone(said string) string {
	if said == "" {
		return ""
	}
	return QuoteLine(said)
}

// once is a title and what is said below it. Where the title is only how that begins, cut or not,
// the first line of it stands in the title's place, and the rest below.
func once(title, said string) (head, rest string) {
	title = Line(title, 0)
	first, rest, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if first = strings.TrimLeft(Line(first, 0), "#*->_ \t"); opensWith(first, title) {
		return first, rest
	}
	return title, said
}

// opensWith reports whether a line begins with a title: with its whole words, or where the title
// was cut, with what is left of it.
func opensWith(line, title string) bool {
	stem := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(title, "…"), "..."), " ")
	cut := len(stem) < len(title)
	stem = strings.TrimRight(stem, ".!。")
	if stem == "" || len(line) < len(stem) || !strings.EqualFold(line[:len(stem)], stem) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(line[len(stem):])
	return cut || len(line) == len(stem) || !unicode.IsLetter(next) && !unicode.IsDigit(next)
}

// Nothing is the sentence of an answer in which nothing was found: where was looked and what is
// elsewhere. everywhere is how a frontend asks in every project, first how it saves a memory.
func Nothing(n engram.Nothing, everywhere, first string) string {
	if !n.Stored {
		return "Engram is empty. Save the first memory: " + first
	}
	var s string
	switch in := "in project " + Line(n.Project, 0); {
	case n.Project == "":
		return fmt.Sprintf("Nothing found among %s of every project", counted(n.Here, "memory", "memories"))
	case n.Here == 0:
		s = "No memories " + in
	default:
		s = fmt.Sprintf("Nothing found among %s %s", counted(n.Here, "memory", "memories"), in)
	}
	if n.Others > 0 {
		s += fmt.Sprintf("; %d in others: %s", n.Others, everywhere)
	}
	return s
}
