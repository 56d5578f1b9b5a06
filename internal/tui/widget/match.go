package widget

import (
	"slices"
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

// QuestionWords returns the words of a question that are marked in results, in lower case and without the endings by which
// English inflects. The last one, which may not be finished, ends in * and marks all words that begin with it.
func QuestionWords(question string) (all []string) {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		for _, ending := range endings() {
			if stem, ok := strings.CutSuffix(w, ending); ok && len(stem) >= 3 {
				w = stem
				break
			}
		}
		if (len(w) < 3 && w[0] < 0x80) || common(w) {
			continue
		}
		if i+1 == len(words) || w[0] >= 0x80 {
			w += "*"
		}
		all = append(all, w)
	}
	return all
}

// endings are those by which English inflects, the longest first.
func endings() []string { return []string{"ing", "ies", "es", "ed", "e", "s"} }

// common reports whether a word is too common to be marked.
func common(w string) bool {
	switch w {
	case "the", "and", "how", "what", "why", "when", "where", "who", "does", "did", "for", "with", "are", "was", "our", "you", "that", "this", "can", "has", "have", "not", "from", "which", "should":
		return true
	}
	return false
}

// Found returns the words of a text that begin with one of the given, as ranges of bytes. Words of scripts without spaces
// are found anywhere.
func Found(text string, words []string) (spans [][2]int) {
	if len(words) == 0 {
		return nil
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // some letter has another length in lower case: positions would be wrong
		return nil
	}
	begin := true
	for i := 0; i < len(lower); {
		n := 0
		for _, w := range words {
			if begin || w[0] >= 0x80 {
				n = max(n, matching(lower[i:], w))
			}
		}
		if n > 0 {
			spans = append(spans, [2]int{i, i + n})
			i, begin = i+n, false
			continue
		}
		begin = !isWord(lower[i])
		i++
		for i < len(lower) && lower[i]&0xc0 == 0x80 {
			i++
		}
	}
	return spans
}

// matching returns the length of the word that a text begins with, if the question's word stands for it; else 0.
func matching(text, word string) int {
	stem, open := strings.CutSuffix(word, "*")
	if !strings.HasPrefix(text, stem) {
		return 0
	}
	end := len(stem)
	for end < len(text) && isWord(text[end]) && text[0] < 0x80 {
		end++
	}
	if rest := text[len(stem):end]; open || rest == "" || slices.Contains(endings(), rest) {
		return end
	}
	return 0
}

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80 || b == '_'
}

// Highlighted returns a text with the words marked.
func Highlighted(text string, words []string, base, mark *theme.Style) (line cell.Line) {
	at := 0
	for _, span := range Found(text, words) {
		if span[0] > at {
			line = append(line, cell.Span{Text: text[at:span[0]], Style: base})
		}
		line = append(line, cell.Span{Text: text[span[0]:span[1]], Style: mark})
		at = span[1]
	}
	if at < len(text) {
		line = append(line, cell.Span{Text: text[at:], Style: base})
	}
	return line
}

// Marking marks words in a line that is laid out.
func Marking(l cell.Line, match []string, mark *theme.Style) cell.Line {
	if len(match) == 0 {
		return l
	}
	var out cell.Line
	for _, s := range l {
		out = append(out, Highlighted(s.Text, match, s.Style, mark)...)
	}
	return out
}
