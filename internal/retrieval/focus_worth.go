package retrieval

import (
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

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
