package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitWords cuts at blanks, which are dropped, and around every punctuation mark: BertPreTokenizer.
func splitWords(pieces []string, _ bool) (words []string) {
	for _, p := range pieces {
		begin := -1
		word := func(end int) {
			if begin >= 0 {
				words, begin = append(words, p[begin:end]), -1
			}
		}
		for i, r := range p {
			switch {
			case isSpace(r):
				word(i)
			case isPunctuation(r):
				word(i)
				words = append(words, p[i:i+utf8.RuneLen(r)])
			case begin < 0:
				begin = i
			}
		}
		word(len(p))
	}
	return words
}

// isPunctuation is Unicode's category P with all symbols of ASCII.
func isPunctuation(r rune) bool {
	return r < 0x80 && r > ' ' && r != 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.Is(unicode.P, r) && isOld(r)
}

// splitBlanks cuts at blanks, which are dropped: WhitespaceSplit.
func splitBlanks(pieces []string, _ bool) (words []string) {
	for _, p := range pieces {
		words = append(words, strings.FieldsFunc(p, isSpace)...)
	}
	return words
}

// metaspace makes blanks visible: a piece begins with a mark where a word begins.
type metaspace struct {
	mark    string
	prepend string // always, first or never: which pieces get a mark at their beginning
	cut     bool   // cut before every mark
}

func (m metaspace) split(pieces []string, first bool) (out []string) {
	for _, p := range pieces {
		p = strings.ReplaceAll(p, " ", m.mark)
		if (m.prepend == "always" || m.prepend == "first" && first) && !strings.HasPrefix(p, m.mark) {
			p = m.mark + p
		}
		first = false
		for m.cut {
			_, skip := utf8.DecodeRuneInString(p)
			i := strings.Index(p[skip:], m.mark)
			if i < 0 {
				break
			}
			out, p = append(out, p[:skip+i]), p[skip+i:]
		}
		out = append(out, p)
	}
	return out
}
