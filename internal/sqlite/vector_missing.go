package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

const (
	// liveFromSQL walks the memories, which are rows of their own: it reads no more than it returns
	// but for forgotten ones.
	liveFromSQL = `SELECT ` + memoryColumns + ` FROM memories m WHERE m.num > ? AND m.deleted_at IS NULL ORDER BY m.num LIMIT ?`
	coveredSQL  = `SELECT (SELECT coalesce(sum(live), 0) FROM tallies) - memories FROM models WHERE num = ?`
)

// Unembedded returns live memories without a vector of the model, by number. That there
// are none is known from two counts; which there are is seen by the pages of codes,
// without reading a memory.
func (t *tx) Unembedded(ctx context.Context, fingerprint string, after int64, limit int) ([]engram.Memory, error) {
	m, found, err := t.model(ctx, fingerprint)
	if err != nil {
		return nil, err
	}
	if !found {
		return t.memories(ctx, liveFromSQL, after, limit)
	}
	var missing int64
	if err := t.row(ctx, coveredSQL, []any{m.num}, &missing); err != nil {
		return nil, fmt.Errorf("count vectors: %w", err)
	}
	if missing == 0 {
		return nil, nil
	}
	nums, err := t.missing(ctx, m, after, limit)
	if err != nil {
		return nil, err
	}
	return t.Memories(ctx, nums)
}

// missing returns the first numbers beyond after of live memories without a vector.
func (t *tx) missing(ctx context.Context, m model, after int64, limit int) ([]int64, error) {
	cat, err := t.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	book, err := t.codesOf(ctx, m)
	if err != nil {
		return nil, err
	}
	first := vector.NewTop(limit)
	offer := func(num int64) {
		if num > after {
			first.Offer(num, -float64(num))
		}
	}
	for _, g := range cat.segments {
		if err := t.load(ctx, g); err != nil {
			return nil, err
		}
		pages, err := t.loadCodes(ctx, book, g.num)
		if err != nil {
			return nil, err
		}
		for slot := range g.docs.Len() {
			if g.docs.Live(slot) && !(slot/pageSlots < len(pages) && pages[slot/pageSlots].has(slot%pageSlots)) {
				offer(g.docs.Num(slot))
			}
		}
	}
	if err := t.missingFresh(ctx, m, cat.fresh, offer); err != nil {
		return nil, err
	}
	var nums []int64
	for _, r := range first.Ranked() {
		nums = append(nums, r.Num)
	}
	return nums, nil
}

// missingFresh offers the unsealed memories without a vector; fresh may be nil.
func (t *tx) missingFresh(ctx context.Context, m model, fresh *segment, offer func(num int64)) error {
	if fresh == nil {
		return nil
	}
	var nums []int64
	for slot := range fresh.docs.Len() {
		nums = append(nums, fresh.docs.Num(slot))
	}
	have := make(map[int64]bool, len(nums))
	err := t.vectorRows(ctx, m, nums, func(num int64, _ []byte) error {
		have[num] = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	for _, num := range nums {
		if !have[num] {
			offer(num)
		}
	}
	return nil
}
