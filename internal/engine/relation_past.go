package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// RelationsOf returns the relations of then, of these verbs. It does not count them: what
// was there then cannot be told without reading all.
func (p *pastReader) RelationsOf(ctx context.Context, memories []int64, verbs []engram.Verb, _ int) ([]engram.Relation, error) {
	then, err := p.Relations(ctx, memories)
	if verbs == nil {
		return then, err
	}
	return slices.DeleteFunc(then, func(r engram.Relation) bool { return !slices.Contains(verbs, r.Verb) }), err
}

// RelationsBetween returns the relations that two memories had with each other then.
func (p *pastReader) RelationsBetween(ctx context.Context, a, b int64) ([]engram.Relation, error) {
	then, err := p.Relations(ctx, []int64{a})
	return slices.DeleteFunc(then, func(r engram.Relation) bool { return !isBetween(r, a, b) }), err
}

// supersede leaves out what was superseded then, where only what was current is wanted,
// and puts what superseded it in its place; its memory comes into byNum.
func (p *past) supersede(ctx context.Context, finds []engram.Ranked, byNum map[int64]engram.Memory) ([]engram.Ranked, error) {
	if !p.in.Filter.Current {
		return finds, nil
	}
	q := &question{Engine: p.Engine, r: p.r, in: p.in, finds: finds, memories: byNum,
		newer: map[int64][]int64{}, hidden: map[int64]bool{}, why: map[int64]*engram.Why{}}
	relations, err := q.successors(ctx, nil, map[int64]bool{})
	if err != nil {
		return nil, err
	}
	if err := q.supersede(ctx, relations); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(q.finds, func(f engram.Ranked) bool { return q.hidden[f.Num] }), nil
}
