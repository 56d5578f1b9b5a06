package document

import "github.com/alanbuscaglia/engram"

// Use is one showing of a memory to a session.
type Use struct {
	At     Stamp       `json:"at"`
	Verb   string      `json:"verb"`   // search, recall, context, get or remind
	Query  string      `json:"query"`  // private spans removed; "" when nothing was asked
	Num    int64       `json:"num"`    // of the memory; 0 when nothing was shown, or it was erased
	Type   engram.Type `json:"type"`   // as it is now
	Title  string      `json:"title"`  // as it is now
	Rank   int         `json:"rank"`   // from 1; 0 when nothing was shown
	Tokens int         `json:"tokens"` // what showing it cost, about
	Gone   bool        `json:"gone"`   // forgotten or erased since
}

// UseOf is the document of u, whose memory is now called so; gone says that it was
// forgotten or erased since.
func UseOf(u engram.Use, t engram.Type, title string, gone bool) Use {
	return Use{Stamp(u.At), u.Verb, u.Query, u.Memory, t, title, u.Rank, u.Tokens, gone}
}

// Shown is a memory as it is shown within a budget of tokens.
type Shown struct {
	Rank   int     `json:"rank"`   // from 1
	Score  float64 `json:"score"`  // greater is better; comparable within one answer
	Whole  bool    `json:"whole"`  // all of the content is shown
	Tokens int     `json:"tokens"` // what text costs, about
	Text   string  `json:"text"`
	Memory Memory  `json:"memory"`
	// Relations change how the memory should be read.
	Relations []Relation `json:"relations"`
	Why       Why        `json:"why"`
}

// ShownOf is the document of a hit of which text is shown.
func ShownOf(rank int, h engram.Hit, text string, whole bool, tokens int) Shown {
	return Shown{Rank: rank, Score: h.Score, Whole: whole, Tokens: tokens, Text: text, Memory: memoryIn(h.Memory, h.Note()),
		Relations: Each(h.Relations, RelationOf), Why: WhyOf(h.Why)}
}
