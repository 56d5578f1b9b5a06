// Package lifecycle holds the rules for memories over time: what a save does (admit.go), how
// strength fades (decay.go), what is due for review (review.go), what sleep would do (sleep.go),
// and how states of replicas merge (merge.go).
//
// Every rule is a pure function of memories, a time and a policy, and returns its reason. Nothing
// here reads a clock or a store, so a dry run and a real run are the same call.
package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// Policy has the thresholds of the rules.
type Policy struct {
	// RepeatWindow is how long after creation the same words count as a repeat instead of a new
	// memory. Default 15 minutes.
	RepeatWindow time.Duration
	// ReviewMonths is the number of months until a memory of a type is due for review. Other types
	// never fall due.
	ReviewMonths map[engram.Type]int
	// AccessWindow is how long after an access outside a session another one does not count.
	// Default an hour.
	AccessWindow time.Duration
	// Decay is how strength fades unless TypeDecay or a project says otherwise.
	Decay engram.Decay
	// TypeDecay overrides Decay for types; see DecayOf for precedence.
	TypeDecay map[engram.Type]engram.Decay
	// MergeBoost is the strength a memory gains when another is merged into it. Default 0.1.
	MergeBoost float64
	// MostNear is the number of similar memories that a save examines. Default 6.
	MostNear int
	// MostLinks is the number of similar memories that a save relates automatically. Default 3.
	MostLinks int
	// MostCandidates is the number of memories that a save checks for contradictions. Default 3.
	MostCandidates int
	// Unlinked are types that a save neither relates nor checks: they cover everything that
	// happened, and so are similar to everything. Default session_summary and passive.
	Unlinked []engram.Type
	// KeepJournal is how long journal entries are kept, and thus how far back undo and as-of reach.
	// 0 keeps all. Default two years.
	KeepJournal time.Duration
	Sleep       SleepPolicy
}

// DefaultPolicy returns the policy in force without configuration.
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
