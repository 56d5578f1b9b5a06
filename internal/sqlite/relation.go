package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// relationTable has the fields of a relation; each has a column.
var relationTable = engram.Fields[engram.Relation]

var relationColumns = sync.OnceValue(func() string { return columnsOf("r", relationTable()) })

func (t *tx) relations(ctx context.Context, query string, args ...any) ([]engram.Relation, error) {
	return readRelations(ctx, t, query, args...)
}

func readRelations(ctx context.Context, q sqlrow.Querier, query string, args ...any) ([]engram.Relation, error) {
	return sqlrow.List(ctx, q, "read relations", query, args, scanInto(new(engram.Relation), relationTable()))
}

// touching selects the relations with an end in a list, between those of two memories, served by
// relations_source, relations_target and relations_live.
const (
	touching = `r.num IN (SELECT num FROM relations WHERE source IN (SELECT value FROM json_each(?))
		UNION SELECT num FROM relations WHERE target IN (SELECT value FROM json_each(?)))`
	between = `r.num IN (SELECT num FROM relations WHERE source = ? AND target IN (SELECT value FROM json_each(?)) AND removed_at IS NULL
		UNION SELECT num FROM relations WHERE source IN (SELECT value FROM json_each(?)) AND target = ? AND removed_at IS NULL)`
)

// Relation returns the relation that ref names, removed or not.
func (t *tx) Relation(ctx context.Context, ref engram.RelationRef) (engram.Relation, error) {
	column, arg := "num", any(ref.Num)
	if ref.ID != "" {
		column, arg = "id", ref.ID
	}
	r, found, err := sqlrow.First(t.relations(ctx, `SELECT `+relationColumns()+` FROM relations r WHERE r.`+column+` = ?`, arg))
	if err == nil && !found {
		err = engram.Errorf(engram.CodeNotFound, "relation %.40s does not exist", fmt.Sprint(arg)).
			WithHint("see {conflicts list} and {graph ID}")
	}
	return r, err
}

// relationWhere returns the conditions of f; nil if nothing can pass.
func (t *tx) relationWhere(ctx context.Context, f engram.RelationFilter) (*sqlrow.Query, error) {
	c := &sqlrow.Query{From: "relations r", Order: "r.num DESC", Where: []string{"r.removed_at IS NULL"}}
	if f.OldestFirst {
		c.Order = "r.num"
	}
	switch {
	case f.WithRemoved:
		c.Where[0] = "1"
	case f.Removed && f.RemovedSince.IsZero():
		c.Where[0] = "r.removed_at IS NOT NULL"
	case f.Removed:
		c.Where, c.Args = []string{"r.removed_at >= ?"}, []any{sqlrow.Millis(f.RemovedSince)}
	}
	num, known, err := t.knownProject(ctx, f.Project)
	if !known || f.Of != nil && len(f.Of) == 0 {
		return nil, err
	}
	if f.Project != "" {
		c.Add(`(SELECT project FROM memories WHERE num = r.source) = ?`, num)
	}
	if f.Project != "" && f.Inside {
		c.Add(`(SELECT project FROM memories WHERE num = r.target) = ?`, num)
	}
	switch {
	case f.With != nil:
		with := conn.JSONNums(f.With)
		c.Add(between, f.Of[0], with, with, f.Of[0])
	case f.Of != nil:
		ends := conn.JSONNums(f.Of)
		c.Add(touching, ends, ends)
	}
	if f.After > 0 {
		c.Add(`r.num > ?`, f.After)
	}
	addAnyOf(c, `r.status`, f.Statuses)
	addAnyOf(c, `r.verb`, f.Verbs)
	if !f.Since.IsZero() {
		c.Add(`r.created_at >= ?`, sqlrow.Millis(f.Since))
	}
	if f.Judgments { // as in index relations_judgments
		c.Add(`(r.verb IN ('contradicts', 'supersedes', 'compatible', 'scoped', 'not_conflict')
			OR r.verb = 'relates_to' AND r.confidence > 0)`)
	}
	const forgotten = `EXISTS (SELECT 1 FROM memories WHERE num IN (r.source, r.target) AND deleted_at IS NOT NULL)`
	switch f.Ends {
	case engram.EndsLive:
		c.Add(`NOT ` + forgotten)
	case engram.EndsForgotten:
		c.Add(forgotten)
	}
	return c, nil
}

// addAnyOf adds that a column has one of the values; without values it adds nothing.
func addAnyOf[V ~string](c *sqlrow.Query, column string, values []V) {
	if len(values) == 0 {
		return
	}
	c.Where = append(c.Where, column+` IN (?`+strings.Repeat(",?", len(values)-1)+`)`)
	for _, v := range values {
		c.Args = append(c.Args, v)
	}
}

// Relations returns the relations that pass f. Judgments have an index, as have those of given memories; other
// filters scan the table, in rare maintenance commands only.
func (t *tx) Relations(ctx context.Context, f engram.RelationFilter, p engram.Page) ([]engram.Relation, error) {
	if f.Most > 0 {
		return t.relationsOf(ctx, f.Of, f.Verbs, f.Most, f.Incoming)
	}
	c, err := t.relationWhere(ctx, f)
	if err != nil || c == nil {
		return nil, err
	}
	return t.relations(ctx, c.Select(relationColumns())+` LIMIT ? OFFSET ?`, append(c.Args, p.Limit, p.Offset)...)
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

func isKnownRelation(r engram.Relation, err error) error {
	return engram.Errorf(engram.CodeConflict, "#%d %s #%d exists already", r.Source, r.Verb, r.Target)
}

// InsertRelation adds relations and sets their numbers. If one exists, those before it are added.
func (t *tx) InsertRelation(ctx context.Context, rs ...*engram.Relation) error {
	for len(rs) > 0 {
		some := rs[:min(len(rs), fewRows)]
		if err := t.insertRelations(ctx, some); err != nil {
			return err
		}
		rs = rs[len(some):]
	}
	return nil
}

func (t *tx) insertRelations(ctx context.Context, rs []*engram.Relation) error {
	const query = relatingSQL + ` (num, id, source, target, verb, status, strength, reason, evidence, confidence, actor,
		actor_kind, model, session_id, created_at, updated_at, removed_at) VALUES `
	t.related += len(rs)
	rows, ids := make([][]any, len(rs)), make([]string, len(rs))
	for i, r := range rs {
		t.altered = t.altered || r.Num != 0 // by its number others cannot tell that it is new
		ids[i], rows[i] = r.ID, []any{sqlrow.OrZero(r.Num), r.ID, r.Source, r.Target, string(r.Verb), string(r.Status), r.Strength, r.Reason, r.Evidence, r.Confidence,
			r.Actor, r.ActorKind, r.Model, r.SessionID, sqlrow.Millis(r.CreatedAt), sqlrow.Millis(r.UpdatedAt), sqlrow.Millis(r.RemovedAt)}
	}
	res, err := t.insert(ctx, query, rows)
	if conn.IsUnique(err) {
		known := 0
		if len(rs) > 1 {
			const fine = `SELECT count(*) FROM relations WHERE id IN (SELECT value FROM json_each(?))`
			if err := t.Row(ctx, fine, []any{jsonText(ids)}, &known); err != nil {
				return fmt.Errorf("insert relations: %w", err)
			}
		}
		return isKnownRelation(*rs[min(known, len(rs)-1)], err)
	}
	if err != nil {
		return fmt.Errorf("insert relations: %w", err)
	}
	last, err := res.LastInsertId()
	for i, r := range rs {
		r.Num = cmp.Or(r.Num, last-int64(len(rs)-1-i))
	}
	return err
}

// ReplaceRelation writes r over the relation with its number.
func (t *tx) ReplaceRelation(ctx context.Context, r engram.Relation) error {
	const query = `UPDATE relations SET (verb, status, strength, reason, evidence, confidence, actor, actor_kind, model,
		session_id, updated_at, removed_at) = (?,?,?,?,?,?,?,?,?,?,?,?) WHERE num = ?`
	res, err := t.Exec(ctx, query, r.Verb, r.Status, r.Strength, r.Reason, r.Evidence, r.Confidence, r.Actor, r.ActorKind,
		r.Model, r.SessionID, sqlrow.Millis(r.UpdatedAt), sqlrow.Millis(r.RemovedAt), r.Num)
	if conn.IsUnique(err) {
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

// relationsAround selects, for each of the memories ?1 and verbs ?2, the newest ?3 relations in each
// direction. It reads only these, by relations_source and relations_target, without sorting.
func relationsAround() string {
	return relationsAmong(newestOf("source") + ` UNION ` + newestOf("target"))
}

// relationsTo selects the same, but only those to the memories.
func relationsTo() string { return relationsAmong(newestOf("target")) }

func relationsAmong(nums string) string {
	return `SELECT ` + relationColumns() + ` FROM relations r WHERE r.num IN (` + nums + `) ORDER BY r.num`
}

// newestOf looks for any relation of a memory before those of each verb: most memories have none.
func newestOf(end string) string {
	return `SELECT n.num FROM json_each(?1) m JOIN json_each(?2) v JOIN relations n ON n.num IN (
		SELECT num FROM relations WHERE ` + end + ` = m.value AND verb = v.value AND removed_at IS NULL ORDER BY num DESC LIMIT ?3)
		WHERE EXISTS (SELECT 1 FROM relations WHERE ` + end + ` = m.value)`
}

// relationsOf returns the newest relations of each memory by verb and direction.
func (t *tx) relationsOf(ctx context.Context, memories []int64, verbs []engram.Verb, most int, incoming bool) ([]engram.Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	if verbs == nil {
		verbs = engram.Verbs()
	}
	u, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	query := relationsAround()
	if incoming {
		query = relationsTo()
	}
	if u == nil {
		return readRelations(ctx, &t.keyed, query, conn.JSONNums(memories), jsonText(verbs), most)
	}
	key := relationsOf{verbs: jsonText(verbs), most: most, incoming: incoming}
	var all []*engram.Relation
	var unread []int64
	for _, key.memory = range memories {
		if ties, known := u.relations[key]; known {
			all = append(all, ties...)
		} else {
			unread = append(unread, key.memory)
		}
	}
	if len(unread) > 0 {
		read, err := readRelations(ctx, &t.keyed, query, conn.JSONNums(unread), key.verbs, most)
		if err != nil {
			return nil, err
		}
		all = append(all, u.keepRelations(key, unread, read)...)
	}
	slices.SortFunc(all, func(a, b *engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	all = slices.CompactFunc(all, func(a, b *engram.Relation) bool { return a.Num == b.Num })
	given := make([]engram.Relation, len(all))
	for i, r := range all {
		given[i] = *r
	}
	return given, nil
}

// keepRelations caches for each of the memories those of all that were read for it.
func (u *unchanged) keepRelations(key relationsOf, memories []int64, all []engram.Relation) []*engram.Relation {
	const row = 400 // bytes per relation beside its texts
	size := 150 * len(memories)
	for _, r := range all {
		size += row + len(r.Reason) + len(r.Evidence)
	}
	u.grow(size)
	lists := make(map[int64][]*engram.Relation, len(memories))
	for _, num := range memories {
		lists[num] = nil
	}
	type end struct {
		memory   int64
		verb     engram.Verb
		outgoing bool
	}
	given := map[end]int{}
	read := make([]*engram.Relation, 0, len(all))
	// Newest first, up to key.most per end: more may have been read for the other end.
	for _, r := range slices.Backward(all) {
		read = append(read, &r)
		for _, e := range []end{{r.Source, r.Verb, true}, {r.Target, r.Verb, false}} {
			list, asked := lists[e.memory]
			if given[e]++; asked && !(key.incoming && e.outgoing) && given[e] <= key.most {
				lists[e.memory] = append(list, &r)
			}
		}
	}
	for key.memory = range lists {
		u.relations[key] = lists[key.memory]
	}
	return read
}
