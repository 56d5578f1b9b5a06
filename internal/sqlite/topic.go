package sqlite

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// topicsSQL is served by memories_topic, from which it reads the keys in their order.
const topicsSQL = `SELECT DISTINCT topic_key FROM memories WHERE topic_key IS NOT NULL AND deleted_at IS NULL
	AND topic_key >= ?1 AND topic_key < ?2 AND (?3 < 0 OR project = ?3) ORDER BY topic_key LIMIT ?4`

// Topics returns the topic keys that begin with prefix.
func (t *tx) Topics(ctx context.Context, project, prefix string, most int) (keys []string, err error) {
	num := int64(several)
	if project != "" {
		var known bool
		if num, known, err = t.knownProject(ctx, project); !known {
			return nil, err
		}
	}
	err = t.rows(ctx, topicsSQL, []any{prefix, prefix + string(utf8.MaxRune), num, most}, func(s scanner) error {
		var key string
		err := s.Scan(&key)
		keys = append(keys, key)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	return keys, nil
}
