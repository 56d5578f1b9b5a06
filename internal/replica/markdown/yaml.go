package markdown

import (
	"fmt"
	"strings"
	"unicode"
)

// Front matter is formatted here, not by the YAML library: a release with other quoting would
// rewrite every note of every vault.

// scalar returns s as a YAML value that every reader takes for this string: plain if unambiguous,
// otherwise double-quoted on one line.
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

// unseen reports characters that YAML does not allow or editors do not show.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point)
}

// plain reports whether a string begins with a letter, has words of letters and digits with single
// blanks, and is not a YAML keyword.
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

// front builds front matter.
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
