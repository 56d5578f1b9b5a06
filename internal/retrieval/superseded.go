package retrieval

import (
	"cmp"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Placed is a hit with what supersedes it.
type Placed struct {
	engram.Ranked
	By  int64 // a memory before it that supersedes it, or 0
	For int64 // it was not found itself but supersedes this hit; 0 if it was found
}

// Superseded puts what supersedes a hit directly before it: moved up if it was found further down,
// added if it was not found. The newest of a chain comes first. Everything else keeps its order;
// hits are best first, each once.
//
// A memory that moves up or is added takes the score of the hit that it precedes, so that scores
// stay descending. The old memory keeps its rank otherwise: it matched the question, and its
// successor may use other words.
//
// Only judged relations count. If they contradict each other (a supersedes b supersedes a), the
// latest hold and older ones that close the cycle do not. Leave out relations whose source must not
// be shown, because it was forgotten or filtered: the superseded memory then counts by itself.
func Superseded(hits []engram.Ranked, relations []engram.Relation) []Placed {
	p := placing{newer: successors(relations), rank: make(map[int64]int, len(hits)), done: map[int64]bool{}}
	for i, h := range hits {
		p.rank[h.Num] = i
	}
	for _, h := range hits {
		p.place(h.Num, h)
	}
	return p.placed
}

// placing is a result under construction.
type placing struct {
	newer  map[int64][]int64 // what supersedes a memory, latest judgement first; without cycles
	rank   map[int64]int     // of the hits
	done   map[int64]bool
	placed []Placed
}

// place puts num, preceded by what supersedes it, at the place of find.
func (p *placing) place(num int64, find engram.Ranked) {
	if p.done[num] {
		return
	}
	p.done[num] = true
	newer := slices.Clone(p.newer[num])
	// Hits come first, in their order.
	slices.SortStableFunc(newer, func(a, b int64) int { return cmp.Compare(p.rankOf(a), p.rankOf(b)) })
	for _, n := range newer {
		p.place(n, find)
	}
	out := Placed{Ranked: engram.Ranked{Num: num, Score: find.Score}}
	if _, found := p.rank[num]; !found {
		out.For = find.Num
	}
	if len(newer) > 0 {
		out.By = newer[0]
	}
	p.placed = append(p.placed, out)
}

func (p *placing) rankOf(num int64) int {
	if r, found := p.rank[num]; found {
		return r
	}
	return len(p.rank)
}

// successors returns what supersedes each memory, latest judgement first, without cycles.
func successors(relations []engram.Relation) map[int64][]int64 {
	var judged []engram.Relation
	for _, r := range relations {
		if r.Verb == engram.VerbSupersedes && r.Status == engram.RelationJudged && r.Source != r.Target {
			judged = append(judged, r)
		}
	}
	slices.SortStableFunc(judged, func(a, b engram.Relation) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.Num, a.Num))
	})
	newer := map[int64][]int64{}
	for _, r := range judged {
		if !leads(newer, r.Source, r.Target) && !slices.Contains(newer[r.Target], r.Source) {
			newer[r.Target] = append(newer[r.Target], r.Source)
		}
	}
	return newer
}

// Replaced returns the memories that another one supersedes, by number, each once. It counts
// relations like Superseded: one memory of a cycle stays.
func Replaced(relations []engram.Relation) []int64 {
	return slices.Sorted(maps.Keys(successors(relations)))
}

// leads reports whether to supersedes from, directly or through others.
func leads(newer map[int64][]int64, from, to int64) bool {
	seen := map[int64]bool{from: true}
	for open := []int64{from}; len(open) > 0; {
		num := open[len(open)-1]
		open = open[:len(open)-1]
		if num == to {
			return true
		}
		for _, n := range newer[num] {
			if !seen[n] {
				seen[n] = true
				open = append(open, n)
			}
		}
	}
	return false
}
