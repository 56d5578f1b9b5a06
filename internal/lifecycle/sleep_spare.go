package lifecycle

import (
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Kept returns why sleep does not forget m at now, in words that follow a count ("2 are
// permanent"); "" if it does.
//
// A memory is forgotten below the threshold. For the importance curve, which ends at 0.1, the curve
// is continued: at the default rate that means 271 days without access for ordinary importance.
// Permanent memories stay, and those due for review, so that a person sees them first. The default
// threshold also spares recent, important and accessed memories.
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
		return "" // an explicit threshold spares nothing
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

// lastingImportance is the least importance of memories that every session brief shows and that
// only an explicit threshold forgets.
const lastingImportance = 0.7

// Boosted returns m made stronger at now, or m and why sleep does not boost it, in words that
// follow a count. It is never weaker than m, at now or later, under any curve.
//
// The importance and geometric curves count from the last access or boost, so a boost restores lost
// strength even if the stored strength, which begins at 1, cannot grow.
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
		// The curve counts from TouchedAt, which moves: keep what was lost so far.
		base = Strength(m, now, d)
	}
	boosted = m
	boosted.Strength, boosted.TouchedAt = max(min(base+s.BoostBy, 1), base), now
	if Strength(boosted, now, d)-Strength(m, now, d) < s.BoostLeast {
		return m, "as strong as a boost would make them"
	}
	return boosted, ""
}

// Spared counts memories without a step of an action, and says why.
type Spared struct {
	Action   StepAction // StepPrune or StepBoost
	Reason   string     // in words that follow the count: "read fewer than 3 times"
	Memories int
}

// Spare returns the requested steps that sleep does not take for m at now, with the reasons.
func (n Night) Spare(m engram.Memory, now time.Time, p Policy) (spared []Spared) {
	_, against := Boosted(m, now, n.DecayOf(m, p), p)
	for _, one := range []Spared{{StepBoost, against, 1}, {StepPrune, n.Kept(m, now, p), 1}} {
		if one.Reason != "" && n.Wants(one.Action) {
			spared = append(spared, one)
		}
	}
	return spared
}

// AddSpared adds counts to all.
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
