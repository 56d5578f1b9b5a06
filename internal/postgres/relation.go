package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// relationTable has the fields of a relation; each has a column.
var relationTable = sync.OnceValue(engram.Fields[engram.Relation])

var relationColumns = sync.OnceValue(func() string { return columnsOf("r", relationTable()) })

func (t *tx) relations(ctx context.Context, query string, args ...any) ([]engram.Relation, error) {
	return sqlrow.List(ctx, t, "read relations", query, args, scanInto(new(engram.Relation), relationTable()))
}

// touching selects the relations with an end in a list, between those of two memories, served by relations_source,
// relations_target and relations_live.
const (
	touching = `r.num IN (SELECT num FROM relations WHERE space = $space AND source = ANY(?)
		UNION SELECT num FROM relations WHERE space = $space AND target = ANY(?))`
	between = `r.num IN (SELECT num FROM relations WHERE space = $space AND source = ? AND target = ANY(?) AND removed_at IS NULL
		UNION SELECT num FROM relations WHERE space = $space AND source = ANY(?) AND target = ? AND removed_at IS NULL)`
)

// Relation returns the relation that ref names, removed or not.
func (t *tx) Relation(ctx context.Context, ref engram.RelationRef) (engram.Relation, error) {
	column, arg := "num", any(ref.Num)
	if ref.ID != "" {
		column, arg = "id", ref.ID
	}
	r, found, err := sqlrow.First(t.relations(ctx, `SELECT `+relationColumns()+` FROM relations r WHERE r.space = $space AND r.`+column+` = ?`, arg))
	if err == nil && !found {
		err = engram.Errorf(engram.CodeNotFound, "relation %.40s does not exist", fmt.Sprint(arg)).
			WithHint("see {conflicts list} and {graph ID}")
	}
	return r, err
}

// relationWhere returns the conditions of f; nil if nothing can pass.
func (t *tx) relationWhere(ctx context.Context, f engram.RelationFilter) (*sqlrow.Query, error) {
	c := &sqlrow.Query{From: "relations r", Order: "r.num DESC", Where: []string{"r.space = $space"}}
	if f.OldestFirst {
		c.Order = "r.num"
	}
	switch {
	case f.WithRemoved:
	case f.Removed && f.RemovedSince.IsZero():
		c.Add("r.removed_at IS NOT NULL")
	case f.Removed:
		c.Add("r.removed_at >= ?", sqlrow.Millis(f.RemovedSince))
	default:
		c.Add("r.removed_at IS NULL")
	}
	num, known, err := t.knownProject(ctx, f.Project)
	if !known || f.Of != nil && len(f.Of) == 0 {
		return nil, err
	}
	if f.Project != "" {
		c.Add(`(SELECT project FROM memories WHERE space = $space AND num = r.source) = ?`, num)
	}
	if f.Project != "" && f.Inside {
		c.Add(`(SELECT project FROM memories WHERE space = $space AND num = r.target) = ?`, num)
	}
	switch {
	case f.With != nil:
		c.Add(between, f.Of[0], f.With, f.With, f.Of[0])
	case f.Of != nil:
		c.Add(touching, f.Of, f.Of)
	}
	if f.After > 0 {
		c.Add(`r.num > ?`, f.After)
	}
	if len(f.Statuses) > 0 {
		c.Add(`r.status = ANY(?)`, conn.Texts(f.Statuses))
	}
	if len(f.Verbs) > 0 {
		c.Add(`r.verb = ANY(?)`, conn.Texts(f.Verbs))
	}
	if !f.Since.IsZero() {
		c.Add(`r.created_at >= ?`, sqlrow.Millis(f.Since))
	}
	if f.Judgments { // as in index relations_judgments
		c.Add(`(r.verb IN ('contradicts', 'supersedes', 'compatible', 'scoped', 'not_conflict')
			OR r.verb = 'relates_to' AND r.confidence > 0)`)
	}
	const forgotten = `EXISTS (SELECT 1 FROM memories WHERE space = $space AND num IN (r.source, r.target) AND deleted_at IS NOT NULL)`
	switch f.Ends {
	case engram.EndsLive:
		c.Add(`NOT ` + forgotten)
	case engram.EndsForgotten:
		c.Add(forgotten)
	}
	return c, nil
}

// Relations returns the relations that pass f. Judgments have an index, as have those of given memories; other
// filters scan the space's part of the table, in rare maintenance commands only.
func (t *tx) Relations(ctx context.Context, f engram.RelationFilter, p engram.Page) ([]engram.Relation, error) {
	if f.Most > 0 {
		return t.relationsOf(ctx, f.Of, f.Verbs, f.Most, f.Incoming)
	}
	c, err := t.relationWhere(ctx, f)
	if err != nil || c == nil {
		return nil, err
	}
	query, args := c.Page(relationColumns(), p)
	return t.relations(ctx, query, args...)
}

// CountRelations counts the relations that pass f.
func (t *tx) CountRelations(ctx context.Context, f engram.RelationFilter) (n int, err error) {
	c, err := t.relationWhere(ctx, f)
	if err != nil || c == nil {
		return 0, err
	}
	c.Order = ""
	err = t.Row(ctx, c.Select(`count(*)`), c.Args, &n)
	return n, sqlrow.Doing(err, "count relations")
}

// relationsOfSQL selects, for each of the memories ?1 and verbs ?2, the newest ?3 relations in each direction, by
// relations_source and relations_target; one between two of the memories is there twice.
var relationsOfSQL = sync.OnceValue(func() string { return newestOf("source") + ` UNION ALL ` + newestOf("target") })

// incomingSQL selects the same, but only those to the memories.
var incomingSQL = sync.OnceValue(func() string { return newestOf("target") })

func newestOf(end string) string {
	return `SELECT ` + relationColumns() + ` FROM unnest(?1::bigint[]) AS m (num) CROSS JOIN unnest(?2::text[]) AS v (verb) CROSS JOIN LATERAL (
			SELECT * FROM relations WHERE space = $space AND ` + end + ` = m.num AND verb = v.verb COLLATE "C" AND removed_at IS NULL ORDER BY num DESC LIMIT ?3) r`
}

// relationsOf returns the newest relations of each memory by verb and direction.
func (t *tx) relationsOf(ctx context.Context, memories []int64, verbs []engram.Verb, most int, incoming bool) ([]engram.Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	if verbs == nil {
		verbs = engram.Verbs()
	}
	query := relationsOfSQL()
	if incoming {
		query = incomingSQL()
	}
	found, err := t.relations(ctx, query, memories, conn.Texts(verbs), most)
	slices.SortFunc(found, func(a, b engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	return slices.CompactFunc(found, func(a, b engram.Relation) bool { return a.Num == b.Num }), err
}

// InsertRelation adds relations and sets their numbers. If one exists, those before it are added.
func (t *tx) InsertRelation(ctx context.Context, rs ...*engram.Relation) error {
	// What comes back are the numbers that were added with both ends.
	const query = `WITH added AS (INSERT INTO relations (space, num, id, source, target, verb, status, strength, reason, evidence,
			confidence, actor, actor_kind, model, session_id, created_at, updated_at, removed_at) VALUES $rows ON CONFLICT DO NOTHING
			RETURNING num, source, target)
		SELECT r.num FROM added r WHERE EXISTS (SELECT 1 FROM memories WHERE space = $space AND num = r.source)
			AND EXISTS (SELECT 1 FROM memories WHERE space = $space AND num = r.target)`
	if len(rs) == 0 {
		return nil
	}
	nums, rows := make([]int64, len(rs)), make([][]any, len(rs))
	for i, r := range rs {
		nums[i] = cmp.Or(r.Num, t.head.relation+1+int64(i))
		rows[i] = []any{nums[i], r.ID, r.Source, r.Target, r.Verb, r.Status, r.Strength, r.Reason, r.Evidence, r.Confidence,
			r.Actor, r.ActorKind, r.Model, r.SessionID, sqlrow.Millis(r.CreatedAt), sqlrow.Millis(r.UpdatedAt), sqlrow.Millis(r.RemovedAt)}
	}
	var added []int64
	err := t.PutRows(ctx, query, rows, func(s sqlrow.Scanner) error {
		num, err := sqlrow.One[int64](s)
		added = append(added, num)
		return err
	})
	if err != nil {
		return fmt.Errorf("insert relations: %w", err)
	}
	for i, r := range rs {
		if !slices.Contains(added, nums[i]) {
			if err := t.Run(ctx, `DELETE FROM relations WHERE space = $space AND num > ?`, t.head.relation); err != nil {
				return err
			}
			return t.notInserted(ctx, *r)
		}
		r.Num = next(&t.head.relation, r.Num)
	}
	return nil
}

// notInserted returns why a relation was not added.
func (t *tx) notInserted(ctx context.Context, r engram.Relation) error {
	var ends int
	err := t.Row(ctx, `SELECT count(*) FROM memories WHERE space = $space AND num IN (?, ?)`, []any{r.Source, r.Target}, &ends)
	if err == nil && (ends == 2 || ends == 1 && r.Source == r.Target) {
		return isKnownRelation(r)
	}
	if err == nil {
		err = engram.Errorf(engram.CodeConflict, "#%d or #%d does not exist", r.Source, r.Target).
			WithHint("it may have been erased; nothing was changed")
	}
	return err
}

func isKnownRelation(r engram.Relation) error {
	return engram.Errorf(engram.CodeConflict, "#%d %s #%d exists already", r.Source, r.Verb, r.Target)
}

// ReplaceRelation writes r over the relation with its number.
func (t *tx) ReplaceRelation(ctx context.Context, r engram.Relation) error {
	const query = `UPDATE relations SET (verb, status, strength, reason, evidence, confidence, actor, actor_kind, model,
		session_id, updated_at, removed_at) = ROW(?,?,?,?,?,?,?,?,?,?,?,?) WHERE num = ? AND space = $space`
	n, err := t.Attempt(ctx, query, r.Verb, r.Status, r.Strength, r.Reason, r.Evidence, r.Confidence, r.Actor, r.ActorKind,
		r.Model, r.SessionID, sqlrow.Millis(r.UpdatedAt), sqlrow.Millis(r.RemovedAt), r.Num)
	switch {
	case conn.IsUnique(err):
		return isKnownRelation(r)
	case err != nil:
		return fmt.Errorf("write relation %d: %w", r.Num, err)
	case n == 0:
		return engram.Errorf(engram.CodeNotFound, "relation %d does not exist", r.Num)
	}
	return nil
}
