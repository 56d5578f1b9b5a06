// Package text holds the rules of words: how a memory's text and a question become
// the same tokens (token.go, fold.go), which words carry no meaning of their own
// (stop.go), and what a question asks of the index (query.go); which word somebody
// meant who mistyped it (nearest.go), and which time (when.go); the times that a
// question speaks of (time.go).
//
// It is the only analyser. A store keeps the tokens it is given and splits them at
// spaces, so that SQLite and Postgres find the same memories, and a score that is
// reckoned outside the store agrees with the one inside. Everything here is pure and
// safe for concurrent use.
package text

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Index returns the tokens of a memory's title and content as the full-text index
// holds them: joined by single spaces, each made of lower-case letters and digits,
// words stemmed. Words without meaning stay in the title alone: in the content they
// would cost a third of the index and order nothing.
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

// TitleWeight is how often a word of a title counts against one of the content.
// docs/adr/0004 has the figures.
const TitleWeight = 2

// Title returns what counts as a memory's title: its topic key and its tags are found
// like one.
func Title(m engram.Memory) string {
	return m.Title + " " + m.TopicKey + " " + strings.Join(m.Tags, " ")
}
