package lifecycle

import (
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Slept reports what a sleep found and did.
type Slept struct {
	Project  string        // "" for every project
	At       time.Time     // time of the plan and of its steps
	Plan     []Step        // in the order of execution
	Applied  int           // steps of Plan that were executed; 0 in a dry run
	Skipped  []SkippedStep // steps of Plan whose memories changed meanwhile
	Made     []int64       // patterns, by number
	Ops      []int64       // journal operations, for undo
	Memories int           // live memories examined
	// Compacted is the number of journal entries removed as older than the policy keeps them.
	Compacted int
	// Fading is the number of memories that fade over time without a step: all but permanent ones
	// and those of the ebbinghaus curve.
	Fading int
	// Spared says how many memories were not boosted or pruned, and why, for each of these actions
	// that was requested and has no step in Plan.
	Spared []Spared
	// Titles are the titles of memories in the plan, except faded ones; at most the first thousand.
	Titles map[int64]string
	// Degraded says what could not be done, and why; empty if everything was.
	Degraded []string
}

// Span returns the first and last of Ops; 0, 0 for none.
func (s Slept) Span() (first, last int64) {
	if len(s.Ops) == 0 {
		return 0, 0
	}
	return slices.Min(s.Ops), slices.Max(s.Ops)
}

// SkippedStep is a step that was not executed.
type SkippedStep struct {
	Step   Step
	Reason string
}

// Diagnostics lists memories worth a look.
type Diagnostics struct {
	Project    string // "" is every project
	At         time.Time
	Memories   int             // live ones
	Weakest    []Weak          // without permanent ones, weakest first
	Duplicates []DuplicatePair // near-duplicates, nearest first
	Pairs      int             // number of near-duplicate pairs; at most 256 of one memory are counted
	Orphans    []engram.Memory // no relation, no topic, never accessed; oldest first
	Unrecalled []engram.Memory // never accessed, oldest first
	Never      int             // number never accessed
	Degraded   []string        // what could not be computed, with the reason
}

// Weak is a memory and its present strength.
type Weak struct {
	Memory   engram.Memory
	Strength float64
}

// DuplicatePair is a pair of near-duplicates.
type DuplicatePair struct {
	A, B   engram.Memory // A is the older one
	Cosine float64
	// Against says why sleep does not merge them; "" if it would.
	Against string
}
