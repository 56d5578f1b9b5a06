package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// StepAction is the kind of a sleep step.
type StepAction string

// The steps, in the order of execution.
const (
	StepFade    StepAction = "fade"    // the strength lost so far is written down
	StepBoost   StepAction = "boost"   // a used memory gets stronger
	StepMerge   StepAction = "merge"   // near-duplicates become one
	StepPrune   StepAction = "prune"   // a memory below the threshold is forgotten
	StepExtract StepAction = "extract" // the common pattern of several becomes a memory
)

// StepActions lists the steps in the order of execution.
func StepActions() []StepAction {
	return []StepAction{StepFade, StepBoost, StepMerge, StepPrune, StepExtract}
}

// Step is one thing that sleep does, and why.
type Step struct {
	Action   StepAction
	Memories []int64 // by number: of a merge the kept one first; of an extraction the sources
	Into     int64   // of a merge: the kept memory; otherwise 0
	// From and To are strengths, 0 to 1. Fade: stored and remaining. Boost and merge: present and
	// future strength of the (kept) memory. Prune: the present one, twice. Extract: 0.
	From, To float64
	Reason   string // for a person; contains no text of a memory
}

// Night is what sleep knows. It is not changed.
type Night struct {
	Memories []engram.Memory // live, each at most once
	// Decay has the settings of projects that have one, by name.
	Decay map[string]engram.ProjectDecay
	// NearDuplicates are pairs of Memories above the embedding model's duplicate threshold, each once.
	NearDuplicates []NearDuplicate
	// Clusters are groups of similar memories to search for patterns, as made by the function Clusters.
	Clusters []Cluster
	// Came is the first number given to memories stored within SleepPolicy.PruneAfter, whatever
	// their age; 0 for none.
	Came int64
	// Only are the requested steps; nil for all.
	Only []StepAction
}

// Wants reports whether steps of an action are requested.
func (n Night) Wants(a StepAction) bool { return n.Only == nil || slices.Contains(n.Only, a) }

// DecayOf returns how m fades.
func (n Night) DecayOf(m engram.Memory, p Policy) engram.Decay {
	if own, some := n.Decay[m.Project]; some {
		return DecayOf(m, &own, p)
	}
	return DecayOf(m, nil, p)
}

// Plan returns what sleep would do at now. It changes nothing; engine.Sleep applies it. Steps are
// in the order of StepActions, those of one action by number. A memory is in at most one fade,
// boost, merge or prune. After the plan is applied, Plan at the same now has no step.
//
// Fading needs no sleep: strength is a function of time. The exception is the ebbinghaus curve, which counts
// from the last consolidation and slows down with every access: without consolidation, an access today would
// restore what was lost last year. There sleep writes down the remaining strength, as of now.
//
// See Night.Kept for what is forgotten and Boosted for what is boosted. A used memory that a boost
// lifts above the threshold is boosted.
func Plan(n Night, now time.Time, p Policy) []Step {
	s := p.Sleep.orDefaults()
	var steps []Step
	byNum := make(map[int64]engram.Memory, len(n.Memories))
	for _, m := range n.Memories {
		byNum[m.Num] = m
		if step, some := n.step(m, now, p, s); some {
			steps = append(steps, step)
		}
	}
	if n.Wants(StepMerge) {
		steps = JoinSteps(steps, n.merges(byNum, now, p))
	}
	if n.Wants(StepExtract) {
		steps = JoinSteps(steps, extracts(n.Clusters))
	}
	return JoinSteps(steps, nil)
}

// JoinSteps joins two partial plans, made separately because a store may be too large to plan at
// once. A merged memory needs no step of its own.
func JoinSteps(a, b []Step) []Step {
	merged := map[int64]bool{}
	for _, step := range slices.Concat(a, b) {
		for _, num := range step.Memories {
			merged[num] = merged[num] || step.Action == StepMerge
		}
	}
	all := slices.DeleteFunc(slices.Concat(a, b), func(s Step) bool {
		return (s.Action == StepFade || s.Action == StepBoost) && merged[s.Memories[0]]
	})
	order := StepActions()
	slices.SortFunc(all, func(a, b Step) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Action), slices.Index(order, b.Action)), slices.Compare(a.Memories, b.Memories))
	})
	return all
}

// step returns the step for m alone.
func (n Night) step(m engram.Memory, now time.Time, p Policy, s SleepPolicy) (Step, bool) {
	if m.Forgotten() {
		return Step{}, false
	}
	d := n.DecayOf(m, p)
	strength := Strength(m, now, d)
	boosted, against := Boosted(m, now, d, p)
	switch {
	case n.Wants(StepPrune) && n.Kept(m, now, p) == "":
		reason := fmt.Sprintf("strength %.3f is below %.2g, %s", strength, s.Prune, idle(m, now))
		if left := unfloored(m, now, d); left < strength {
			reason = fmt.Sprintf("strength %.3f is the minimum of its curve; without it, it would be %.3f, below %.2g; %s", strength, left, s.Prune, idle(m, now))
		}
		return Step{Action: StepPrune, Memories: []int64{m.Num}, From: strength, To: strength, Reason: reason}, true
	case against == "" && n.Wants(StepBoost):
		reason := fmt.Sprintf("%s, the last one after its strength was set %s ago", text.Counted(m.AccessCount, "access", "accesses"), days(m.TouchedAt, now))
		return Step{Action: StepBoost, Memories: []int64{m.Num}, From: strength, To: Strength(boosted, now, d), Reason: reason}, true
	case n.Wants(StepFade):
		faded, some := Faded(m, now, d, p)
		if !some {
			break
		}
		reason := fmt.Sprintf("%s since it was consolidated, %s", days(m.TouchedAt, now), text.Counted(m.AccessCount, "access", "accesses"))
		return Step{Action: StepFade, Memories: []int64{m.Num}, From: m.Strength, To: faded.Strength, Reason: reason}, true
	}
	return Step{}, false
}

// Faded returns m consolidated at now, and whether that is worth writing. Its strength at now and
// later is unchanged.
func Faded(m engram.Memory, now time.Time, d engram.Decay, p Policy) (faded engram.Memory, worth bool) {
	s := p.Sleep.orDefaults()
	if d.Curve != engram.CurveEbbinghaus || m.Permanent || now.Sub(m.TouchedAt) < s.FadeAfter {
		return m, false
	}
	left := Strength(m, now, d)
	if m.Strength-left < s.FadeLeast {
		return m, false
	}
	faded = m
	faded.Strength, faded.TouchedAt = left, now
	return faded, true
}

// idle returns how long m was neither read nor written, in words.
func idle(m engram.Memory, now time.Time) string { return days(lastAccess(m), now) + " without access" }

// days returns the whole days between two times, in words.
func days(from, to time.Time) string { return text.Counted(int(daysSince(from, to)), "day", "days") }

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
