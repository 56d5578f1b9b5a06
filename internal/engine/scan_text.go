package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
)

// compared is a memory as it is compared.
type compared struct {
	memory  engram.Memory
	reading contradiction.Reading
}

// comparedTexts keeps memories that were read and taken apart, which is most of what a
// comparison costs. It lets go of those that nobody asked for lately.
type comparedTexts struct {
	now, before map[int64]*compared // before is from when now was begun
}

// keptTexts is how many are kept at least; twice as many are at most. Taken apart, a
// memory of 600 bytes takes some 15 KB, the longest 45 KB.
const keptTexts = 2000

// of returns memories by their numbers, read now or before; none of one that there is not.
func (c *comparedTexts) of(ctx context.Context, r engram.Reader, nums []int64) (map[int64]*compared, error) {
	all := make(map[int64]*compared, len(nums))
	var unread []int64
	for _, num := range nums {
		if m := c.kept(num); m != nil {
			all[num] = m
		} else {
			unread = append(unread, num)
		}
	}
	ms, err := r.Memories(ctx, unread)
	for _, m := range ms {
		all[m.Num] = &compared{m, contradiction.Read(comparedOf(m))}
		c.keep(m.Num, all[m.Num])
	}
	return all, err
}

func (c *comparedTexts) kept(num int64) *compared {
	if m := c.now[num]; m != nil {
		return m
	}
	m := c.before[num]
	if m != nil {
		c.keep(num, m)
	}
	return m
}

func (c *comparedTexts) keep(num int64, m *compared) {
	if c.now == nil || len(c.now) >= keptTexts {
		c.now, c.before = map[int64]*compared{}, c.now
	}
	c.now[num] = m
}
