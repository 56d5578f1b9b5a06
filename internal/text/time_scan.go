package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type timeWord struct {
	start, end  int
	word        string   // lower case, without the genitive s
	lex         *timeLex // nil for a word of no rule
	gap         timeGap  // what precedes it
	capital     bool     // capitalised inside a sentence
	gluedBefore bool     // touches a character that does not belong to prose
	gluedAfter  bool
}

// timeGap is the text between a word and the previous one.
type timeGap uint8

const (
	gapOther  timeGap = iota // the beginning, or anything else
	gapSpace                 // only white space
	gapHyphen                // only a hyphen
	gapComma                 // a comma and white space
	gapDot                   // a full stop and white space
)

// timeWordsOf splits the first words of a question. Signs inside a number belong to it: 2024-03-05
// is one word, and so is 2023.1.
func timeWordsOf(s string) []timeWord {
	words := make([]timeWord, 0, 16)
	last := 0
	for i := 0; i < len(s) && len(words) < maxTimeWords; {
		r, size := decode(s, i)
		if !isWord(r) {
			i += size
			continue
		}
		end := timeWordEnd(s, i)
		w := timeWord{start: i, end: end, gap: gapOf(s[last:i], len(words) == 0)}
		// Longer words are not times.
		if end-i <= maxToken {
			w.word = strings.ToLower(strings.ReplaceAll(s[i:end], "\u2019", "'"))
			w.word = strings.TrimSuffix(w.word, "'s")
			w.lex = timeLexOf(w.word)
		}
		w.capital = unicode.IsUpper(r) && w.gap != gapOther && w.gap != gapDot
		w.gluedBefore, w.gluedAfter = gluedBefore(s, i), gluedAfter(s, end)
		words = append(words, w)
		i, last = end, end
	}
	return words
}

// timeWordEnd returns where the word that begins at i ends.
func timeWordEnd(s string, i int) int {
	first, _ := decode(s, i)
	number := first < utf8.RuneSelf && unicode.IsDigit(first)
	for i < len(s) {
		r, size := decode(s, i)
		if !isWord(r) {
			next, _ := decode(s, i+size)
			inside := r == '\'' || r == '\u2019'
			if number {
				inside = (r == '-' || r == '/' || r == '.' || r == ':') && next < utf8.RuneSelf && unicode.IsDigit(next)
			}
			if !inside || i+size >= len(s) || !isWord(next) {
				return i
			}
		}
		i += size
	}
	return i
}

func gapOf(between string, first bool) timeGap {
	if first {
		return gapOther
	}
	switch trimmed := strings.TrimSpace(between); {
	case trimmed == "" && between != "":
		return gapSpace
	case between == "-":
		return gapHyphen
	case trimmed == "," && between != ",":
		return gapComma
	case trimmed == "." && between != ".":
		return gapDot
	}
	return gapOther
}

// gluedBefore reports whether the character before i makes the word part of something else: a name (last_week),
// a path, a quotation, a flag. Characters that begin a sentence or a bracket do not, nor do non-ASCII ones.
func gluedBefore(s string, i int) bool {
	if i == 0 {
		return false
	}
	return !strings.ContainsRune(" \t\r\n([{,;!?", rune(s[i-1])) && s[i-1] < utf8.RuneSelf
}

// gluedAfter is gluedBefore for the character after a word. A full stop or colon before white space
// belongs to the sentence.
func gluedAfter(s string, end int) bool {
	if end == len(s) {
		return false
	}
	switch c := s[end]; {
	case c == '.' || c == ':':
		return end+1 < len(s) && !strings.ContainsRune(" \t\r\n)]}", rune(s[end+1])) && s[end+1] != c
	case c == '\'':
		return false // the genitive of a plural
	default:
		return !strings.ContainsRune(" \t\r\n)]},;!?", rune(c)) && c < utf8.RuneSelf
	}
}
