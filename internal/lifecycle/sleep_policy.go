package lifecycle

import "time"

// SleepPolicy is what sleep goes by. The zero value has the defaults: a field that is 0
// takes its own.
type SleepPolicy struct {
	// FadeAfter is how long after a memory was consolidated it is consolidated again.
	// Default a day.
	FadeAfter time.Duration
	// FadeLeast is how much strength it must have lost meanwhile. Default 0.01.
	FadeLeast float64
	// BoostAfter is how long after its strength was last set a memory may be boosted.
	// Default a day.
	BoostAfter time.Duration
	// BoostAccesses is how often a memory must have been accessed, the last time since its
	// strength was last set. Default 3.
	BoostAccesses int
	// BoostBy is what its stored strength gains, up to 1. Default 0.1.
	BoostBy float64
	// BoostLeast is how much stronger a boost must leave it now to be worth writing. Default 0.01.
	BoostLeast float64
	// Prune is the strength, 0 to 1, below which a memory is forgotten. 0 is DefaultFloor, which
	// spares more than a floor that was asked for does: see Night.Kept.
	Prune float64
	// PruneAfter is how long a memory must have been here, and left alone, before the default floor applies
	// to it. Default 30 days.
	PruneAfter time.Duration
	// Cluster is how many memories a pattern is looked for in, at least; ClusterMost at most.
	// Defaults 3 and 8.
	Cluster, ClusterMost int
	// Clusters is in how many bunches a sleep looks for patterns, at most. Default 5.
	Clusters int
}

// DefaultPrune is the strength below which sleep forgets, where nobody asks for another one.
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

// Settled is PruneAfter, or its default.
func (p SleepPolicy) Settled() time.Duration { return p.orDefaults().PruneAfter }

func orElse[T ~int | ~int64 | ~float64](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}
