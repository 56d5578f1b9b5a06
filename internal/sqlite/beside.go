package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// besideSQL looks up the neighbours in memories_session; row 0 means no session. octet_length reads only
// the row headers, not the contents.
const besideSQL = `SELECT m.num, m.session, octet_length(m.title) + octet_length(m.content),
		coalesce(b.num, 0), coalesce(octet_length(b.title) + octet_length(b.content), 0),
		coalesce(a.num, 0), coalesce(octet_length(a.title) + octet_length(a.content), 0)
	FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value
	LEFT JOIN memories b ON b.num = (SELECT num FROM memories WHERE session = m.session AND num < m.num AND deleted_at IS NULL ORDER BY num DESC LIMIT 1)
	LEFT JOIN memories a ON a.num = (SELECT num FROM memories WHERE session = m.session AND num > m.num AND deleted_at IS NULL ORDER BY num LIMIT 1)
	WHERE m.session <> 0`

// Beside returns the neighbours of each memory in its session.
func (t *tx) Beside(ctx context.Context, nums []int64) (map[int64]engram.Beside, error) {
	if len(nums) == 0 {
		return nil, nil
	}
	u, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	beside, unread := make(map[int64]engram.Beside, len(nums)), nums
	if u != nil {
		unread = nil
		for _, num := range nums {
			b, known := u.beside[num]
			if !known {
				unread = append(unread, num)
			} else if b.Session != 0 {
				beside[num] = b
			}
		}
	}
	if len(unread) == 0 {
		return beside, nil
	}
	err = t.Rows(ctx, besideSQL, []any{conn.JSONNums(unread)}, func(s conn.Scanner) error {
		var num int64
		var b engram.Beside
		err := s.Scan(&num, &b.Session, &b.Size, &b.Before.Num, &b.Before.Size, &b.After.Num, &b.After.Size)
		beside[num] = b
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read neighbours: %w", err)
	}
	if u != nil {
		u.grow(100 * len(unread))
		for _, num := range unread {
			u.beside[num] = beside[num]
		}
	}
	return beside, nil
}
