package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// current returns memories without those that others supersede, and with the others in
// their place, as far as these pass f; what passes nothing supersedes nothing. Order and
// repeats are those of ms; what comes in stands at the end.
func current(ctx context.Context, r engram.Reader, ms []engram.Memory, f engram.Filter) ([]engram.Memory, error) {
	known := map[int64]bool{}
	var next []int64
	for _, m := range ms {
		if !known[m.Num] {
			known[m.Num] = true
			next = append(next, m.Num)
		}
	}
	all := slices.Clone(ms)
	var relations []engram.Relation
	for range mostSuccessors {
		newer, err := r.RelationsOf(ctx, next, []engram.Verb{engram.VerbSupersedes}, mostTies)
		if err != nil {
			return nil, err
		}
		relations, next = append(relations, newer...), nil
		for _, rel := range newer {
			if known[rel.Target] && rel.Supersedes() && !known[rel.Source] && !slices.Contains(next, rel.Source) {
				next = append(next, rel.Source)
			}
		}
		if len(next) == 0 {
			break
		}
		sources, err := r.Memories(ctx, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, m := range sources {
			if passes(m, f) {
				known[m.Num] = true
				all, next = append(all, m), append(next, m.Num)
			}
		}
	}
	relations = slices.DeleteFunc(relations, func(rel engram.Relation) bool { return !known[rel.Source] })
	replaced := retrieval.Replaced(relations)
	return slices.DeleteFunc(all, func(m engram.Memory) bool { return slices.Contains(replaced, m.Num) }), nil
}
