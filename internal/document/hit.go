package document

import "github.com/alanbuscaglia/engram"

// Hit is a memory that was found.
type Hit struct {
	Rank      int        `json:"rank"`  // from 1
	Score     float64    `json:"score"` // greater is better; comparable within one answer
	Memory    Memory     `json:"memory"`
	Relations []Relation `json:"relations"`
	Why       Why        `json:"why"`
}

// HitsOf are the documents of hits; the first of them has the rank after before.
func HitsOf(hits []engram.Hit, before int) []Hit {
	out := make([]Hit, len(hits))
	for i, h := range hits {
		out[i] = Hit{before + i + 1, h.Score, memoryIn(h.Memory, h.Note()), Each(h.Relations, RelationOf), WhyOf(h.Why)}
	}
	return out
}

// Why says how a hit came to its place.
type Why struct {
	Channels []Channel `json:"channels"`
	Factors  []Factor  `json:"factors"`
	Notes    []string  `json:"notes"`
}

// Channel is a hit's place in one channel.
type Channel struct {
	Channel engram.Channel `json:"channel"`
	Rank    int            `json:"rank"` // from 1
	Score   float64        `json:"score"`
}

// Factor is one named part of a score.
type Factor struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// WhyOf is the document of w.
func WhyOf(w engram.Why) Why {
	return Why{
		Each(w.Channels, func(c engram.ChannelRank) Channel { return Channel(c) }),
		Each(w.Factors, func(f engram.Factor) Factor { return Factor(f) }),
		OrEmpty(w.Notes),
	}
}

// Repair is a word of a question that nothing has, with what it was read as.
type Repair struct {
	Written string   `json:"written"`
	Read    []string `json:"read"`
}

// RepairOf is the document of r.
func RepairOf(r engram.Repair) Repair { return Repair{r.Written, OrEmpty(r.Read)} }

// Time is a stretch of time that a question speaks of.
type Time struct {
	Phrase string `json:"phrase"`
	From   Stamp  `json:"from"` // inclusive; null: from the beginning
	To     Stamp  `json:"to"`   // exclusive; null: open
}

// TimeOf is the document of t.
func TimeOf(t engram.TimeSpan) Time { return Time{t.Phrase, Stamp(t.From), Stamp(t.To)} }
