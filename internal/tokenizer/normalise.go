package tokenizer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

// A bert is the settings of BertNormalizer.
type bert struct {
	clean bool // drop control characters, make every blank a space
	cjk   bool // put spaces around ideographs
	strip bool // drop accents
	lower bool
}

func (b bert) normalise(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for _, r := range s {
		switch {
		case b.clean && (r == 0 || r == unicode.ReplacementChar):
		case b.clean && (r == '\t' || r == '\n' || r == '\r'):
			out.WriteByte(' ')
		case b.clean && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) && isOld(r):
		case b.clean && isSpace(r):
			out.WriteByte(' ')
		case b.cjk && isIdeograph(r):
			out.WriteByte(' ')
			out.WriteRune(r)
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	s = out.String()
	if b.strip {
		s = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) && isOld(r) {
				return -1
			}
			return r
		}, norm.NFD.String(s))
	}
	if b.lower {
		s = lower(s)
	}
	return s
}

// lower maps rune by rune; one has two runes in lower case.
func lower(s string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r == 'İ' {
			return r
		}
		return unicode.ToLower(r)
	}, s), "İ", "i̇")
}

// old is Unicode 8: the reference knows the categories of its characters, and takes newer ones for letters.
var old = rangetable.Assigned("8.0.0")

func isOld(r rune) bool { return r < 0x100 || unicode.Is(old, r) }

// isIdeograph has the ranges of BERT's own tokenizer.
func isIdeograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B73F ||
		r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
