package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// What belongs to a person or to everybody is seen in every project, wherever it was saved. A
// search in a project asks for it apart, and only where there is any: the store chooses by
// project before it reads, and a question that may be of every project would have to read all.

// mostBeyond is how many of these memories are compared by meaning: the newest.
const mostBeyond = 100

// beyond is the filter of what a question in a project finds beside it; false where it finds
// nothing there.
func (in SearchInput) beyond() (engram.Filter, bool) {
	f := in.Filter
	if f.Project == "" || f.Scope == engram.ScopeProject || f.Forgotten || in.Own {
		return f, false
	}
	f.Project, f.Beyond = "", true
	return f, true
}

// passes reports whether a memory passes the filter, or is found beside the project.
func (in SearchInput) passes(m engram.Memory) bool {
	if passes(m, in.Filter) {
		return true
	}
	f, some := in.beyond()
	return some && passes(m, f)
}

// byWordsBeyond adds what the words find beside the project.
func (q *question) byWordsBeyond(ctx context.Context) error {
	f, some := q.in.beyond()
	if !some {
		return nil
	}
	err := q.r.Vitals(ctx, f, func(m engram.Memory) bool {
		if m.Project != q.in.Filter.Project {
			q.beyond = append(q.beyond, m.Num)
		}
		return len(q.beyond) < mostBeyond
	})
	if err != nil || len(q.beyond) == 0 {
		return err
	}
	found, err := q.r.Lexical(ctx, engram.LexicalQuery{Terms: q.terms, All: q.in.All, Filter: f, Limit: mostBeyond, Alone: true})
	if err != nil {
		return err
	}
	if q.lexical.Rows == 0 { // nothing is in the project
		q.lexical = found
		return nil
	}
	q.lexical.Hits = ranked(q.lexical.Hits, found.Hits)
	return nil
}

// ranked joins two lists of finds; where one is in both, the first list has its score.
func ranked(first, second []engram.Ranked) []engram.Ranked {
	have := map[int64]bool{}
	for _, h := range first {
		have[h.Num] = true
	}
	all := append(first, slices.DeleteFunc(second, func(h engram.Ranked) bool { return have[h.Num] })...)
	retrieval.Sort(all)
	return all
}

// distant drops from what is near in meaning what was added from beside the project and would
// not have been among as many finds.
func (q *question) distant(found []engram.Ranked) {
	if len(found) < nearDepth {
		return
	}
	least := found[len(found)-1].Score
	for _, num := range q.beyond {
		byWords := slices.ContainsFunc(q.lexical.Hits, func(h engram.Ranked) bool { return h.Num == num })
		if v := q.meaning.near[num]; v != nil && !byWords && retrieval.Cosine(q.meaning.vector, v) < least {
			delete(q.meaning.near, num)
		}
	}
}
