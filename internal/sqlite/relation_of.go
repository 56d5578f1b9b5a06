package sqlite

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// relationsOfSQL takes ?3 relations for each of the memories ?1 and of the verbs ?2 from
// the ends of relations_source and relations_target: nothing is sorted or left over, and
// no more is read than is given.
const relationsOfSQL = `SELECT ` + relationColumns + ` FROM relations r WHERE r.num IN (
	SELECT n.num FROM json_each(?1) m JOIN json_each(?2) v JOIN relations n ON n.num IN (
		SELECT num FROM relations WHERE source = m.value AND verb = v.value AND removed_at IS NULL ORDER BY num DESC LIMIT ?3)
	UNION SELECT n.num FROM json_each(?1) m JOIN json_each(?2) v JOIN relations n ON n.num IN (
		SELECT num FROM relations WHERE target = m.value AND verb = v.value AND removed_at IS NULL ORDER BY num DESC LIMIT ?3)
	) ORDER BY r.num`

// RelationsOf returns the newest relations of each memory by verb and direction.
func (t *tx) RelationsOf(ctx context.Context, memories []int64, verbs []engram.Verb, most int) ([]engram.Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	if verbs == nil {
		verbs = engram.Verbs()
	}
	return t.relations(ctx, relationsOfSQL, jsonNums(memories), jsonText(verbs), most)
}

// relationsBetweenSQL is served by relations_live.
const relationsBetweenSQL = `SELECT ` + relationColumns + ` FROM relations r WHERE r.num IN (
	SELECT num FROM relations WHERE source = ?1 AND target = ?2 AND removed_at IS NULL
	UNION SELECT num FROM relations WHERE source = ?2 AND target = ?1 AND removed_at IS NULL) ORDER BY r.num`

// RelationsBetween returns the relations of two memories with each other.
func (t *tx) RelationsBetween(ctx context.Context, a, b int64) ([]engram.Relation, error) {
	return t.relations(ctx, relationsBetweenSQL, a, b)
}
