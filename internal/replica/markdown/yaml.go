package markdown

import (
	"fmt"
	"strings"
	"unicode"
)

// Front matter is written by hand, not by the library that reads it: a release that quotes
// otherwise would write every note of every vault anew.

// scalar is s as a value that every reader of YAML takes for this string: as it stands
// where nothing in it could mean anything else, else between double quotes on one line.
func scalar(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unseen(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case unseen(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unseen reports what must not stand in YAML as it is, or what an editor would not show.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point)
}

// plain reports a string that begins with a letter, has words of letters and digits, single
// blanks between them, and is no word that YAML knows.
func plain(s string) bool {
	last := ' '
	for i, r := range s {
		switch {
		case unicode.IsLetter(r):
		case i == 0:
			return false
		case unicode.IsDigit(r), r == '_', r == '-', r == '.', r == '/':
		case r == ' ' && last != ' ':
		default:
			return false
		}
		last = r
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return false
	}
	return last != ' '
}

// front is front matter that is written.
type front struct{ strings.Builder }

func (f *front) put(key, value string) { f.WriteString(key + ": " + value + "\n") }

// text puts a string, unless it is empty.
func (f *front) text(key, value string) {
	if value != "" {
		f.put(key, scalar(value))
	}
}

// list puts a list, unless it is empty.
func (f *front) list(key string, values []string) {
	if len(values) == 0 {
		return
	}
	f.WriteString(key + ":\n")
	for _, v := range values {
		f.WriteString("  - " + scalar(v) + "\n")
	}
}
