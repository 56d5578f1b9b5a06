package topic

import (
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
)

const (
	maxSegment   = 100
	contentWords = 8
	// readBytes is how much of the content is looked at. What a text is about stands
	// at its beginning, and a save must not cost more for a long one.
	readBytes = 4 << 10
)

// Suggest proposes the topic key "family/segment" for a memory.
//
// The family comes from the type (bugfix gives bug), else from the first family one
// of whose words is in title or content, else it is the type, else "topic". The
// segment is made of the title, or of the first eight words of the content where
// the title has none, without private parts; "general" when nothing is left. Words
// keep a-z and 0-9; where there are none of these, the letters of their own script.
// The result is what Normalize would make of it.
func Suggest(typ engram.Type, title, content string) string {
	title, content = visible(title), visible(cut(content, readBytes))
	family := familyOf(string(typ), title+" "+content)
	segment := slug(title)
	if segment == "" {
		words := strings.Fields(content)
		segment = slug(strings.Join(words[:min(len(words), contentWords)], " "))
	}
	if segment = strings.TrimPrefix(segment, family+"-"); segment == "" {
		segment = "general"
	}
	return Normalize(family + "/" + strings.TrimRight(cut(segment, maxSegment), "-"))
}

// visible returns s without its private parts.
func visible(s string) string {
	return strings.ReplaceAll(redact.Private(s), redact.Mark, " ")
}

// slug joins the words of s by hyphens, in lower case. Other characters than a-z
// and 0-9 part words, unless s has nothing else: a title in another script would
// have no words then, and every such memory the same key.
func slug(s string) string {
	s = strings.ToLower(s)
	words := strings.FieldsFunc(s, func(r rune) bool { return !isLatin(r) })
	if len(words) == 0 {
		words = strings.FieldsFunc(s, func(r rune) bool { return !isWord(r) })
	}
	return strings.Join(words, "-")
}

func isLatin(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }

// isWord takes marks for parts of words: the vowels of many scripts are marks.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
