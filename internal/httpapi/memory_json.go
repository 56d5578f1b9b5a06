package httpapi

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// The documents below are what the newer routes answer; package document has those that
// the command line prints too, and says what all of them promise.

// listDoc is the answer of GET /memories.
type listDoc struct {
	Limit     int               `json:"limit"`
	Offset    int               `json:"offset"`
	Memories  []document.Marked `json:"memories"`            // newest first
	Elsewhere string            `json:"elsewhere,omitempty"` // where was looked and what is in other projects, where nothing was found
}

// foundDoc is the answer of GET /memories with q.
type foundDoc struct {
	Query string         `json:"query"`
	Hits  []document.Hit `json:"hits"` // what is relevant, best first; empty: nothing relevant
	Weak  []document.Hit `json:"weak"` // below the floor, best first; their ranks go on
	// How the question was read: words that nothing has, expressions of time.
	Repaired  []document.Repair `json:"repaired"`
	Times     []document.Time   `json:"times"`
	Degraded  []string          `json:"degraded"`
	Elsewhere string            `json:"elsewhere,omitempty"` // where was looked and what is in other projects, where nothing was found
}

func foundOf(f engram.Found) foundDoc {
	return foundDoc{Query: f.Query, Hits: document.HitsOf(f.Hits, 0), Weak: document.HitsOf(f.Weak, len(f.Hits)),
		Repaired: document.Each(f.Repaired, document.RepairOf), Times: document.Each(f.Times, document.TimeOf), Degraded: document.OrEmpty(f.Degraded)}
}

// detailDoc is the answer of GET /memories/{ref}.
type detailDoc struct {
	Memory    document.Memory     `json:"memory"`
	Strength  float64             `json:"strength_now"` // 0 to 1
	Why       string              `json:"strength_reason"`
	Relations []document.Relation `json:"relations"`
	Revisions []document.Revision `json:"revisions"` // oldest first, without the current text
}

func detailOf(d engine.Detail) detailDoc {
	return detailDoc{document.MarkedOf(d.Memory, d.Note()).Memory, document.Share(d.Strength), d.Why, document.Each(d.Relations, document.RelationOf), document.Each(d.Revisions, document.RevisionOf)}
}

// changedDoc is a memory after a change.
type changedDoc struct {
	Memory document.Memory `json:"memory"`
}

// updatedDoc is the answer of PATCH /memories/{ref}.
type updatedDoc struct {
	changedDoc
	Warnings []string `json:"warnings"`
}
