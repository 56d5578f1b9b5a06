package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

const relationColumns = `r.num, r.id, r.source, r.target, r.verb, r.status, r.strength, r.reason, r.evidence, r.confidence,
	r.actor, r.actor_kind, r.model, r.session_id, r.created_at, r.updated_at`

// Relations are served by the unique index (source first) and relations_target.
const relationsSQL = `SELECT ` + relationColumns + ` FROM relations r WHERE r.num IN (
	SELECT num FROM relations WHERE source IN (SELECT value FROM json_each(?1))
	UNION SELECT num FROM relations WHERE target IN (SELECT value FROM json_each(?1))) ORDER BY r.num`

// Relations returns the relations that touch any of the memories, oldest first.
func (t *tx) Relations(ctx context.Context, memories []int64) ([]engram.Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	var all []engram.Relation
	err := t.rows(ctx, relationsSQL, []any{jsonNums(memories)}, func(s scanner) error {
		var r engram.Relation
		err := s.Scan(&r.Num, &r.ID, &r.Source, &r.Target, &r.Verb, &r.Status, &r.Strength, &r.Reason, &r.Evidence, &r.Confidence,
			&r.Actor, &r.ActorKind, &r.Model, &r.SessionID, instant{&r.CreatedAt}, instant{&r.UpdatedAt})
		all = append(all, r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read relations: %w", err)
	}
	return all, nil
}

// InsertRelation adds r and sets r.Num.
func (t *tx) InsertRelation(ctx context.Context, r *engram.Relation) error {
	const query = `INSERT INTO relations (id, source, target, verb, status, strength, reason, evidence, confidence, actor,
		actor_kind, model, session_id, created_at, updated_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	res, err := t.exec(ctx, query, r.ID, r.Source, r.Target, r.Verb, r.Status, r.Strength, r.Reason, r.Evidence, r.Confidence,
		r.Actor, r.ActorKind, r.Model, r.SessionID, millis(r.CreatedAt), millis(r.UpdatedAt))
	if isUnique(err) {
		return engram.Errorf(engram.CodeConflict, "#%d %s #%d is known already", r.Source, r.Verb, r.Target).WithCause(err)
	}
	if err != nil {
		return fmt.Errorf("insert relation: %w", err)
	}
	r.Num, err = res.LastInsertId()
	return err
}
