package retrieval

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// GraphPolicy says how far hits spread over relations, and with what loss. Factors are clamped to 0
// to 1; NaN counts as 0.
type GraphPolicy struct {
	Hops    int                         // most relations between a hit and what it leads to; 0 does not spread
	Hop     float64                     // factor of each hop
	Pending float64                     // factor of a relation that was not judged; ignored ones do not count
	Verbs   map[engram.Verb]VerbFactors // verbs that are missing here do not count
	// Automatic is the factor of relations that Engram made by itself. 0 by default: vectors
	// already find similar memories, and on three collections following such relations improved no
	// answer and put more irrelevant hits above the threshold.
	Automatic float64
}

// VerbFactors are the shares of a score that a verb passes on.
type VerbFactors struct {
	Along   float64 // from source to target
	Against float64 // from target to source
}

// DefaultGraph spreads one hop at half the score.
//
// A reader who finds a replaced memory wants its replacement, seldom the reverse; origin and consequence are
// worth the same in both directions. That two memories do not conflict says nothing about either.
func DefaultGraph() GraphPolicy {
	same := func(f float64) VerbFactors { return VerbFactors{f, f} }
	return GraphPolicy{Hops: 1, Hop: 0.5, Pending: 0.25, Verbs: map[engram.Verb]VerbFactors{
		engram.VerbSupersedes:  {Along: 0.3, Against: 1},
		engram.VerbEvolvedFrom: {Along: 0.6, Against: 1},
		engram.VerbDerivedFrom: same(0.9),
		engram.VerbCausedBy:    same(0.9),
		engram.VerbRelatesTo:   same(0.8),
		engram.VerbContradicts: same(0.6),
		engram.VerbCompatible:  same(0.4),
		engram.VerbScoped:      same(0.4),
		engram.VerbNotConflict: same(0),
	}}
}

// passes returns the shares of a score that a relation passes on along its direction and against
// it, each 0 to 1, including the hop.
func (p GraphPolicy) passes(r engram.Relation) (along, against float64) {
	f := unit(p.Hop) * unit(r.Strength)
	switch r.Status {
	case engram.RelationJudged:
	case engram.RelationPending:
		f *= unit(p.Pending)
	default:
		return 0, 0
	}
	if r.Automatic() {
		f *= unit(p.Automatic)
	}
	v := p.Verbs[r.Verb]
	return f * unit(v.Along), f * unit(v.Against)
}

// Follows returns the verbs that pass something on, in the order of engram.Verbs.
func (p GraphPolicy) Follows() []engram.Verb {
	return slices.DeleteFunc(engram.Verbs(), func(v engram.Verb) bool {
		f := p.Verbs[v]
		return unit(f.Along) == 0 && unit(f.Against) == 0
	})
}

// unit clamps f to 0 to 1; NaN becomes 0.
func unit(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return min(max(f, 0), 1)
}

// Step is one hop over a relation.
type Step struct {
	From, To int64 // Nums; To is the relation's source if the hop goes against it
	Verb     engram.Verb
	Against  bool // from the relation's target to its source
}

// Reached is a memory that relations lead to.
type Reached struct {
	engram.Ranked
	Path []Step // from a hit to the memory, never empty
}

// Spread follows relations from hits and ranks the memories they lead to, best first, ties by number.
//
//	score(m) = max over hits f ≠ m and paths from f to m of at most p.Hops relations of
//	           score(f) · Π over the relations of p.Hop · verb · strength · status
//
// The best path counts, not the sum of all, so a score never exceeds that of its hit, and a memory
// does not come first just because it has many relations. A hit is in the result if another hit
// leads to it. Cycles do not matter, because each hop loses.
//
// Hits whose score is not positive and finite lead nowhere, nor do relations that pass nothing on.
// The arguments are neither kept nor changed. The work is at most hits × hops × relations.
func Spread(finds []engram.Ranked, relations []engram.Relation, p GraphPolicy) []Reached {
	ties := relationsOf(relations, p)
	if len(ties) == 0 {
		return nil
	}
	best := map[int64]Reached{}
	for _, f := range finds {
		if !(f.Score > 0) || math.IsInf(f.Score, 1) {
			continue
		}
		for num, r := range walk(f, ties, p.Hops) {
			// An equal score of an earlier hit wins.
			if r.Score > best[num].Score {
				best[num] = r
			}
		}
	}
	return slices.SortedFunc(maps.Values(best), func(a, b Reached) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Num, b.Num))
	})
}

// edge is a relation seen from one of its ends.
type edge struct {
	Step
	factor float64
}

// relationsOf returns each memory's edges, in the order of the relations.
func relationsOf(relations []engram.Relation, p GraphPolicy) map[int64][]edge {
	ties := map[int64][]edge{}
	for _, r := range relations {
		along, against := p.passes(r)
		if along > 0 {
			ties[r.Source] = append(ties[r.Source], edge{Step{From: r.Source, To: r.Target, Verb: r.Verb}, along})
		}
		if against > 0 {
			ties[r.Target] = append(ties[r.Target], edge{Step{From: r.Target, To: r.Source, Verb: r.Verb, Against: true}, against})
		}
	}
	return ties
}

// walk returns the best path from one hit to each memory within so many hops.
func walk(find engram.Ranked, ties map[int64][]edge, hops int) map[int64]Reached {
	best := map[int64]Reached{}
	edge := []Reached{{Ranked: find}}
	for range hops {
		next := map[int64]Reached{}
		for _, at := range edge {
			for _, t := range ties[at.Num] {
				score := at.Score * t.factor
				if t.To == find.Num || score <= best[t.To].Score || score <= next[t.To].Score {
					continue
				}
				next[t.To] = Reached{engram.Ranked{Num: t.To, Score: score}, append(slices.Clone(at.Path), t.Step)}
			}
		}
		edge = edge[:0]
		for num, r := range next {
			best[num] = r
			edge = append(edge, r)
		}
		if len(edge) == 0 {
			break
		}
		// Sorted, because maps have no order and the first of equal paths counts.
		slices.SortFunc(edge, func(a, b Reached) int { return cmp.Compare(a.Num, b.Num) })
	}
	return best
}

// Ahead returns the memories that relations lead to from those in seen, each once, by number: those
// whose relations the next hop needs. It leaves out what p does not follow.
func Ahead(seen map[int64]bool, relations []engram.Relation, p GraphPolicy) []int64 {
	var next []int64
	for _, r := range relations {
		along, against := p.passes(r)
		if along > 0 && seen[r.Source] && !seen[r.Target] {
			next = append(next, r.Target)
		}
		if against > 0 && seen[r.Target] && !seen[r.Source] {
			next = append(next, r.Source)
		}
	}
	slices.Sort(next)
	return slices.Compact(next)
}
