package search

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Fading computes how memories of one snapshot fade. Each operation reads it once, from an index that is empty
// unless projects have their own settings.
type Fading struct {
	policy lifecycle.Policy
	own    map[string]engram.ProjectDecay
}

// Fading returns how strength fades in each project.
func (f *Finder) Fading(ctx context.Context, r engram.Reader) (Fading, error) {
	own, err := r.Decays(ctx)
	return Fading{f.ledger.Policy, own}, err
}

// Decay returns the decay settings of a memory's project.
func (f Fading) Decay(m engram.Memory) engram.Decay {
	if own, ok := f.own[m.Project]; ok {
		return lifecycle.DecayOf(m, &own, f.policy)
	}
	return lifecycle.DecayOf(m, nil, f.policy)
}

// Strength returns the strength of m at now, 0 to 1.
func (f Fading) Strength(m engram.Memory, now time.Time) float64 {
	return lifecycle.Strength(m, now, f.Decay(m))
}

// passes reports whether m is at least as strong at now as the filter requires.
func (f Fading) passes(m engram.Memory, asked engram.Filter, now time.Time) bool {
	return asked.MinStrength <= 0 || f.Strength(m, now) >= asked.MinStrength
}

// Matching lists memories like the store's List, restricted to the filter's minimum strength. Pages count only
// memories that pass, so none is short or overlaps another.
func (f *Finder) Matching(ctx context.Context, r engram.Reader, filter engram.Filter, p engram.Page) ([]engram.Memory, error) {
	if filter.MinStrength <= 0 {
		return r.List(ctx, filter, p)
	}
	fades, err := f.Fading(ctx, r)
	if err != nil {
		return nil, err
	}
	now := f.ledger.Now()
	if past, is := r.(*view.PastReader); is {
		now = past.At // as strong as then
	}
	strong := func(m engram.Memory) bool { return p.After.Before(m) && fades.passes(m, filter, now) }
	wanted := p.Offset + p.Limit
	for most := wanted; ; most *= 2 {
		nums, all, err := strongest(ctx, r, filter, most, strong)
		if err != nil {
			return nil, err
		}
		if len(nums) >= wanted || all {
			nums = nums[min(len(nums), p.Offset):min(len(nums), wanted)]
			if len(nums) == 0 {
				return nil, nil
			}
			return r.Memories(ctx, nums)
		}
	}
}

// strongest lists up to most memories that pass f and strong, and with Filter.Current none that such a memory
// supersedes; all reports that there are no more. The store cannot do this: it does not know strengths.
func strongest(ctx context.Context, r engram.Reader, f engram.Filter, most int, strong func(engram.Memory) bool) (nums []int64, all bool, err error) {
	listed := f
	_, past := r.(*view.PastReader) // it reconstructs each memory anyway and handles Current itself
	listed.Current, all = f.Current && past, true
	err = r.Outlines(ctx, listed, 0, func(m engram.Memory) bool {
		if len(nums) == most {
			all = false
			return false
		}
		if strong(m) {
			nums = append(nums, m.Num)
		}
		return true
	})

	if err != nil || !f.Current || past {
		return nums, all, err
	}
	relations, err := engram.RelationsOf(ctx, r, nums, []engram.Verb{engram.VerbSupersedes}, view.MostRelations)
	if err != nil {
		return nil, false, err
	}
	notes, err := NotesFrom(ctx, r, relations, nil)
	return slices.DeleteFunc(nums, func(num int64) bool {
		return slices.ContainsFunc(notes[num], func(n engram.RelationNote) bool {
			return !n.Outgoing && n.Relation.Supersedes() && n.Other.Num != 0 && view.Passes(n.Other, f) && strong(n.Other)
		})
	}), all, err
}
