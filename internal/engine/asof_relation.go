package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Relations returns the relations of then.
func (p *pastReader) Relations(ctx context.Context, memories []int64) ([]engram.Relation, error) {
	now, err := p.Reader.Relations(ctx, memories)
	if err != nil {
		return nil, err
	}
	// The journal knows when they were removed.
	removed, err := p.RemovedRelations(ctx, memories, time.Time{})
	if err != nil {
		return nil, err
	}
	if len(now)+len(removed) == 0 {
		return nil, nil
	}
	first, err := p.since.firstMade(ctx, engram.EntityRelation)
	if err != nil {
		return nil, err
	}
	then := slices.DeleteFunc(append(now, removed...), func(r engram.Relation) bool { return r.Num >= first || !r.CreatedAt.Before(p.at) })
	if len(then) > few {
		if _, err := p.since.all(ctx, engram.EntityRelation); err != nil {
			return nil, err
		}
	}
	for i := range then {
		entries, err := p.since.of(ctx, engram.EntityRelation, key(then[i].Num))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if err := relationTable(&then[i]).takeBack(e); err != nil {
				return nil, err
			}
		}
	}
	then = slices.DeleteFunc(then, func(r engram.Relation) bool { return r.Removed() })
	slices.SortFunc(then, func(a, b engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	return then, nil
}
