package sqlite

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram"
)

// scopeMark opens every word of the scope column. No token of a text holds it, so a
// filter never matches a text, nor a text a filter.
const scopeMark = "·"

// scopeWords are the words by which a full-text match is narrowed.
func scopeWords(project int64, m engram.Memory) string {
	words := make([]string, 0, 3+len(m.Tags))
	words = append(words, projectWord(project), typeWord(m.Type), scopeWord(m.Scope))
	for _, tag := range m.Tags {
		words = append(words, tagWord(tag))
	}
	return strings.Join(words, " ")
}

func projectWord(num int64) string    { return scopeMark + "p" + strconv.FormatInt(num, 10) }
func typeWord(t engram.Type) string   { return scopeMark + "t" + escape(string(t)) }
func scopeWord(s engram.Scope) string { return scopeMark + "s" + escape(string(s)) }
func tagWord(tag string) string       { return scopeMark + "g" + escape(tag) }

// escape makes one token of a name, different names giving different tokens: what is
// not a lower-case letter or digit is written as its code between two marks.
func escape(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsDigit(r) || unicode.IsLetter(r) && !(r < unicode.MaxASCII && unicode.IsUpper(r)) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(scopeMark + strconv.FormatInt(int64(r), 16) + scopeMark)
	}
	return b.String()
}
