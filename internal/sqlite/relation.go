package sqlite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// relationColumns is what scanRelation reads; r is the relations table.
const relationColumns = `r.num, r.id, r.source, r.target, r.verb, r.status, r.strength, r.reason, r.evidence, r.confidence,
	r.actor, r.actor_kind, r.model, r.session_id, r.created_at, r.updated_at, r.removed_at`

func scanRelation(s scanner) (engram.Relation, error) {
	var r engram.Relation
	err := s.Scan(&r.Num, &r.ID, &r.Source, &r.Target, &r.Verb, &r.Status, &r.Strength, &r.Reason, &r.Evidence, &r.Confidence,
		&r.Actor, &r.ActorKind, &r.Model, &r.SessionID, instant{&r.CreatedAt}, instant{&r.UpdatedAt}, instant{&r.RemovedAt})
	return r, err
}

func (t *tx) relations(ctx context.Context, query string, args ...any) ([]engram.Relation, error) {
	return list(ctx, t, "read relations", query, args, scanRelation)
}

// touching finds relations by the ends ?1, by relations_source and relations_target.
const touching = `r.num IN (
	SELECT num FROM relations WHERE source IN (SELECT value FROM json_each(?1))
	UNION SELECT num FROM relations WHERE target IN (SELECT value FROM json_each(?1)))`

const (
	relationsSQL        = `SELECT ` + relationColumns + ` FROM relations r WHERE ` + touching + ` AND r.removed_at IS NULL ORDER BY r.num`
	removedRelationsSQL = `SELECT ` + relationColumns + ` FROM relations r WHERE ` + touching + ` AND r.removed_at >= coalesce(?2, r.removed_at) ORDER BY r.num`
)

// Relations returns the relations that touch any of the memories, oldest first.
func (t *tx) Relations(ctx context.Context, memories []int64) ([]engram.Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	return t.relations(ctx, relationsSQL, jsonNums(memories))
}

// RemovedRelations returns those removed at a time or later; the zero time, which is NULL
// in the table's terms, is before all of them.
func (t *tx) RemovedRelations(ctx context.Context, memories []int64, since time.Time) ([]engram.Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	return t.relations(ctx, removedRelationsSQL, jsonNums(memories), millis(since))
}

// Relation returns the relation that ref names, removed or not.
func (t *tx) Relation(ctx context.Context, ref engram.RelationRef) (engram.Relation, error) {
	query, arg, name := `SELECT `+relationColumns+` FROM relations r WHERE r.num = ?`, any(ref.Num), fmt.Sprintf("%d", ref.Num)
	if ref.ID != "" {
		query, arg, name = `SELECT `+relationColumns+` FROM relations r WHERE r.id = ?`, ref.ID, ref.ID
	}
	rs, err := t.relations(ctx, query, arg)
	if err != nil {
		return engram.Relation{}, err
	}
	if len(rs) == 0 {
		return engram.Relation{}, engram.Errorf(engram.CodeNotFound, "relation %.40s does not exist", name).
			WithHint("{conflicts list} and {graph ID} show what there is")
	}
	return rs[0], nil
}

// relationWhere is the condition of f; the plus keeps the planner on the newest.
func (t *tx) relationWhere(ctx context.Context, f engram.RelationFilter) (where string, args []any, err error) {
	where = `r.removed_at IS NULL`
	if f.Project != "" {
		num, err := t.projectNum(ctx, f.Project)
		if err != nil {
			return "", nil, err
		}
		where += ` AND (SELECT project FROM memories WHERE num = r.source) = ?`
		args = append(args, num)
	}
	if len(f.Statuses) > 0 {
		where += ` AND r.status IN (` + marks(len(f.Statuses)) + `)`
		for _, s := range f.Statuses {
			args = append(args, s)
		}
	}
	if len(f.Verbs) > 0 {
		where += ` AND r.verb IN (` + marks(len(f.Verbs)) + `)`
		for _, v := range f.Verbs {
			args = append(args, v)
		}
	}
	if !f.Since.IsZero() {
		where += ` AND r.created_at >= ?`
		args = append(args, millis(f.Since))
	}
	if f.Judgments { // the words of index relations_judgments
		where += ` AND (r.verb IN ('contradicts', 'supersedes', 'compatible', 'scoped', 'not_conflict')
			OR r.verb = 'relates_to' AND r.confidence > 0)`
	}
	const forgotten = ` EXISTS (SELECT 1 FROM memories WHERE num IN (r.source, r.target) AND deleted_at IS NOT NULL)`
	switch f.Ends {
	case engram.EndsLive:
		where += ` AND NOT` + forgotten
	case engram.EndsForgotten:
		where += ` AND` + forgotten
	}
	return where, args, nil
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// ListRelations returns the relations that pass f, newest first. Verdicts have an index;
// anything else reads the whole table, for which nobody waits.
func (t *tx) ListRelations(ctx context.Context, f engram.RelationFilter, p engram.Page) ([]engram.Relation, int, error) {
	where, args, err := t.relationWhere(ctx, f)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	var total int
	if err := t.row(ctx, `SELECT count(*) FROM relations r WHERE `+where, args, &total); err != nil {
		return nil, 0, fmt.Errorf("count relations: %w", err)
	}
	rs, err := t.relations(ctx, `SELECT `+relationColumns+` FROM relations r WHERE `+where+` ORDER BY r.num DESC LIMIT ? OFFSET ?`,
		append(args, p.Limit, p.Offset)...)
	return rs, total, err
}

func isKnownRelation(r engram.Relation, err error) error {
	return engram.Errorf(engram.CodeConflict, "#%d %s #%d is known already", r.Source, r.Verb, r.Target)
}

// InsertRelation adds r and sets r.Num.
func (t *tx) InsertRelation(ctx context.Context, r *engram.Relation) error {
	const query = `INSERT INTO relations (id, source, target, verb, status, strength, reason, evidence, confidence, actor,
		actor_kind, model, session_id, created_at, updated_at, removed_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	res, err := t.exec(ctx, query, r.ID, r.Source, r.Target, r.Verb, r.Status, r.Strength, r.Reason, r.Evidence, r.Confidence,
		r.Actor, r.ActorKind, r.Model, r.SessionID, millis(r.CreatedAt), millis(r.UpdatedAt), millis(r.RemovedAt))
	if isUnique(err) {
		return isKnownRelation(*r, err)
	}
	if err != nil {
		return fmt.Errorf("insert relation: %w", err)
	}
	r.Num, err = res.LastInsertId()
	return err
}

// ReplaceRelation writes r over the relation with its number.
func (t *tx) ReplaceRelation(ctx context.Context, r engram.Relation) error {
	const query = `UPDATE relations SET (verb, status, strength, reason, evidence, confidence, actor, actor_kind, model,
		session_id, updated_at, removed_at) = (?,?,?,?,?,?,?,?,?,?,?,?) WHERE num = ?`
	res, err := t.exec(ctx, query, r.Verb, r.Status, r.Strength, r.Reason, r.Evidence, r.Confidence, r.Actor, r.ActorKind,
		r.Model, r.SessionID, millis(r.UpdatedAt), millis(r.RemovedAt), r.Num)
	if isUnique(err) {
		return isKnownRelation(r, err)
	}
	if err != nil {
		return fmt.Errorf("write relation %d: %w", r.Num, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return engram.Errorf(engram.CodeNotFound, "relation %d does not exist", r.Num).WithCause(err)
	}
	return nil
}
