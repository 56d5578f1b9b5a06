// Package render writes memories as text. Agents read the same lists through MCP as people in a terminal. It
// is pure; frontends print.
//
// One line stays one line: titles, names and previews inside a line have their line breaks turned into spaces
// and hidden characters made visible, so that no memory can pass for another. Content on lines of its own is
// exact; a terminal needs Plain around it.
//
// Texts do not end in a line break, except for Context, whose format ends in an empty line.
//
// Source of the formats: the mem_* dialect, docs/protocol.
package render

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Options say how to write times.
type Options struct {
	Zone *time.Location // nil is UTC
}

func (o Options) zone() *time.Location { return cmp.Or(o.Zone, time.UTC) }

// Time returns t in o.Zone as 2006-01-02 15:04:05, or "never" for the zero time.
func Time(t time.Time, o Options) string {
	if t.IsZero() {
		return "never"
	}
	return t.In(o.zone()).Format(time.DateTime)
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

// Line returns s on one line, safe to print, with each run of white space as one space. With runes above zero
// it is cut as by Preview.
func Line(s string, runes int) string {
	if (runes <= 0 || len(s) <= runes) && isLine(s) {
		return s
	}
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

// isLine reports whether s is printable ASCII with single blanks within: most texts that are shown on a line.
func isLine(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return s == "" || before != ' '
}

// Plain makes s safe for a terminal: it escapes controls other than line break and tab as \x1b, direction
// marks and invisible characters as \u202e, bytes that are not UTF-8 as \xff, and turns CRLF into one break.
// Joiners stay between characters that are neither ASCII nor space. Plain(Plain(s)) == Plain(s).
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

// JSON escapes all characters that Plain escapes, and joiners, as JSON escapes: the decoded value is the
// same, and the text is safe to print.
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

// isClean reports whether Plain leaves a text unchanged. It may report false for such a text, too.
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

// acts reports whether a character does anything but show itself.
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

// isJoiner reports whether r is the zero-width joiner or non-joiner.
func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// isVariant reports whether r is a selector for the shape of a Han character. Elsewhere such characters can
// hide a message.
func isVariant(r rune) bool { return r >= 0xe0100 && r <= 0xe01ef }

func joins(r rune) bool { return r >= 0x80 && r != utf8.RuneError && !acts(r) && !unicode.IsSpace(r) }

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// ListItem returns a memory in one line of a list: its title and at most `most` characters of its content, unless
// that only repeats the title. n is its note.
func ListItem(m engram.Memory, n engram.Note, most int) string {
	title, said := once(m.Title, Line(gist.Line(m, most), 0))
	if Quoted(m, n) {
		title = QuoteLine(title)
		if said != "" {
			said = QuoteLine(said)
		}
	}
	if said == "" {
		return title
	}
	return title + " — " + said
}

// once returns title and text for a list. If the text begins with the title, cut or not, its first line
// replaces the title.
func once(title, said string) (head, rest string) {
	title = Line(title, 0)
	first, rest, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if first = strings.TrimLeft(Line(first, 0), "#*->_ \t"); opensWith(first, title) {
		return first, rest
	}
	return title, said
}

// opensWith reports whether a line begins with a title: with its whole words, or with the rest of a cut
// title.
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

// Nothing returns the sentence of an answer without results: where was searched, and what other projects
// contain. everywhere is how to search every project, first how to save a memory. "" for an uncertain answer if
// other projects contain nothing.
func Nothing(n engram.Nothing, everywhere, first string) string {
	kind := "found"
	if n.Nearest && n.Others == 0 {
		return ""
	} else if n.Nearest {
		kind = "certain"
	}
	if !n.Stored {
		return "Engram is empty. Save the first memory: " + first
	}
	var s string
	switch in := "in project " + Line(n.Project, 0); {
	case n.Project == "":
		return fmt.Sprintf("Nothing found among %s of every project", text.Counted(n.Here, "memory", "memories"))
	case n.Here == 0:
		s = "No memories " + in
	default:
		s = fmt.Sprintf("Nothing %s among %s %s", kind, text.Counted(n.Here, "memory", "memories"), in)
	}
	if n.Others > 0 {
		s += fmt.Sprintf("; %d in others: %s", n.Others, everywhere)
	}
	return s
}

// Quoted reports whether a memory is shown as a quotation with its source: it was written elsewhere, or is
// flagged as instruction-like.
func Quoted(m engram.Memory, n engram.Note) bool {
	_, foreign := sourceOf(m.Origin)
	return foreign || len(n.Flagged) > 0
}

// Source returns the source and date of a quoted memory: "imported, 3 May 2026", "from a tool (Bash), 3 May
// 2026".
func Source(m engram.Memory, o Options) string {
	name, _ := sourceOf(m.Origin)
	if tool := Line(m.ToolName, 40); tool != "" && m.Origin == engram.OriginTool {
		name += " (" + Tame(tool) + ")"
	}
	return name + ", " + m.CreatedAt.In(o.zone()).Format("2 January 2006")
}

// Sources names the sources of the memories in a list, each kind once, since a list of imported memories
// would repeat it. The zero value is ready to use.
type Sources struct{ named map[string]bool }

// Of returns Source(m, o), or "" if an earlier memory of the list has the same kind of source.
func (s *Sources) Of(m engram.Memory, o Options) string {
	source := Source(m, o)
	name, _, _ := strings.Cut(source, ", ")
	if s.named[name] {
		return ""
	}
	if s.named == nil {
		s.named = map[string]bool{}
	}
	s.named[name] = true
	return source
}

// Mark returns the mark of a quoted memory: "quoted, imported, 3 May 2026", or "quoted" after the first of a
// kind.
func (s *Sources) Mark(m engram.Memory, o Options) string {
	if source := s.Of(m, o); source != "" {
		return "quoted, " + source
	}
	return "quoted"
}

// quoteMark begins each line of a quotation, as in Markdown and mail.
const quoteMark = "> "

// Quote returns s as a quotation: every line begins with a mark, so that no line can pass for a heading, a
// turn of the conversation or the program's own words; tags are tamed (Tame), hidden characters shown
// (Plain). Quote(Quote(s)) == Quote(s).
func Quote(s string) string {
	lines := strings.Split(breaksAs(Plain(strings.TrimSpace(s)), "\n"), "\n")
	for i, l := range lines {
		if l == strings.TrimSpace(quoteMark) {
			l = ""
		}
		lines[i] = strings.TrimRight(quoteMark+Tame(strings.TrimPrefix(l, quoteMark)), " ")
	}
	return strings.Join(lines, "\n")
}

// QuoteLine returns a quotation of one line between quotation marks, without such marks inside.
func QuoteLine(s string) string { return quoted(Tame(Line(s, 0))) }

// quoted returns s between quotation marks, without such marks inside.
func quoted(s string) string {
	return "“" + strings.ReplaceAll(strings.ReplaceAll(s, "“", "'"), "”", "'") + "”"
}

// titleOf returns the title of a memory for a line, quoted if necessary.
func titleOf(m engram.Memory, n engram.Note) string {
	if Quoted(m, n) {
		return QuoteLine(m.Title)
	}
	return Line(m.Title, 0)
}

// Tame escapes the opening brackets of tags that separate the turns of a conversation, as entities.
func Tame(s string) string {
	if !strings.ContainsAny(s, "<[") {
		return s
	}
	var b strings.Builder
	from := 0
	for i := range len(s) {
		if s[i] != '<' && s[i] != '[' || !partsConversation(s[i+1:]) {
			continue
		}
		b.WriteString(s[from:i])
		if from = i + 1; s[i] == '<' {
			b.WriteString("&lt;")
		} else {
			b.WriteString("&#91;")
		}
	}
	if from == 0 {
		return s
	}
	return b.String() + s[from:]
}

// partsConversation reports whether rest, behind an opening bracket, makes it a tag that models or their
// programs separate turns with.
func partsConversation(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 40)], "/|! \t")
	if colon := strings.IndexByte(rest, ':'); colon >= 0 && colon < 12 { // a namespace prefix
		rest = rest[colon+1:]
	}
	rest = strings.ToLower(rest)
	for _, word := range []string{"system", "assistant", "user", "human", "developer", "tool", "function", "invoke", "parameter", "instruction", "instructions", "functions", "im_start", "im_end",
		"inst]", "inst>", "sys>", "admin", "endoftext", "begin_of_text", "start_header", "end_header", "eot", "important", "engram"} {
		if after, is := strings.CutPrefix(rest, word); is && (after == "" || after[0] < 'a' || after[0] > 'z') {
			return true
		}
	}
	return false
}

func flaggedMark(why []string) string {
	return "suspect: " + strings.Join(why, "; ")
}

// typeOf returns the type of a memory for a line. Types are free text: one from elsewhere that is more than a
// word is quoted, since it could pass for the program's own words.
func typeOf(m engram.Memory) string {
	name := Line(string(m.Type), 0)
	if _, foreign := sourceOf(m.Origin); !foreign || len(name) <= maxType && !strings.ContainsAny(name, " ,:;<[(") {
		return name
	}
	return QuoteLine(Line(name, maxType))
}

// maxType is the longest type that counts as a word.
const maxType = 32

// Columns is the width assumed for a terminal.
const Columns = 80

// Fold breaks a line at spaces, or between wide characters, into lines of so many columns, each but the first
// after indent; 0 leaves it. A word that is too long stays whole.
func Fold(line, indent string, columns int) string {
	if columns == 0 {
		return line
	}
	var b strings.Builder
	at, spaces, opens := 0, 0, true
	for i, word := range strings.Split(line, " ") {
		if i > 0 {
			spaces++
		}
		for _, piece := range pieces(word) {
			wide := displaywidth.String(piece)
			if opens || at+spaces+wide <= columns {
				b.WriteString(strings.Repeat(" ", spaces))
				at += spaces
			} else {
				b.WriteString("\n" + indent)
				at = displaywidth.String(indent)
			}
			b.WriteString(piece)
			at, spaces, opens = at+wide, 0, false
		}
	}
	return b.String()
}

// Characters of scripts without spaces that must not begin a line, or end one.
const (
	noFirst = "、。，．！？：；）」』】〉》〕］｝ー々…‥・％’”!?,.:;)]}"
	noLast  = "（「『【〈《〔［｛‘“([{"
)

// pieces splits a word where a line may break in it: beside each wide character.
func pieces(word string) (all []string) {
	if word == "" {
		return nil
	}
	from, at, before, beforeWide := 0, 0, "", false
	for g := displaywidth.StringGraphemes(word); g.Next(); {
		c, wide := g.Value(), g.Width() > 1
		if at > 0 && (wide || beforeWide) && !strings.Contains(noFirst, c) && !strings.Contains(noLast, before) {
			all, from = append(all, word[from:at]), at
		}
		at, before, beforeWide = at+len(c), c, wide
	}
	return append(all, word[from:])
}
