package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// besideSQL looks each neighbour up in memories_session; session 0 is none.
const besideSQL = `SELECT m.num,
	coalesce((SELECT b.num FROM memories b WHERE b.session = m.session AND b.num < m.num AND b.deleted_at IS NULL ORDER BY b.num DESC LIMIT 1), 0),
	coalesce((SELECT a.num FROM memories a WHERE a.session = m.session AND a.num > m.num AND a.deleted_at IS NULL ORDER BY a.num LIMIT 1), 0)
	FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value WHERE m.session <> 0`

// Beside returns who stands next to each of the memories in its session.
func (t *tx) Beside(ctx context.Context, nums []int64) (map[int64]engram.Beside, error) {
	beside := make(map[int64]engram.Beside, len(nums))
	err := t.rows(ctx, besideSQL, []any{jsonNums(nums)}, func(s scanner) error {
		var num int64
		var b engram.Beside
		if err := s.Scan(&num, &b.Before, &b.After); err != nil {
			return err
		}
		if b != (engram.Beside{}) {
			beside[num] = b
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read neighbours: %w", err)
	}
	return beside, nil
}
