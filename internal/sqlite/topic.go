package sqlite

import (
	"context"
	"unicode/utf8"
)

// topicsSQL is served by memories_topic, from which it reads the keys in their order.
const topicsSQL = `SELECT DISTINCT topic_key FROM memories WHERE topic_key IS NOT NULL AND deleted_at IS NULL
	AND topic_key >= ?1 AND topic_key < ?2 AND (?3 < 0 OR project = ?3) ORDER BY topic_key LIMIT ?4`

// Topics returns the topic keys that begin with prefix.
func (t *tx) Topics(ctx context.Context, project, prefix string, most int) ([]string, error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return list(ctx, t, "read topics", topicsSQL, []any{prefix, prefix + string(utf8.MaxRune), num, most}, scanOne[string])
}
