package document

import (
	"cmp"
	"math"

	"github.com/alanbuscaglia/engram"
)

// Share is a number from 0 to 1 to four places: of a strength, the rest changes between
// two looks.
func Share(v float64) float64 { return math.Round(v*10_000) / 10_000 }

// Faded is how strong a memory is, and why.
type Faded struct {
	ID        engram.ID    `json:"id"`
	Num       int64        `json:"num"`
	Project   string       `json:"project"`
	Type      engram.Type  `json:"type"`
	Title     string       `json:"title"`
	Permanent bool         `json:"permanent"`
	Strength  float64      `json:"strength"` // now, 0 to 1
	Later     float64      `json:"later"`    // in so many days, if nobody touches it
	Curve     engram.Curve `json:"curve"`
	Reason    string       `json:"reason"` // in words
}

// FadedOf is the document of m, which is so strong now and later.
func FadedOf(m engram.Memory, now, later float64, curve engram.Curve, reason string) Faded {
	return Faded{m.ID, m.Num, m.Project, m.Type, m.Title, m.Permanent, Share(now), Share(later), curve, reason}
}

// Decay is a way to fade.
type Decay struct {
	Curve    engram.Curve `json:"curve"`
	Rate     float64      `json:"rate"`      // 0 is the curve's own
	MaxBoost float64      `json:"max_boost"` // 0 is 2
}

// DecayOf is the document of d.
func DecayOf(d engram.Decay) Decay {
	return Decay{cmp.Or(d.Curve, engram.CurveImportance), d.Rate, d.MaxBoost}
}

// ProjectDecay is how the memories of a project fade.
type ProjectDecay struct {
	Project string                `json:"project"`
	InForce Decay                 `json:"in_force"`
	Own     *Decay                `json:"own"`   // null: the project has no way of its own
	Types   map[engram.Type]Decay `json:"types"` // ways of its own for single types
}

// ProjectDecayOf is the document of a project's own decay, nil for none, and that in force.
func ProjectDecayOf(project string, own *engram.ProjectDecay, inForce engram.Decay) ProjectDecay {
	doc := ProjectDecay{Project: project, InForce: DecayOf(inForce), Types: map[engram.Type]Decay{}}
	if own == nil {
		return doc
	}
	if own.Curve != "" {
		d := DecayOf(own.Decay)
		doc.Own = &d
	}
	for t, d := range own.Types {
		doc.Types[t] = DecayOf(d)
	}
	return doc
}
