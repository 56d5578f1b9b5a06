package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold brings spellings of the same word together: compatibility forms (ﬁ, full
// width), accents and case. Marks of scripts that need them to be read stay.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	latin := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case r == '\u2019':
			b.WriteByte('\'')
		case unicode.Is(unicode.Mn, r):
			// Only after Latin, Greek and Cyrillic letters is a mark an accent; in Indic
			// scripts it is the vowel.
			if !latin {
				b.WriteRune(r)
			}
		case isWord(r):
			latin = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
			b.WriteRune(special(unicode.ToLower(r)))
		}
	}
	return norm.NFC.String(b.String())
}

// special maps letters that decomposition leaves alone to the ones people type.
func special(r rune) rune {
	switch r {
	case 'ø':
		return 'o'
	case 'ł':
		return 'l'
	case 'đ', 'ð':
		return 'd'
	case 'ı':
		return 'i'
	case 'ς':
		return 'σ'
	}
	return r
}

// run returns the length of the first run of s that is all dense or all not.
func run(s string) (n int, dense bool) {
	for i, r := range s {
		d := isDense(r)
		if i == 0 {
			dense = d
		} else if d != dense {
			return i, dense
		}
	}
	return len(s), dense
}

// isDense reports whether r belongs to a script that is written without spaces, or
// like Korean with words that carry their particles.
func isDense(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func hasDense(s string) bool { return !ascii(s) && strings.ContainsFunc(s, isDense) }

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
