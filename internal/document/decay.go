package document

import (
	"cmp"
	"math"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
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

// Sleep is what a sleep would do, or did.
type Sleep struct {
	Project    string        `json:"project"` // "" is every project
	DryRun     bool          `json:"dry_run"` // nothing was changed
	At         Stamp         `json:"at"`
	Memories   int           `json:"memories"` // live ones that were looked at
	Fading     int           `json:"fading"`   // of them, those that get weaker by themselves
	Plan       []Step        `json:"plan"`     // in the order in which it is taken
	Spared     []Spared      `json:"spared"`   // why there was nothing to boost, or to prune
	Applied    int           `json:"applied"`  // steps that were taken
	Skipped    []SkippedStep `json:"skipped"`  // steps that were not, because something changed meanwhile
	Made       []int64       `json:"made"`     // patterns, by number
	Operations []int64       `json:"operations"`
	FirstOp    int64         `json:"first_op"`  // of Operations, for undo; 0 when there is none
	LastOp     int64         `json:"last_op"`   // the same
	Compacted  int           `json:"compacted"` // entries that left the journal, too old
	Degraded   []string      `json:"degraded"`  // what could not be done, with the reason
}

// Step is one thing that a sleep does, and why.
type Step struct {
	Action   lifecycle.StepAction `json:"action"`   // fade, boost, merge, prune or extract
	Memories []int64              `json:"memories"` // by number; of a merge the kept one first
	Title    string               `json:"title"`    // of the first of them; "" of a fade
	Into     int64                `json:"into"`     // of a merge the kept one, else 0
	From     float64              `json:"from"`     // strength before
	To       float64              `json:"to"`       // and after
	Reason   string               `json:"reason"`
}

// Spared is how many memories were not boosted, or not forgotten, and why.
type Spared struct {
	Action   lifecycle.StepAction `json:"action"`   // boost or prune
	Reason   string               `json:"reason"`   // in words that follow the number: "read fewer than 3 times"
	Memories int                  `json:"memories"` // how many
}

// SkippedStep is a step that was not taken.
type SkippedStep struct {
	Action   lifecycle.StepAction `json:"action"`
	Memories []int64              `json:"memories"`
	Reason   string               `json:"reason"`
}

// SleepOf is the document of s.
func SleepOf(s lifecycle.Slept, dryRun bool) Sleep {
	first, last := s.Span()
	return Sleep{
		Project: s.Project, DryRun: dryRun, At: Stamp(s.At), Memories: s.Memories, Fading: s.Fading,
		Plan: Each(s.Plan, func(step lifecycle.Step) Step {
			return Step{step.Action, step.Memories, s.Titles[step.Memories[0]], step.Into, thousandth(step.From), thousandth(step.To), step.Reason}
		}),
		Spared:  Each(s.Spared, func(k lifecycle.Spared) Spared { return Spared{k.Action, k.Reason, k.Memories} }),
		Applied: s.Applied,
		Skipped: Each(s.Skipped, func(k lifecycle.SkippedStep) SkippedStep {
			return SkippedStep{k.Step.Action, k.Step.Memories, k.Reason}
		}),
		Made: OrEmpty(s.Made), Operations: OrEmpty(s.Ops), FirstOp: first, LastOp: last, Compacted: s.Compacted, Degraded: OrEmpty(s.Degraded),
	}
}

// thousandth rounds a strength: what comes after is noise.
func thousandth(x float64) float64 { return math.Round(x*1000) / 1000 }
