package lifecycle

import (
	"slices"
	"time"
)

// Slept says what a sleep found and what it did.
type Slept struct {
	Project  string        // "" is every project
	At       time.Time     // for which the plan was made; its steps are dated so
	Plan     []Step        // in the order in which they are taken
	Applied  int           // steps of Plan that were taken; 0 in a dry run
	Skipped  []SkippedStep // steps of Plan that were not, because something changed meanwhile
	Made     []int64       // patterns, by number
	Ops      []int64       // operations in the journal, for undo
	Memories int           // live ones that were looked at
	// Compacted is how many entries left the journal, older than the policy keeps them.
	Compacted int
	// Fading are memories that get weaker by themselves as time passes, without a step: all
	// but permanent ones and those of the ebbinghaus curve.
	Fading int
	// Spared says of how many memories there was nothing to boost, and nothing to forget, and
	// why: for each of these actions that was wanted and of which Plan has no step.
	Spared []Spared
	// Titles are those of the memories in the plan, fading ones aside; of a long plan of the
	// first thousand.
	Titles map[int64]string
	// Degraded says what could not be done, with the reason; empty when all was.
	Degraded []string
}

// Span is the first and the last of Ops; 0, 0 where there is none.
func (s Slept) Span() (first, last int64) {
	if len(s.Ops) == 0 {
		return 0, 0
	}
	return slices.Min(s.Ops), slices.Max(s.Ops)
}

// SkippedStep is a step that was not taken.
type SkippedStep struct {
	Step   Step
	Reason string
}
