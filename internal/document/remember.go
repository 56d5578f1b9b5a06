package document

import (
	"math"

	"github.com/alanbuscaglia/engram"
)

// The documents of remember, recall and forget, alike over MCP and HTTP. Their words are
// older than the others here: a type is a category, and what does not apply is left out.

// Remembered is what became of something that was remembered.
type Remembered struct {
	ID               engram.ID `json:"id"`
	MergedWith       engram.ID `json:"merged_with,omitempty"` // a memory that said this already, or says it too now: it is ID
	ConflictDetected bool      `json:"conflict_detected,omitempty"`
	ConflictWith     engram.ID `json:"conflict_with,omitempty"` // the likeliest to be contradicted
}

// RememberedOf is the document of m, which was there before when known is set. conflict is
// the memory that it likeliest contradicts; nil when none is suspected.
func RememberedOf(m engram.Memory, known bool, conflict *engram.Memory) Remembered {
	r := Remembered{ID: m.ID}
	if known {
		r.MergedWith = m.ID
	}
	if conflict != nil {
		r.ConflictDetected, r.ConflictWith = true, conflict.ID
	}
	return r
}

// Recollection is the answer of recall.
type Recollection struct {
	Memories []Recollected `json:"memories"` // the most relevant first; without a question the newest
	// FallbackMode says that meaning could not be searched: words alone found these.
	FallbackMode bool `json:"fallback_mode"`
}

// Recollected is one memory in it.
type Recollected struct {
	ID          engram.ID      `json:"id"`
	Content     string         `json:"content"`
	Category    *engram.Type   `json:"category" schema:"-"` // null when it was remembered without
	Strength    float64        `json:"strength"`            // now, 0 to 1
	Relevance   float64        `json:"relevance"`           // how like the question, 0 to 1, times strength
	CreatedAt   Stamp          `json:"created_at" schema:"-"`
	AccessCount int            `json:"access_count"` // before this answer
	Metadata    map[string]any `json:"metadata"`
	Origin      engram.Origin  `json:"origin" schema:"-"`
	Suspect     []string       `json:"suspect,omitempty" schema:"-"` // why it reads like an order to an agent
}

// RecollectionOf is the document of what a search by strength found. Weaker finds are none
// of it: whoever cannot tell them apart would take them for answers.
func RecollectionOf(f engram.Found) Recollection {
	return Recollection{Memories: Each(f.Hits, recollectedOf), FallbackMode: f.WordsAlone}
}

func recollectedOf(h engram.Hit) Recollected {
	m := h.Memory
	r := Recollected{ID: m.ID, Content: m.Content, Strength: Thousandths(h.Strength), Relevance: Thousandths(h.Relevance),
		CreatedAt: Stamp(m.CreatedAt), AccessCount: m.AccessCount, Metadata: m.Metadata,
		Origin: m.Origin, Suspect: h.Note().Suspect}
	if m.Type != engram.TypeManual { // what a save without a type gets
		r.Category = &m.Type
	}
	if r.Metadata == nil {
		r.Metadata = map[string]any{}
	}
	return r
}

// Forgotten is the answer of forget.
type Forgotten struct {
	Forgotten bool `json:"forgotten"`
}

// Thousandths rounds a share: what lies behind it is no more exact.
func Thousandths(v float64) float64 { return math.Round(1000*v) / 1000 }
