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
	// readBytes is how much of the content is read. The beginning says what a text is about, and
	// the cost must not grow with its length.
	readBytes = 4 << 10
)

// Suggest proposes the topic key "family/segment" for a memory.
//
// The family follows from the type (bugfix gives bug), otherwise from the words in title and
// content, otherwise it is the type or "topic". The segment comes from the title, or from the first
// eight words of the content if the title has none, without private parts; "general" if nothing is
// left. Words keep a-z and 0-9, or the letters of their own script if they have none of these. The
// result is normalized.
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

// slug joins the words of s with hyphens, in lower case. Characters other than a-z and 0-9 separate
// words, unless s has nothing else: otherwise all titles in another script would have the same key.
func slug(s string) string {
	s = strings.ToLower(s)
	words := strings.FieldsFunc(s, func(r rune) bool { return !isLatin(r) })
	if len(words) == 0 {
		words = strings.FieldsFunc(s, func(r rune) bool { return !isWord(r) })
	}
	return strings.Join(words, "-")
}

func isLatin(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }

// isWord includes marks: they are the vowels of many scripts.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
