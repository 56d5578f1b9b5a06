package lexicon

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// A store whose words another Version made is renewed in batches, each in a transaction of its own: the first marks
// all segments, the others empty them bit by bit, the oldest first. Their words answer until then.

// outdate marks all segments as made by another Version: nothing is added to them or merged with them. It returns the
// unsealed memories, which it removes from the index, to be added again.
func (x *Index) outdate(ctx context.Context) (nums []int64, err error) {
	version, err := x.changed(ctx)
	if err != nil {
		return nil, err
	}
	err = x.Store.Unsealed(ctx, 0, false, func(u index.Unsealed) error {
		nums = append(nums, u.Memory)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := x.Store.ClearUnsealed(ctx); err != nil {
		return nil, err
	}
	var all []index.Segment
	err = x.Store.Segments(ctx, func(g index.Segment) error {
		g.Level, g.Version = -max(g.Level, -g.Level), version
		all = append(all, g)
		return nil
	})
	for i := 0; i < len(all) && err == nil; i++ {
		err = x.Store.PutSegment(ctx, all[i])
	}
	return nums, doing(err, "outdate the index")
}

// TakeOutdated removes up to most memories from the outdated segments and returns them, to be added
// again; none when no such segment is left. Unless it has begun so, it marks them first, and returns those that are in no
// segment.
func (x *Index) TakeOutdated(ctx context.Context, begun bool, most int) (nums []int64, err error) {
	if err := x.Flush(ctx); err != nil {
		return nil, err
	}
	if !begun {
		return x.outdate(ctx)
	}
	segments, err := x.standing(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range segments {
		if !g.outdated() {
			continue
		}
		if err := x.load(ctx, g); err != nil {
			return nil, err
		}
		live, slots := 0, map[int]engram.Memory{}
		for slot := range g.docs.Len() {
			if !g.docs.Live(slot) {
				continue
			}
			if live++; len(slots) < most {
				slots[slot] = engram.Memory{}
				nums = append(nums, g.docs.Num(slot))
			}
		}
		if live != g.live {
			return nil, fmt.Errorf("segment %d: %w", g.num, postings.ErrDamaged)
		}
		if err := x.emptyMany(ctx, g.num, slots); err != nil || len(nums) > 0 {
			return nums, err
		}
	}
	return nil, nil
}
