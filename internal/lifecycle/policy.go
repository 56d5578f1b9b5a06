// Package lifecycle holds the rules that act on memories as time passes: what a
// save does (admit.go), how strength fades (decay.go), what is due for review
// (review.go) and what sleep would do (sleep.go).
//
// Every rule is a pure function of memories, a time and a policy, and returns its
// reason. Nothing here reads a clock or a store, so a dry run and a real run are
// the same call.
package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// Policy is every threshold of the rules.
type Policy struct {
	// RepeatWindow is how long after a memory was made the same words count as a
	// repeat of it instead of a new memory. Default 15 minutes.
	RepeatWindow time.Duration
	// ReviewMonths says after how many months a memory of a type should be checked.
	// A type that is not in it never falls due.
	ReviewMonths map[engram.Type]int
	// AccessWindow is how long after an access without a session another one is no access.
	// Default an hour.
	AccessWindow time.Duration
	// Decay is how strength fades, where neither TypeDecay nor a project says otherwise.
	Decay engram.Decay
	// TypeDecay is how strength fades for some types; DecayOf has the order.
	TypeDecay map[engram.Type]engram.Decay
	// MergeBoost is by how much a memory grows stronger when another is merged into it.
	// Default 0.1.
	MergeBoost float64
	// MostNear is how many memories near to one that is saved are looked at. Default 6.
	MostNear int
	// MostLinks is to how many near memories a save ties its memory by itself. Default 3.
	MostLinks int
	// MostCandidates is about how many memories a save asks whether they contradict it.
	// Default 3.
	MostCandidates int
	// Unlinked are types that a save neither ties nor holds against others: they tell of
	// everything that happened, and so are near to everything. Default session_summary and
	// passive.
	Unlinked []engram.Type
	// KeepJournal is how long entries of the journal are kept: so far back an operation can
	// be undone and the past be asked for. 0 keeps all. Default two years.
	KeepJournal time.Duration
	// Sleep is what sleep goes by.
	Sleep SleepPolicy
}

// DefaultPolicy is the policy in force when nobody configured another.
func DefaultPolicy() Policy {
	return Policy{
		RepeatWindow: 15 * time.Minute,
		AccessWindow: time.Hour,
		ReviewMonths: map[engram.Type]int{engram.TypeDecision: 6, engram.TypePolicy: 12, engram.TypePreference: 3},
		MergeBoost:   0.1, MostNear: 6, MostLinks: 3, MostCandidates: 3,
		Unlinked:    []engram.Type{engram.TypeSessionSummary, engram.TypePassive},
		KeepJournal: 730 * 24 * time.Hour,
	}
}
