package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// annotate adds to each hit the relations that change how it should be read: what it
// supersedes, with what that superseded, what supersedes it, what contradicts it; and why it is
// suspect.
func (e *Engine) annotate(ctx context.Context, r engram.Reader, lists ...[]engram.Hit) error {
	var nums []int64
	var known []engram.Memory
	for _, hits := range lists {
		if err := e.recalledHits(ctx, r, hits); err != nil {
			return err
		}
		for _, h := range hits {
			nums, known = append(nums, h.Memory.Num), append(known, h.Memory)
		}
	}
	relations, err := r.RelationsOf(ctx, nums, markingVerbs(), mostTies)
	if err != nil {
		return err
	}
	notes, err := notesFrom(ctx, r, marking(relations), known)
	if err != nil {
		return err
	}
	suspect, err := suspects(ctx, r, known)
	if err != nil {
		return err
	}
	for _, hits := range lists {
		for i, h := range hits {
			hits[i].Suspect = suspect[h.Memory.Num]
			if hits[i].Relations, err = withChain(ctx, r, notes[h.Memory.Num]); err != nil {
				return err
			}
		}
	}
	return nil
}

// markingVerbs are the verbs of relations that change how a memory should be read.
func markingVerbs() []engram.Verb {
	return []engram.Verb{engram.VerbSupersedes, engram.VerbContradicts}
}

// marks reports whether r changes how its memories should be read: a verdict of those
// verbs, or a candidate that waits for one.
func marks(r engram.Relation) bool {
	return (r.Status == engram.RelationPending || r.Status == engram.RelationJudged) && slices.Contains(markingVerbs(), r.Verb)
}

// marking leaves those relations that change how a memory should be read.
func marking(relations []engram.Relation) []engram.Relation {
	return slices.DeleteFunc(relations, func(r engram.Relation) bool { return !marks(r) })
}

// mostNotes is how many relations of one memory, verb and direction are told where a list
// is short of room.
const mostNotes = 10

// notesOn returns what changes how each of some memories should be read at a time. It asks
// the store three times, however many there are.
func notesOn(ctx context.Context, r engram.Reader, at time.Time, ms []engram.Memory) (engram.Notes, error) {
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
	}
	relations, err := r.RelationsOf(ctx, nums, markingVerbs(), mostNotes)
	if err != nil {
		return nil, err
	}
	ties, err := notesFrom(ctx, r, marking(relations), ms)
	if err != nil {
		return nil, err
	}
	suspect, err := suspects(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	notes := make(engram.Notes, len(ms))
	for _, m := range ms {
		notes[m.Num] = engram.Note{State: lifecycle.State(m, at), Relations: ties[m.Num], Suspect: suspect[m.Num]}
	}
	return notes, nil
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
		further, err := notesFrom(ctx, r, relations, nil)
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
	notes, err := notesFrom(ctx, r, relations, nil)
	return notes[num], err
}

// relationNotes returns the wanted relations of each memory, seen from it.
func relationNotes(ctx context.Context, r engram.Reader, nums []int64, want func(engram.Relation) bool) (map[int64][]engram.RelationNote, error) {
	relations, err := r.Relations(ctx, nums)
	if err != nil {
		return nil, err
	}
	return notesFrom(ctx, r, slices.DeleteFunc(relations, func(rel engram.Relation) bool { return !want(rel) }), nil)
}

// notesFrom returns relations by their memories, seen from each. Those of their memories
// that are known already are not read again.
func notesFrom(ctx context.Context, r engram.Reader, relations []engram.Relation, known []engram.Memory) (map[int64][]engram.RelationNote, error) {
	if len(relations) == 0 {
		return nil, nil
	}
	byNum := make(map[int64]engram.Memory, len(known))
	for _, m := range known {
		byNum[m.Num] = m
	}
	var unread []int64
	tied := map[int64]bool{}
	for _, rel := range relations {
		for _, end := range []int64{rel.Source, rel.Target} {
			tied[end] = true
			if _, read := byNum[end]; !read {
				byNum[end], unread = engram.Memory{}, append(unread, end)
			}
		}
	}
	ms, err := r.Memories(ctx, unread)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		byNum[m.Num] = m
	}
	var ends []engram.Memory
	for num := range tied {
		ends = append(ends, byNum[num])
	}
	withheld, err := titlesWithheld(ctx, r, ends)
	if err != nil {
		return nil, err
	}
	notes := map[int64][]engram.RelationNote{}
	note := func(of, other int64, rel engram.Relation, outgoing bool) {
		notes[of] = append(notes[of], engram.RelationNote{Relation: rel, Outgoing: outgoing, Other: byNum[other], Withheld: withheld[other]})
	}
	for _, rel := range relations {
		note(rel.Source, rel.Target, rel, true)
		note(rel.Target, rel.Source, rel, false)
	}
	return notes, nil
}
