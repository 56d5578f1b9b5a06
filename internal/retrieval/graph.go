package retrieval

import (
	"cmp"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// GraphPolicy says how far finds spread over relations, and what is lost on the way.
// Factors outside 0 to 1 count as the nearer of the two, NaN as 0.
type GraphPolicy struct {
	Hops    int                         // most relations between a find and what it leads to; 0 is none
	Hop     float64                     // factor of each hop
	Pending float64                     // factor of a relation that nobody has judged; ignored ones lead nowhere
	Verbs   map[engram.Verb]VerbFactors // a verb that is not in it leads nowhere
	// Automatic is the factor of a tie that Engram made by itself. None by default: what is
	// near in meaning the vectors find already, and on three collections following it put no
	// answer higher and more beside the point above the floor.
	Automatic float64
}

// VerbFactors are what a verb passes on of a score.
type VerbFactors struct {
	Along   float64 // from source to target
	Against float64 // from target to source
}

// DefaultGraph spreads one hop at half the score.
//
// Who finds what was replaced wants what replaced it, and seldom the reverse; where
// something came from and what became of it are worth the same. That two memories do
// not conflict says nothing of either.
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

// passes returns what a relation passes on of a score along its direction and
// against it, each 0 to 1, the hop included.
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

// Follows are the verbs that lead somewhere, in the order of engram.Verbs.
func (p GraphPolicy) Follows() []engram.Verb {
	return slices.DeleteFunc(engram.Verbs(), func(v engram.Verb) bool {
		f := p.Verbs[v]
		return unit(f.Along) == 0 && unit(f.Against) == 0
	})
}

// unit is f between 0 and 1, and 0 for NaN.
func unit(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return min(max(f, 0), 1)
}

// Step is one hop over a relation.
type Step struct {
	From, To int64 // Nums; To is the relation's source when the hop goes against it
	Verb     engram.Verb
	Against  bool // from the relation's target to its source
}

// Reached is a memory that relations lead to.
type Reached struct {
	engram.Ranked
	Path []Step // from a find to the memory, never empty
}

// Spread follows relations from what was found and ranks what they lead to, best
// first, ties by number.
//
//	score(m) = max over finds f ≠ m and ways from f to m of at most p.Hops relations of
//	           score(f) · Π over the relations of p.Hop · verb · strength · status
//
// The greatest way counts and not the sum of all, so a score never exceeds that of
// the find it comes from, and a memory that everything is tied to does not come first
// for that. A find is in the answer when another find leads to it. Cycles change
// nothing: going round only loses.
//
// Finds whose score is not a positive, finite number lead nowhere, and so do relations
// that pass nothing on. Neither slice is kept or changed. The work is at most
// finds × hops × relations.
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
			// An equal score of an earlier find stays.
			if r.Score > best[num].Score {
				best[num] = r
			}
		}
	}
	all := make([]Reached, 0, len(best))
	for _, r := range best {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Reached) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Num, b.Num))
	})
	return all
}

// edge is a relation as seen from one of its ends.
type edge struct {
	Step
	factor float64
}

// relationsOf returns each memory's ties, in the order of the relations.
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

// walk returns the best way from one find to each memory within so many hops.
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
		// The map has no order, and of equal ways the first counts.
		slices.SortFunc(edge, func(a, b Reached) int { return cmp.Compare(a.Num, b.Num) })
	}
	return best
}

// Ahead returns the memories that relations lead to from those in seen, each once, by
// number: whose relations the next hop needs. It leaves out what p does not follow.
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
