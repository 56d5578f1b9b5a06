package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

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
