package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// List returns the memories that passed f then.
func (p *pastReader) List(ctx context.Context, f engram.Filter, page engram.Page) ([]engram.Memory, error) {
	var nums []int64
	skip := page.Offset
	err := p.walk(ctx, f, page.Offset+page.Limit, func(m engram.Memory) bool {
		if !f.Forgotten && !page.After.Before(m) {
			return true
		}
		if skip > 0 {
			skip--
			return true
		}
		nums = append(nums, m.Num)
		return len(nums) < page.Limit
	})
	if err != nil || len(nums) == 0 {
		return nil, err
	}
	return p.Memories(ctx, nums)
}

// Vitals calls each with the memories that passed f then; those that changed since are
// whole.
func (p *pastReader) Vitals(ctx context.Context, f engram.Filter, each func(engram.Memory) bool) error {
	return p.walk(ctx, f, few, each)
}

// walk calls each with the memories that passed f then, in the order of a list, until it
// returns false. What was superseded is told of about as many at a time as are wanted:
// nobody waits to know it of all.
func (p *pastReader) walk(ctx context.Context, f engram.Filter, wanted int, each func(engram.Memory) bool) error {
	f, there, err := p.place(ctx, f)
	if err != nil || !there {
		return err
	}
	if err := p.readAll(ctx); err != nil {
		return err
	}
	more, err := p.lives(ctx, f.Project)
	if err != nil {
		return err
	}
	changed := p.passing(f)
	stored := f
	stored.Current = false // what is superseded now may not have been then
	for size := max(few, wanted); ; size *= 2 {
		var part []engram.Memory
		if more {
			if part, more, err = p.unchanged(ctx, &stored, size); err != nil {
				return err
			}
		}
		n := len(changed)
		if more {
			last := part[len(part)-1]
			n, _ = slices.BinarySearchFunc(changed, last, listOrder(f))
		}
		part, changed = append(part, changed[:n]...), changed[n:]
		slices.SortFunc(part, listOrder(f))
		for some := range slices.Chunk(part, max(few, wanted)) {
			if f.Current {
				if some, err = p.current(ctx, some, f); err != nil {
					return err
				}
			}
			for _, m := range some {
				if !each(m) {
					return nil
				}
			}
		}
		if !more {
			return nil
		}
	}
}

// passing are the memories that changed since and passed f, in the order of a list.
func (p *pastReader) passing(f engram.Filter) (ms []engram.Memory) {
	for _, m := range p.was {
		if passed(m, f) {
			ms = append(ms, m)
		}
	}
	slices.SortFunc(ms, listOrder(f))
	return ms
}

// listOrder is the order of a list.
func listOrder(f engram.Filter) func(a, b engram.Memory) int {
	if f.Forgotten {
		return func(a, b engram.Memory) int {
			return cmp.Or(b.DeletedAt.Compare(a.DeletedAt), cmp.Compare(b.Num, a.Num))
		}
	}
	return newestFirst
}

// unchanged reads outlines of at least so many memories that pass f and did not change
// since, in the order of a list. Where there are more it ends between two times, and f
// then begins with the next one: an offset would walk over all of them again.
func (p *pastReader) unchanged(ctx context.Context, f *engram.Filter, least int) (ms []engram.Memory, more bool, err error) {
	first, err := p.since.firstMade(ctx, engram.EntityMemory)
	if err != nil {
		return nil, false, err
	}
	err = p.Reader.Vitals(ctx, *f, func(m engram.Memory) bool {
		if n := len(ms); n >= least && !f.Forgotten && m.CreatedAt.Before(ms[n-1].CreatedAt) {
			more, f.Until = true, ms[n-1].CreatedAt
			return false
		}
		if _, changed := p.was[m.Num]; !changed && m.Num < first {
			ms = append(ms, m)
		}
		return true
	})
	return ms, more, err
}

// passed is passes for a list that may be of forgotten memories.
func passed(m engram.Memory, f engram.Filter) bool {
	if f.Forgotten {
		forgotten := m.Forgotten()
		m.DeletedAt, f.Forgotten = time.Time{}, false
		return forgotten && passes(m, f)
	}
	return passes(m, f)
}

// current leaves out what a memory superseded then that passed f itself.
func (p *pastReader) current(ctx context.Context, ms []engram.Memory, f engram.Filter) ([]engram.Memory, error) {
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
	}
	relations, err := p.RelationsOf(ctx, nums, []engram.Verb{engram.VerbSupersedes}, mostTies)
	if err != nil {
		return nil, err
	}
	var newer []int64
	for _, r := range relations {
		if r.Supersedes() {
			newer = append(newer, r.Source)
		}
	}
	sources, err := p.Memories(ctx, newer)
	if err != nil {
		return nil, err
	}
	live, over := map[int64]bool{}, map[int64]bool{}
	for _, m := range sources {
		live[m.Num] = passes(m, f)
	}
	for _, r := range relations {
		if r.Supersedes() && live[r.Source] {
			over[r.Target] = true
		}
	}
	return slices.DeleteFunc(ms, func(m engram.Memory) bool { return over[m.Num] }), nil
}
