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
	// Twins are pairs of Memories over the embedding model's duplicate mark, each once.
	Twins []Twin
	// Bunches are groups of memories that are near to each other and in which a pattern is
	// to be looked for; as Bunches makes them.
	Bunches []Bunch
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
// Too weak is what is below the floor; under the importance curve, which ends at 0.1,
// nothing ever is unless a higher floor is asked for. Permanent memories stay, and so do
// those that are due for review: somebody should look at them first. A memory that is
// used, and would not be too weak once it is boosted, is boosted.
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
		steps = JoinSteps(steps, extracts(n.Bunches))
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
	boosted, used := Boosted(m, now, d, p)
	lifted := Strength(boosted, now, d)
	switch {
	case n.Wants(StepPrune) && lifted < s.Floor && mayPrune(m, now):
		reason := fmt.Sprintf("strength %.3f is below %.2g, %s", strength, s.Floor, idle(m, now))
		return Step{Action: StepPrune, Memories: []int64{m.Num}, From: strength, To: strength, Reason: reason}, true
	case used && n.Wants(StepBoost):
		reason := fmt.Sprintf("%s, the last one since its strength was set %s ago", counted(m.AccessCount, "access", "accesses"), days(m.TouchedAt, now))
		return Step{Action: StepBoost, Memories: []int64{m.Num}, From: strength, To: lifted, Reason: reason}, true
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

// mayPrune reports whether m may be forgotten for being weak.
func mayPrune(m engram.Memory, now time.Time) bool {
	return !m.Permanent && State(m, now) != engram.StateNeedsReview
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

// Boosted is m made stronger at now, and whether it has earned it. It is never weaker
// than m, at now and at any time later, under any curve.
func Boosted(m engram.Memory, now time.Time, d engram.Decay, p Policy) (boosted engram.Memory, earned bool) {
	s := p.Sleep.orDefaults()
	if m.Permanent || m.AccessCount < s.BoostAccesses || !m.LastAccessedAt.After(m.TouchedAt) || now.Sub(m.TouchedAt) < s.BoostAfter {
		return m, false
	}
	base := m.Strength
	if d.Curve == engram.CurveEbbinghaus {
		// It is told from TouchedAt on, which moves: what was lost until now stays lost.
		base = Strength(m, now, d)
	}
	boosted = m
	boosted.Strength, boosted.TouchedAt = min(base+s.BoostBy, 1), now
	if boosted.Strength <= base || Strength(boosted, now, d) <= Strength(m, now, d) {
		return m, false // it is as strong as can be
	}
	return boosted, true
}

// idle says for how long nobody read or wrote m.
func idle(m engram.Memory, now time.Time) string { return days(lastAccess(m), now) + " without access" }

// days says how many whole days lie between two times.
func days(from, to time.Time) string { return counted(int(daysSince(from, to)), "day", "days") }
