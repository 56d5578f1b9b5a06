// Package text holds the rules of words: how the text of memories and questions becomes tokens
// (token.go, fold.go), in which language (language.go, stopwords.go), the terms of a question
// (query.go, dense.go), correction of mistyped words (nearest.go) and times (when.go), and times
// in a question (time.go).
//
// It is the only analyser. A store keeps the tokens it gets and splits them at spaces, so that
// SQLite and Postgres find the same memories, and scores computed inside and outside the store
// agree. Everything here is pure and safe for concurrent use.
package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Index returns the tokens of a memory's title and content for the full-text index: joined by
// single spaces, in lower-case letters and digits, stemmed. Stop words stay only in the title: in
// the content they would take a third of the index without affecting the order.
func Index(title, content string) (titleTokens, contentTokens string) {
	var b strings.Builder
	b.Grow(len(title) + len(title)/4)
	join := func(t Token) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text())
	}
	Scan(title, join)
	titleTokens = b.String()

	b = strings.Builder{}
	b.Grow(len(content))
	Scan(content, func(t Token) {
		if !t.Stop {
			join(t)
		}
	})
	return titleTokens, b.String()
}

// TitleWeight is the weight of a title's word against one in the content (docs/adr/0004).
const TitleWeight = 2

// Title returns the text that counts as a memory's title, with its topic key and tags.
func Title(m engram.Memory) string {
	return m.Title + " " + m.TopicKey + " " + strings.Join(m.Tags, " ")
}

// Clip returns the first bytes of s, at most so many, cut between characters.
func Clip(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes]
}

// Counted returns a number with its noun: "1 memory" or "2 memories".
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
