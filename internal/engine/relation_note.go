package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// annotate adds to each hit the relations that change how it should be read: what it
// supersedes, with what that superseded, what supersedes it, what contradicts it.
func (e *Engine) annotate(ctx context.Context, r engram.Reader, hits []engram.Hit) error {
	nums := make([]int64, len(hits))
	for i, h := range hits {
		nums[i] = h.Memory.Num
	}
	relations, err := r.RelationsOf(ctx, nums, nil, mostTies)
	if err != nil {
		return err
	}
	notes, err := notesFrom(ctx, r, slices.DeleteFunc(relations, func(rel engram.Relation) bool {
		return rel.Status != engram.RelationPending && rel.Verb != engram.VerbSupersedes && rel.Verb != engram.VerbContradicts
	}))
	if err != nil {
		return err
	}
	for i, h := range hits {
		if hits[i].Relations, err = withChain(ctx, r, notes[h.Memory.Num]); err != nil {
			return err
		}
	}
	return nil
}

// mostChain is how much of a chain a hit names: nobody reads more.
const mostChain = 10

// withChain adds what was superseded by what a memory supersedes, the nearest first.
func withChain(ctx context.Context, r engram.Reader, own []engram.RelationNote) ([]engram.RelationNote, error) {
	notes := slices.Clone(own)
	known := map[int64]bool{}
	for _, n := range own {
		known[n.Relation.Source], known[n.Relation.Target] = true, true
	}
	for i := 0; i < len(notes) && len(notes) < len(own)+mostChain; i++ {
		if n := notes[i]; !n.Outgoing || !n.Relation.Supersedes() {
			continue
		}
		over := notes[i].Relation.Target
		relations, err := r.RelationsOf(ctx, []int64{over}, []engram.Verb{engram.VerbSupersedes}, mostChain)
		if err != nil {
			return nil, err
		}
		further, err := notesFrom(ctx, r, relations)
		if err != nil {
			return nil, err
		}
		for _, n := range further[over] {
			if n.Outgoing && n.Relation.Supersedes() && !known[n.Relation.Target] {
				known[n.Relation.Target], n.Via = true, over
				notes = append(notes, n)
			}
		}
	}
	return notes, nil
}

// relationsOf returns the relations of one memory, seen from it, the newest hundred of
// each verb and direction.
func relationsOf(ctx context.Context, r engram.Reader, num int64) ([]engram.RelationNote, error) {
	relations, err := r.RelationsOf(ctx, []int64{num}, nil, mostTies)
	if err != nil {
		return nil, err
	}
	notes, err := notesFrom(ctx, r, relations)
	return notes[num], err
}

// relationNotes returns the wanted relations of each memory, seen from it.
func relationNotes(ctx context.Context, r engram.Reader, nums []int64, want func(engram.Relation) bool) (map[int64][]engram.RelationNote, error) {
	relations, err := r.Relations(ctx, nums)
	if err != nil {
		return nil, err
	}
	return notesFrom(ctx, r, slices.DeleteFunc(relations, func(rel engram.Relation) bool { return !want(rel) }))
}

// notesFrom returns relations by their memories, seen from each.
func notesFrom(ctx context.Context, r engram.Reader, relations []engram.Relation) (map[int64][]engram.RelationNote, error) {
	if len(relations) == 0 {
		return nil, nil
	}
	var ends []int64
	for _, rel := range relations {
		ends = append(ends, rel.Source, rel.Target)
	}
	ms, err := r.Memories(ctx, ends)
	if err != nil {
		return nil, err
	}
	byNum := make(map[int64]engram.Memory, len(ms))
	for _, m := range ms {
		byNum[m.Num] = m
	}
	notes := map[int64][]engram.RelationNote{}
	for _, rel := range relations {
		notes[rel.Source] = append(notes[rel.Source], engram.RelationNote{Relation: rel, Outgoing: true, Other: byNum[rel.Target]})
		notes[rel.Target] = append(notes[rel.Target], engram.RelationNote{Relation: rel, Other: byNum[rel.Source]})
	}
	return notes, nil
}
