package retrieval

import (
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// PriorPolicy limits the effect of a memory's own worth on its score. The limits are narrow: in
// retrieval of evidence no prior ever helped (a recency prior of 0.2 costs 0.005 nDCG@10 in the
// mean of six label sets), so they only decide between about equal matches.
type PriorPolicy struct {
	Importance float64       // importance 1 multiplies by 1 + this, 0 by 1 - this
	Strength   float64       // strength 0 multiplies by 1 - this
	Recency    float64       // age 0 multiplies by 1 + this
	HalfLife   time.Duration // of the recency
}

// DefaultPrior is the default policy. All factors together are 0.86 to 1.12.
func DefaultPrior() PriorPolicy {
	return PriorPolicy{Importance: 0.10, Strength: 0.04, Recency: 0.01, HalfLife: 30 * 24 * time.Hour}
}

// Prior returns the factors of a memory's own worth: its importance (0 to 1), its current strength (0 to 1) and
// its age. They are separate, so that an explanation can show them; the score is multiplied by all.
func (p PriorPolicy) Prior(importance, strength float64, age time.Duration) []engram.Factor {
	halves := max(age, 0).Hours() / p.HalfLife.Hours()
	return []engram.Factor{
		{Name: "importance", Value: 1 + p.Importance*(2*unit(importance)-1)},
		{Name: "strength", Value: 1 - p.Strength*(1-unit(strength))},
		{Name: "recency", Value: 1 + p.Recency*math.Exp2(-halves)},
	}
}

// AnchorPolicy says how the state of the code that a memory refers to changes its score.
type AnchorPolicy struct {
	Changed float64 // factor for a memory whose code changed
	Gone    float64 // factor if all of its code is gone
}

// DefaultAnchors is the default policy. Changed code is a reason to check, not proof that a memory is wrong:
// most commits do not touch what it says about a file. The factors are therefore as narrow as those of
// PriorPolicy: of two memories that answer equally well, the one with unchanged code comes first, and none
// disappears. Unchanged code raises nothing, because most memories have no anchors.
func DefaultAnchors() AnchorPolicy { return AnchorPolicy{Changed: 0.93, Gone: 0.86} }

// Prior returns the factor of a memory with these anchors; 1 if nothing relevant was seen.
func (p AnchorPolicy) Prior(all []engram.Anchored) engram.Factor {
	f := engram.Factor{Name: "anchors", Value: 1}
	switch Standing(all) {
	case engram.AnchorChanged:
		f.Value = p.Changed
	case engram.AnchorGone:
		f.Value = p.Gone
	}
	return f
}

// Standing summarises the state of a memory's code: gone if none of it exists, changed if some of
// it changed or is gone, else moved or verified; unknown if nothing could be checked. A change of a
// whole file that the text only names does not count: files in use always change.
func Standing(all []engram.Anchored) engram.AnchorState {
	order := []engram.AnchorState{engram.AnchorUnknown, engram.AnchorVerified, engram.AnchorMoved, engram.AnchorChanged}
	seen, gone := 0, 0
	state := engram.AnchorUnknown
	for _, a := range all {
		if a.State == engram.AnchorUnknown {
			continue
		}
		seen++
		s := a.State
		if s == engram.AnchorChanged && a.Named && a.Whole() {
			s = engram.AnchorVerified
		}
		if s == engram.AnchorGone {
			gone++
			s = engram.AnchorChanged
		}
		if slices.Index(order, s) > slices.Index(order, state) {
			state = s
		}
	}
	if seen > 0 && gone == seen {
		return engram.AnchorGone
	}
	return state
}

// Worth returns how useful m is to a new session, greater than 0; only for ordering.
//
// It is the product of m's type (rules for all later work count more than single events), its importance, how
// often it was requested (each doubling adds less than a half), and its age: halved every 30 days since it was
// written, repeated or requested, down to a twentieth; importance above the default raises that minimum, up to
// four fifths. A permanent memory counts as touched today, and three times.
func Worth(m engram.Memory, use engram.ExposureCount, now time.Time) float64 {
	const halfLife, permanent, perDoubling = 30 * 24 * time.Hour, 3, 0.4
	worth := kindWorth(m.Type) * (0.5 + m.Importance) * (1 + perDoubling*math.Log2(1+float64(max(0, use.Count)+max(0, m.AccessCount))))
	if m.Permanent {
		return worth * permanent
	}
	least := 0.05 + 1.5*max(0, m.Importance-engram.DefaultImportance)
	touched := []time.Time{m.CreatedAt, m.UpdatedAt, m.LastSeenAt, m.LastAccessedAt, use.Last}
	age := now.Sub(slices.MaxFunc(touched, time.Time.Compare))
	fresh := math.Exp2(-max(0, age.Hours()) / halfLife.Hours())
	return worth * (least + (1-least)*fresh)
}

// kindWorth returns the weight of a type. The vocabulary is open: unknown types count 1.
func kindWorth(t engram.Type) float64 {
	switch t {
	case engram.TypeDecision, engram.TypePreference, engram.TypePolicy:
		return 1.6
	case engram.TypeArchitecture, engram.TypePattern, engram.TypeReflex:
		return 1.3
	case engram.TypeEpisode, engram.TypePassive, engram.TypeDebug:
		return 0.7
	}
	return 1
}
