package lifecycle

import "time"

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
	// Cluster and ClusterMost are the least and most memories to search for a pattern. Defaults 3
	// and 8.
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
