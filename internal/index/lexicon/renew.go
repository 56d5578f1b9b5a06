package lexicon

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// A store whose words another Version made is renewed in batches, each in a transaction of its own: the first marks
// all segments, the others empty them bit by bit, the oldest first. Their words answer until then.

// Current is the note of an index that this Version made. A store keeps the note, for Renew.
func Current() string { return strconv.Itoa(Version) }

// renewing is what a note has after the version while segments of another one are left.
const renewing = " in part"

// renewBatch is how many memories one transaction indexes anew within the time of a hook.
const renewBatch = 256

// RenewAll runs step, a transaction that indexes up to most memories anew (Renew), until none is left. Meanwhile the old
// words answer. With a deadline and a clock it takes half of the time, and the next process goes on.
func RenewAll(ctx context.Context, now func() time.Time, step func(ctx context.Context, most int) (current bool, err error)) error {
	part, most := ctx, MaxSlots
	until, limited := ctx.Deadline()
	if limited = limited && now != nil; limited {
		until = until.Add(-until.Sub(now()) / 2)
		most = renewBatch
		var cancel context.CancelFunc
		part, cancel = context.WithDeadline(ctx, until)
		defer cancel()
	}
	current, err := false, error(nil)
	for !current && err == nil && (!limited || now().Before(until)) {
		current, err = step(part, most)
	}
	if part.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// Renew indexes up to most memories anew, which are read and added by functions of the store, and returns the note to
// keep in place of note. postings.ErrDamaged: the index must be rebuilt.
func (x *Index) Renew(ctx context.Context, note string, most int, read func(context.Context, []int64) ([]engram.Memory, error),
	add func(context.Context, engram.Memory) error) (string, error) {
	if note == Current() { // by another process
		return note, nil
	}
	begun := note == Current()+renewing
	nums, err := x.TakeOutdated(ctx, begun, most)
	if err != nil {
		return "", err
	}
	if begun && len(nums) == 0 {
		return Current(), nil
	}
	ms, err := read(ctx, nums)
	if err == nil && (len(ms) < len(nums) || slices.ContainsFunc(ms, engram.Memory.Forgotten)) {
		err = fmt.Errorf("memories in the index: %w", postings.ErrDamaged)
	}
	for i := 0; i < len(ms) && err == nil; i++ {
		err = add(ctx, ms[i])
	}
	return Current() + renewing, err
}

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
