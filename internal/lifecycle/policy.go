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
	// AccessWindow is how long after an access outside a session another one does not count. Default an hour.
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

// SleepPolicy has the thresholds of sleep. Zero fields have their defaults.
type SleepPolicy struct {
	// FadeAfter is the least time between two consolidations of a memory. Default a day.
	FadeAfter time.Duration
	// FadeLeast is the least loss of strength worth writing. Default 0.01.
	FadeLeast float64
	// BoostAfter is the least time between two changes of the stored strength. Default a day.
	BoostAfter time.Duration
	// BoostAccesses is the number of accesses a boost needs, the last one since the strength was
	// last set. Default 3.
	BoostAccesses int
	// BoostBy is the gain of stored strength, up to 1. Default 0.1.
	BoostBy float64
	// BoostLeast is the least gain of present strength worth writing. Default 0.01.
	BoostLeast float64
	// Prune is the strength, 0 to 1, below which a memory is forgotten. 0 means DefaultPrune, which
	// spares more than an explicit threshold: see Night.Kept.
	Prune float64
	// PruneAfter is how long a memory must be stored and idle before DefaultPrune applies to it.
	// Default 30 days.
	PruneAfter time.Duration
	// Cluster and ClusterMost are the least and most memories to search for a pattern. Defaults 3 and 8.
	Cluster, ClusterMost int
	// Clusters is the most clusters per sleep. Default 5.
	Clusters int
}

// DefaultPrune is the strength below which sleep forgets by default.
//
// Source: the fourth of the designs that Engram unites forgets what is weaker than 5 %.
const DefaultPrune = 0.05

func (p SleepPolicy) orDefaults() SleepPolicy {
	return SleepPolicy{
		FadeAfter: orElse(p.FadeAfter, 24*time.Hour), FadeLeast: orElse(p.FadeLeast, 0.01),
		BoostAfter: orElse(p.BoostAfter, 24*time.Hour), BoostAccesses: orElse(p.BoostAccesses, 3), BoostBy: orElse(p.BoostBy, 0.1),
		BoostLeast: orElse(p.BoostLeast, 0.01), Prune: orElse(p.Prune, DefaultPrune), PruneAfter: orElse(p.PruneAfter, 30*24*time.Hour),
		Cluster: max(orElse(p.Cluster, 3), 2), ClusterMost: orElse(p.ClusterMost, 8), Clusters: orElse(p.Clusters, 5),
	}
}

// Settled returns PruneAfter, or its default.
func (p SleepPolicy) Settled() time.Duration { return p.orDefaults().PruneAfter }

func orElse[T ~int | ~int64 | ~float64](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}
