package document

import (
	"math"

	"github.com/alanbuscaglia/engram"
)

// Saved is what a save did.
type Saved struct {
	Action         string      `json:"action"` // inserted, revised, repeated or merged
	Reason         string      `json:"reason"`
	MergedWith     *Named      `json:"merged_with"`     // the memory that says this too now, as it was before; null for none
	Candidates     []Candidate `json:"candidates"`      // what it may contradict, the likeliest first
	Related        []Tied      `json:"related"`         // what it was tied to for being near, the nearest first
	SuggestedTopic string      `json:"suggested_topic"` // "" when one was given
	Warnings       []string    `json:"warnings"`
	Memory         Memory      `json:"memory"`
}

// Named is a memory in few words.
type Named struct {
	ID    engram.ID   `json:"id"`
	Num   int64       `json:"num"`
	Type  engram.Type `json:"type"`
	Title string      `json:"title"`
}

// NamedOf is the document of m in few words.
func NamedOf(m engram.Memory) Named { return Named{m.ID, m.Num, m.Type, m.Title} }

// Candidate is a memory that may contradict another: a pair that waits for a verdict.
type Candidate struct {
	Named
	JudgmentID string  `json:"judgment_id"` // rel-…, what a verdict is recorded under
	Score      float64 `json:"score"`       // 0 to 1
	Reason     string  `json:"reason"`      // in what they differ
}

// CandidateOf is the document of the candidate m of the pending relation r.
func CandidateOf(m engram.Memory, r engram.Relation, score float64, reason string) Candidate {
	return Candidate{NamedOf(m), r.ID, score, reason}
}

// Tied is a memory that another was tied to.
type Tied struct {
	Named
	Cosine float64 `json:"cosine"`
}

// TiedOf is the document of m; of the cosine it gives three places.
func TiedOf(m engram.Memory, cosine float64) Tied {
	return Tied{NamedOf(m), math.Round(1000*cosine) / 1000}
}
