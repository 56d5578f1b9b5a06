package sqlite

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// ownSQL says that in a session s a memory stands, forgotten or not, that is its author's alone.
const ownSQL = `(EXISTS (SELECT 1 FROM memories o WHERE o.session = s.num AND o.deleted_at IS NULL AND o.scope = 'personal')
	OR EXISTS (SELECT 1 FROM memories o WHERE o.session = s.num AND o.deleted_at IS NOT NULL AND o.scope = 'personal'))`

// toldSQL looks into each session for a memory or a prompt that may be told of: by
// memories_session, memories_session_forgotten and prompts_session. What an undo of an import
// hides was not forgotten by anybody. What was asked where only personal things came of it is
// personal. Without the plus, keys would be compared as numbers, and no index is for that.
const toldSQL = `SELECT s.id FROM json_each(?1) a CROSS JOIN sessions s ON s.id = a.value WHERE EXISTS
	(SELECT 1 FROM memories m WHERE m.session = s.num AND m.deleted_at IS NULL AND m.scope <> 'personal' AND (?2 < 0 OR m.project = ?2))
	OR EXISTS
	(SELECT 1 FROM memories m WHERE m.session = s.num AND m.deleted_at IS NOT NULL AND m.scope <> 'personal' AND (?2 < 0 OR m.project = ?2)
	AND (EXISTS (SELECT 1 FROM carried c WHERE c.entity = ?3 AND c.key = +m.num)
		OR EXISTS (SELECT 1 FROM lineages l WHERE l.entity = ?3 AND l.key = +m.num AND l.held ->> 'deleted' = '0001-01-01T00:00:00Z'))
	AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.entity = 'memory' AND t.name = m.sync_id
		AND (NOT t.bound OR t.project = (SELECT name FROM projects WHERE num = m.project))))
	OR NOT ` + ownSQL + ` AND EXISTS
	(SELECT 1 FROM prompts p WHERE p.session = s.num AND (?2 < 0 OR p.project = ?2)
	AND (p.deleted_at IS NULL OR EXISTS (SELECT 1 FROM carried c WHERE c.entity = ?4 AND c.key = +p.num)
		OR EXISTS (SELECT 1 FROM lineages l WHERE l.entity = ?4 AND l.key = +p.num AND l.held ->> 'deleted' = '0001-01-01T00:00:00Z'))
	AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.entity = 'prompt' AND t.name = p.sync_id
		AND (NOT t.bound OR t.project = (SELECT name FROM projects WHERE num = p.project))))`

// Told returns those of some sessions in which something stands that may be told of.
func (t *tx) Told(ctx context.Context, sessions []string, project string) (map[string]bool, error) {
	in, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return t.sessionSet(ctx, toldSQL, jsonText(sessions), in, kindNum(engram.EntityMemory), kindNum(engram.EntityPrompt))
}

// Owned returns those of some sessions in which a memory stands that is its author's alone.
func (t *tx) Owned(ctx context.Context, sessions []string) (map[string]bool, error) {
	const query = `SELECT s.id FROM json_each(?1) a CROSS JOIN sessions s ON s.id = a.value WHERE ` + ownSQL
	return t.sessionSet(ctx, query, jsonText(sessions))
}

// sessionSet are the ids that a query gives.
func (t *tx) sessionSet(ctx context.Context, query string, args ...any) (map[string]bool, error) {
	ids, err := column[string](ctx, t, query, args...)
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set, err
}
