package lifecycle

import (
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Kept says why sleep does not forget m at now, in words that follow a count ("2 are
// permanent"); "" where it does.
//
// Too weak is what is below the floor; under the importance curve, which itself ends at
// 0.1, what would be below it if the curve went on: with the default rate a memory of
// ordinary importance that nobody read for 271 days. Permanent memories stay, and so do
// those that are due for review: somebody should look at them first. The default floor,
// for which nobody asked, also spares what is young here, what lasts and what was ever read.
func (n Night) Kept(m engram.Memory, now time.Time, p Policy) string {
	s, d := p.Sleep.orDefaults(), n.DecayOf(m, p)
	lifted, _ := Boosted(m, now, d, p)
	switch {
	case m.Permanent:
		return "permanent"
	case unfloored(lifted, now, d) >= s.Prune:
		return fmt.Sprintf("not weaker than %.2g", s.Prune)
	case State(m, now) == engram.StateNeedsReview:
		return "due for review"
	case p.Sleep.Prune > 0:
		return "" // who names a floor means it
	case m.Importance >= lastingImportance:
		return fmt.Sprintf("of an importance of %.2g or more", lastingImportance)
	case m.Type == engram.TypePreference, m.Type == engram.TypePolicy:
		return "a preference or a policy"
	case m.AccessCount > 0:
		return "read before"
	case now.Sub(lastAccess(m)) < s.PruneAfter, now.Sub(m.LastSeenAt) < s.PruneAfter, n.Came > 0 && m.Num >= n.Came:
		return "saved, changed or imported within " + days(now.Add(-s.PruneAfter), now)
	}
	return ""
}

// lastingImportance is from which importance on a memory is told to every session, and not
// forgotten unless that is asked for.
const lastingImportance = 0.7

// Boosted is m made stronger at now, or m and why sleep does not boost it, in words that follow
// a count. It is never weaker than m, at now and at any time later, under any curve.
//
// The importance and the geometric curve count from the last access, or boost, so that what was
// lost since comes back even where nothing can be added to the stored strength, which begins at 1.
func Boosted(m engram.Memory, now time.Time, d engram.Decay, p Policy) (boosted engram.Memory, against string) {
	s := p.Sleep.orDefaults()
	switch {
	case m.Permanent:
		return m, "permanent"
	case m.AccessCount < s.BoostAccesses:
		return m, fmt.Sprintf("read fewer than %d times", s.BoostAccesses)
	case !m.LastAccessedAt.After(m.TouchedAt):
		return m, "not read since they were last boosted or saved"
	case now.Sub(m.TouchedAt) < s.BoostAfter:
		return m, "boosted or saved within " + days(now.Add(-s.BoostAfter), now)
	}
	base := m.Strength
	if d.Curve == engram.CurveEbbinghaus {
		// It is told from TouchedAt on, which moves: what was lost until now stays lost.
		base = Strength(m, now, d)
	}
	boosted = m
	boosted.Strength, boosted.TouchedAt = max(min(base+s.BoostBy, 1), base), now
	if Strength(boosted, now, d)-Strength(m, now, d) < s.BoostLeast {
		return m, "as strong as a boost would make them"
	}
	return boosted, ""
}

// Spared is how many memories a sleep had no step of an action for, and why.
type Spared struct {
	Action   StepAction // StepPrune or StepBoost
	Reason   string     // in words that follow the count: "read fewer than 3 times"
	Memories int
}

// Spare is what of the wanted steps sleep does not take about m at now by itself, and why.
func (n Night) Spare(m engram.Memory, now time.Time, p Policy) (spared []Spared) {
	_, against := Boosted(m, now, n.DecayOf(m, p), p)
	for _, one := range []Spared{{StepBoost, against, 1}, {StepPrune, n.Kept(m, now, p), 1}} {
		if one.Reason != "" && n.Wants(one.Action) {
			spared = append(spared, one)
		}
	}
	return spared
}

// AddSpared counts more in all.
func AddSpared(all []Spared, more ...Spared) []Spared {
	for _, one := range more {
		i := slices.IndexFunc(all, func(s Spared) bool { return s.Action == one.Action && s.Reason == one.Reason })
		if i < 0 {
			all = append(all, one)
			continue
		}
		all[i].Memories += one.Memories
	}
	return all
}
