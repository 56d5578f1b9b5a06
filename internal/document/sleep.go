package document

import (
	"math"

	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

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
