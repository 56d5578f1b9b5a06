package retrieval

import (
	"cmp"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Placed is a find in its place behind what supersedes it.
type Placed struct {
	engram.Ranked
	By  int64 // a memory before it that supersedes it; 0 when nothing does
	For int64 // it was not found itself but supersedes this find; 0 when it was found
}

// Superseded puts what supersedes a find right before it: moved up when it was found
// further down, pulled in when it was not found at all. Of a chain the newest comes
// first. All else keeps its order; hits are best first, each once.
//
// A memory that moves up or is pulled in takes the score of the find it stands
// before, so the scores of the answer fall as those of hits do. The old one keeps its
// rank but for that: the question matched it, and its successor may say the same in
// words that the question does not have.
//
// Only judged relations count. Where they contradict one another (a supersedes b
// supersedes a), the latest hold and the older ones that close the circle do not.
// Leave out relations whose source must not be shown, because it was forgotten or
// does not pass the filter: what it superseded then stands for itself.
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

// placing is an answer in the making.
type placing struct {
	newer  map[int64][]int64 // what supersedes a memory, the latest judgement first; no circles
	rank   map[int64]int     // of the hits
	done   map[int64]bool
	placed []Placed
}

// place puts num, and before it what supersedes it, where find has its place.
func (p *placing) place(num int64, find engram.Ranked) {
	if p.done[num] {
		return
	}
	p.done[num] = true
	newer := slices.Clone(p.newer[num])
	// What was found goes before what was not, as it was found.
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

// successors returns what supersedes each memory, the latest judgement first, without
// circles.
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

// Replaced returns the memories that another one supersedes, by number, each once.
// Which relations count is as for Superseded: of a circle one stays.
func Replaced(relations []engram.Relation) []int64 {
	return slices.Sorted(maps.Keys(successors(relations)))
}

// leads reports whether to supersedes from, over any number of memories.
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
