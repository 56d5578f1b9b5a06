package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
			if err := restoreRelation(&then[i], e.Was); err != nil {
				return nil, fmt.Errorf("journal entry %d: %w", e.Seq, err)
			}
		}
	}
	then = slices.DeleteFunc(then, func(r engram.Relation) bool { return r.Removed() })
	slices.SortFunc(then, func(a, b engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	return then, nil
}

func restoreRelation(r *engram.Relation, was json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(was, &fields); err != nil {
		return err
	}
	for name, old := range fields {
		if into := relationField(r, name); into != nil {
			if err := json.Unmarshal(old, into); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}
