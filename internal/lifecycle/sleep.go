package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// StepAction is what a step of a sleep does.
type StepAction string

// The steps, in the order in which a sleep takes them.
const (
	StepFade    StepAction = "fade"    // what a memory has lost becomes its strength
	StepBoost   StepAction = "boost"   // one that is used gets stronger
	StepMerge   StepAction = "merge"   // those that say the same become one
	StepPrune   StepAction = "prune"   // one that is too weak is forgotten
	StepExtract StepAction = "extract" // what several have in common becomes a memory of its own
)

// StepActions lists the steps in the order in which a sleep takes them.
func StepActions() []StepAction {
	return []StepAction{StepFade, StepBoost, StepMerge, StepPrune, StepExtract}
}

// Step is one thing that a sleep does, and why.
type Step struct {
	Action   StepAction
	Memories []int64 // by number: the one it is about; of a merge the kept one first; of an extraction the sources
	Into     int64   // of a merge: the memory that is kept; else 0
	// From and To are strengths, 0 to 1. Of a fade what is stored and what is left of it;
	// of a boost and of a merge what the (kept) memory has now and what it gets; of a prune
	// what it has now, twice. 0 of an extraction.
	From, To float64
	Reason   string // for a person; holds no word of a memory
}

// Night is what a sleep knows. Nothing in it is changed.
type Night struct {
	Memories []engram.Memory // live ones; each at most once
	// Decay says how a project's memories fade where it has a say, by its name.
	Decay map[string]engram.ProjectDecay
	// NearDuplicates are pairs of Memories over the embedding model's duplicate mark, each once.
	NearDuplicates []NearDuplicate
	// Clusters are groups of memories that are near to each other and in which a pattern is
	// to be looked for; as Bunches makes them.
	Clusters []Cluster
	// Came is the number from which on memories came into the store within SleepPolicy.PruneAfter,
	// however old they are; 0: none of them did.
	Came int64
	// Only are the steps that are wanted; nil is all.
	Only []StepAction
}

// Wants reports whether steps of an action are wanted.
func (n Night) Wants(a StepAction) bool { return n.Only == nil || slices.Contains(n.Only, a) }

// DecayOf is how m fades.
func (n Night) DecayOf(m engram.Memory, p Policy) engram.Decay {
	if own, some := n.Decay[m.Project]; some {
		return DecayOf(m, &own, p)
	}
	return DecayOf(m, nil, p)
}

// Plan says what sleep would do at now: a step for what is to change, none for what is
// as it should be. It changes nothing; engine.Sleep applies it. Steps are in the order of
// StepActions, those of one action by number. A memory is in one fade, boost, merge or
// prune at most. Once the plan was applied, Plan of what came of it at the same now has
// no step; the twins of what was merged are none any more, for its text is another.
//
// Fading needs no sleep: strength is a function of time, and no write makes a memory
// weaker because time passed. The exception is the ebbinghaus curve, which counts from
// the last consolidation and is the slower the more often a memory was accessed: were
// the time before never settled, an access today would bring back what was lost last
// year. There sleep is the consolidation: what is left becomes the strength, as of now.
//
// Night.Kept says what is too weak and what stays all the same, Boosted what has earned a boost.
// A memory that is used, and would not be too weak once it is boosted, is boosted.
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

// JoinSteps makes one plan of two that were made apart, because a store is too large to
// be planned at once: a memory that is merged needs no step of its own.
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

// step is what is to be done about m by itself.
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
			reason = fmt.Sprintf("strength %.3f is the least of its curve and would be %.3f, below %.2g; %s", strength, left, s.Prune, idle(m, now))
		}
		return Step{Action: StepPrune, Memories: []int64{m.Num}, From: strength, To: strength, Reason: reason}, true
	case against == "" && n.Wants(StepBoost):
		reason := fmt.Sprintf("%s, the last one since its strength was set %s ago", counted(m.AccessCount, "access", "accesses"), days(m.TouchedAt, now))
		return Step{Action: StepBoost, Memories: []int64{m.Num}, From: strength, To: Strength(boosted, now, d), Reason: reason}, true
	case n.Wants(StepFade):
		faded, some := Faded(m, now, d, p)
		if !some {
			break
		}
		reason := fmt.Sprintf("%s since it was consolidated, %s", days(m.TouchedAt, now), counted(m.AccessCount, "access", "accesses"))
		return Step{Action: StepFade, Memories: []int64{m.Num}, From: m.Strength, To: faded.Strength, Reason: reason}, true
	}
	return Step{}, false
}

// Faded is m consolidated at now, and whether that is worth writing. Its strength at now
// and later is the same as before.
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

// idle says for how long nobody read or wrote m.
func idle(m engram.Memory, now time.Time) string { return days(lastAccess(m), now) + " without access" }

// days says how many whole days lie between two times.
func days(from, to time.Time) string { return counted(int(daysSince(from, to)), "day", "days") }
