package lifecycle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Cluster is a group of memories to search for a pattern.
type Cluster struct {
	Memories []int64 // the center first, then the nearest to it
	Cosine   float64 // between the center and the farthest member
}

// HasPatterns reports whether memories of a type are searched for patterns: those about
// experiences, decisions and lessons.
func HasPatterns(t engram.Type) bool {
	switch t {
	case engram.TypeBugfix, engram.TypeDebug, engram.TypeDiscovery, engram.TypeLearning, engram.TypeDecision, engram.TypeInsight, engram.TypeEpisode:
		return true
	}
	return false
}

// Clusters groups memories around centers: first the one with the most neighbors, then the next
// among the rest. near are pairs above the model's related threshold. A memory is in at most one
// cluster, and clusters for which asked returns true are dropped.
func Clusters(near []NearDuplicate, asked func(memories []int64) bool, p Policy) []Cluster {
	s := p.Sleep.orDefaults()
	around := map[int64][]engram.Ranked{}
	for _, t := range near {
		around[t.A] = append(around[t.A], engram.Ranked{Num: t.B, Score: t.Cosine})
		around[t.B] = append(around[t.B], engram.Ranked{Num: t.A, Score: t.Cosine})
	}
	var clusters []Cluster
	for len(clusters) < s.Clusters {
		b, found := bestCluster(around, s)
		if !found {
			break
		}
		if asked(b.Memories) {
			// Its neighbors may still be in other clusters.
			delete(around, b.Memories[0])
			continue
		}
		clusters = append(clusters, b)
		for _, num := range b.Memories {
			delete(around, num)
		}
	}
	return clusters
}

// bestCluster returns the largest cluster; of equals the densest, then the one with the smallest number.
func bestCluster(around map[int64][]engram.Ranked, s SleepPolicy) (best Cluster, found bool) {
	for middle, all := range around {
		others := slices.DeleteFunc(slices.Clone(all), func(r engram.Ranked) bool { _, left := around[r.Num]; return !left })
		slices.SortFunc(others, func(a, b engram.Ranked) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Num, b.Num))
		})
		others = others[:min(len(others), s.ClusterMost-1)]
		if len(others)+1 < s.Cluster {
			continue
		}
		b := Cluster{Memories: []int64{middle}, Cosine: others[len(others)-1].Score}
		for _, r := range others {
			b.Memories = append(b.Memories, r.Num)
		}
		if !found || cmp.Or(cmp.Compare(len(b.Memories), len(best.Memories)), cmp.Compare(b.Cosine, best.Cosine),
			cmp.Compare(best.Memories[0], middle)) > 0 {
			best, found = b, true
		}
	}
	return best, found
}

func extracts(clusters []Cluster) []Step {
	var steps []Step
	for _, b := range clusters {
		steps = append(steps, Step{Action: StepExtract, Memories: b.Memories,
			Reason: fmt.Sprintf("%d are near to each other, cosine %.2f and more to the first", len(b.Memories), b.Cosine)})
	}
	return steps
}
