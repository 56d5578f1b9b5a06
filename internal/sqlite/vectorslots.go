package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// The index of words gives memories their slots and takes them away; what follows keeps
// the codes of the vectors in the same slots.

// models returns every model.
func (t *tx) models(ctx context.Context) ([]model, error) {
	return list(ctx, t, "read models", `SELECT num, dimensions, changes FROM models`, nil, func(s scanner) (m model, err error) {
		err = s.Scan(&m.num, &m.dimensions, &m.changes)
		return m, err
	})
}

// vectorsPlaced is told that the memories nums stand in the slots of a segment from
// first on. Their codes are made of their rows, which hold what is true now; the slots
// they left are dropped with their segments.
func (t *tx) vectorsPlaced(ctx context.Context, segment int64, first int, nums []int64) error {
	all, err := t.models(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	slots := make(map[int64]int, len(nums))
	for i, num := range nums {
		slots[num] = first + i
	}
	for _, m := range all {
		edits := make(map[int][]byte, len(nums))
		unknown := t.placing.known(m, nums, func(num int64, row []byte) { edits[slots[num]] = row })
		err := t.vectorRows(ctx, m, unknown, func(num int64, row []byte) error {
			edits[slots[num]] = slices.Clone(row)
			return nil
		})
		if err != nil {
			return err
		}
		if err := t.editCodes(ctx, m, segment, edits); err != nil {
			return err
		}
	}
	return nil
}

// vectorsDied is told that no memories stand in slots of a segment any more.
func (t *tx) vectorsDied(ctx context.Context, segment int64, slots map[int]engram.Memory) error {
	edits := make(map[int][]byte, len(slots))
	for slot := range slots {
		edits[slot] = nil
	}
	const query = `SELECT m.num, m.dimensions, m.changes FROM models m JOIN coded c ON c.model = m.num AND c.segment = ?`
	var coded []model
	err := t.rows(ctx, query, []any{segment}, func(s scanner) error {
		var m model
		err := s.Scan(&m.num, &m.dimensions, &m.changes)
		coded = append(coded, m)
		return err
	})
	if err != nil {
		return fmt.Errorf("read models: %w", err)
	}
	for _, m := range coded {
		if err := t.editCodes(ctx, m, segment, edits); err != nil {
			return err
		}
	}
	return nil
}

// vectorsDropped is told that a segment is gone.
func (t *tx) vectorsDropped(ctx context.Context, segment int64) error {
	all, err := t.models(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if err := t.dropCodes(ctx, m.num, segment, segment); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE models SET changes = changes + 1 WHERE num = ?`, m.num); err != nil {
			return fmt.Errorf("write model: %w", err)
		}
	}
	return nil
}

// dropCodes removes a model's codes of the segments from first to last.
func (t *tx) dropCodes(ctx context.Context, model, first, last int64) error {
	t.recoded = true
	if _, err := t.exec(ctx, `DELETE FROM vector_codes WHERE num BETWEEN ? AND ?`, codeRow(model, first, 0), codeRow(model, last, 255)); err != nil {
		return fmt.Errorf("drop codes: %w", err)
	}
	if _, err := t.exec(ctx, `DELETE FROM coded WHERE model = ? AND segment BETWEEN ? AND ?`, model, first, last); err != nil {
		return fmt.Errorf("drop codes: %w", err)
	}
	return nil
}

// placeVectors writes the codes of rows, by memory, whose memories have slots already;
// those that are unsealed get theirs when they get a slot.
func (t *tx) placeVectors(ctx context.Context, m model, rows map[int64][]byte) error {
	sealed := make(map[int64]bool, len(rows))
	for num, row := range rows {
		if !t.pending.keep(vectorOf{m.num, num}, row) {
			sealed[num] = true
		}
	}
	if len(sealed) == 0 {
		return nil
	}
	// A memory that was saved just now is the newest of the unsealed.
	err := t.rows(ctx, `SELECT memory FROM unsealed ORDER BY seq DESC`, nil, func(s scanner) error {
		var num int64
		err := s.Scan(&num)
		delete(sealed, num)
		if len(sealed) == 0 && err == nil {
			return errStop
		}
		return err
	})
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("read the newest memories: %w", err)
	}
	if len(sealed) == 0 {
		return nil
	}
	cat, err := t.catalogue(ctx)
	if err != nil {
		return err
	}
	for _, g := range slices.Backward(cat.segments) {
		edits, err := t.editsIn(ctx, g, sealed, rows)
		if err != nil {
			return err
		}
		if err := t.editCodes(ctx, m, g.num, edits); err != nil {
			return err
		}
		if len(sealed) == 0 {
			return nil
		}
	}
	return nil
}

// editsIn finds the memories that stand in a segment and takes them out of wanted.
func (t *tx) editsIn(ctx context.Context, g *segment, wanted map[int64]bool, rows map[int64][]byte) (map[int][]byte, error) {
	if err := t.load(ctx, g); err != nil {
		return nil, err
	}
	first, last := int64(0), int64(0)
	for num := range wanted {
		if first == 0 || num < first {
			first = num
		}
		last = max(last, num)
	}
	edits := map[int][]byte{}
	for slot := range g.docs.Len() {
		// Looking into a map for every memory of the store would take ten times as long.
		num := g.docs.Num(slot)
		if num < first || num > last || !wanted[num] || !g.docs.Live(slot) {
			continue
		}
		edits[slot] = rows[num]
		delete(wanted, num)
	}
	return edits, nil
}
