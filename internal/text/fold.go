package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold unifies spellings of a word: compatibility forms (ﬁ, full width), accents and case. It keeps marks that
// a script needs to be readable, and drops those that writers omit, such as Arabic and Hebrew vowels.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	if folded, only := foldEuropean(s); only {
		return folded
	}
	return foldAny(s)
}

func foldAny(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	needed := false // marks that come next belong to the last letter
	for _, r := range norm.NFKD.String(s) {
		switch {
		case r == '\u2019':
			b.WriteByte('\'')
			needed = false
		case unicode.In(r, unicode.Mn, unicode.Me):
			// Enclosing marks and variation selectors are only decoration.
			if needed && !unicode.In(r, unicode.Me, unicode.Variation_Selector) {
				b.WriteRune(r)
			}
		case isWord(r):
			letters := special(unicode.ToLower(r))
			needed = letters != "" && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew, unicode.N)
			b.WriteString(letters)
		}
	}
	return norm.NFC.String(b.String())
}

// foldEuropean is foldAny for composed letters of Western European languages and Russian; only reports whether s has no
// other characters.
func foldEuropean(s string) (folded string, only bool) {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if r |= 0x20; r < 'a' || r > 'z' {
				return "", false
			}
			b.WriteByte(byte(r))
		case r >= 'À' && r <= 'ÿ':
			letters := latin1[r-'À']
			if letters == "" {
				return "", false
			}
			b.WriteString(letters)
		case r >= 'А' && r <= 'я' || r == 'Ё' || r == 'ё':
			switch r = unicode.ToLower(r); r {
			case 'й':
				r = 'и'
			case 'ё':
				r = 'е'
			}
			b.WriteRune(r)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// latin1 has the folded letters from À to ÿ.
var latin1 = [...]string{
	"a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i", "d", "n", "o", "o", "o", "o", "o", "", "o", "u", "u", "u", "u", "y", "þ", "ss",
	"a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i", "d", "n", "o", "o", "o", "o", "o", "", "o", "u", "u", "u", "u", "y", "þ", "y",
}

// special replaces letters without a decomposition by what people type for them.
func special(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ', 'ð':
		return "d"
	case 'ı':
		return "i"
	case 'ς':
		return "σ"
	case 'ـ': // Arabic elongation, without meaning
		return ""
	}
	return string(r)
}

// run returns the length of the first run of s that is entirely dense or entirely not.
func run(s string) (n int, dense bool) {
	for i, r := range s {
		switch d := isDense(r); {
		case i == 0:
			dense = d
		case d != dense && !unicode.Is(unicode.M, r): // a mark stays with its letter
			return i, dense
		}
	}
	return len(s), dense
}

// isDense reports whether r's script has no spaces or, like Korean, attaches particles to words.
func isDense(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// Dense reports whether s has characters of a script written without spaces.
func Dense(s string) bool { return !ascii(s) && strings.ContainsFunc(s, isDense) }

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Compose returns s in composed form (NFC), so that names that look the same are the same bytes.
func Compose(s string) string { return norm.NFC.String(s) }
