package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

const mutationColumns = `j.seq, j.op, j.at, coalesce(j.device, (SELECT value FROM meta WHERE key = 'device')), j.actor, j.verb,
	j.entity, j.key, (SELECT name FROM projects WHERE num = j.project), coalesce(j.reason, ''), j.was, coalesce(j.undoes, 0)`

func scanMutation(s sqlrow.Scanner) (engram.Mutation, error) {
	var m engram.Mutation
	var project sql.NullString // the project may have been deleted since
	var was sql.NullString
	err := s.Scan(&m.Seq, &m.Op, &m.At, &m.Device, &m.Actor, &m.Operation, &m.Entity, &m.Key, &project, &m.Reason, &was, &m.Undoes)
	m.Project = project.String
	if was.Valid {
		m.Was = []byte(was.String)
	}
	return m, err
}

const (
	ownFromSQL  = `SELECT seq, at FROM mutations WHERE seq >= ? AND device IS NULL ORDER BY seq LIMIT 1`
	ownUntilSQL = `SELECT seq FROM mutations WHERE seq < ? AND device IS NULL ORDER BY seq DESC LIMIT 1`
)

// Mutations returns the entries of a span. Those of one thing are served by mutations_key; every query about the
// past looks for moves between projects, served by mutations_project.
func (t *tx) Mutations(ctx context.Context, s engram.JournalSpan, p engram.Page) ([]engram.Mutation, error) {
	c := sqlrow.Query{From: "mutations j", Order: "j.seq DESC", Where: []string{"1"}}
	if s.OldestFirst {
		c.Order = "j.seq"
	}
	switch {
	case s.Entity != "" && s.Key != "":
		c.Add("j.key = ? AND j.entity = ?", journalKey(s.Entity, s.Key), s.Entity)
	case s.Entity == engram.EntityProject:
		c.Add("j.entity = 'project'")
	case s.Entity != "":
		c.Add("j.entity = ?", s.Entity)
	}
	if s.Op > 0 {
		c.Add("j.seq >= ? AND j.op = ?"+t.hidden.and("j.project"), s.Op, s.Op)
	}
	if s.After > 0 {
		c.Add("j.seq > ?", s.After)
	}
	if s.Before > 0 {
		c.Add("j.seq < ?", s.Before)
	}
	if s.Changes {
		c.Add("j.was IS NOT NULL")
	}
	return sqlrow.List(ctx, t, "read journal", c.Select(mutationColumns)+" LIMIT ? OFFSET ?", append(c.Args, p.Limit, p.Offset), scanMutation)
}

// SeqBefore finds the last own entry before a time by binary search: an index by time would slow down
// every save for rare queries.
func (t *tx) SeqBefore(ctx context.Context, at time.Time) (int64, error) {
	var newest int64
	if err := t.Row(ctx, `SELECT coalesce(max(seq), 0) FROM mutations`, nil, &newest); err != nil {
		return 0, fmt.Errorf("read journal: %w", err)
	}
	clock := engram.Clock(0).Tick(at)
	low, high := int64(0), newest+1 // invariant: own entries up to low are before at, those from high on are not
	for low+1 < high {
		middle := low + (high-low)/2
		seq, written := high, engram.Clock(0)
		found, err := t.Maybe(ctx, ownFromSQL, []any{middle}, &seq, &written)
		switch {
		case err != nil:
			return 0, fmt.Errorf("read journal: %w", err)
		case !found || written >= clock:
			high = middle
		default:
			low = seq
		}
	}
	var last int64
	_, err := t.Maybe(ctx, ownUntilSQL, []any{high}, &last)
	return last, sqlrow.Doing(err, "read journal")
}

const firstMadeSQL = `SELECT key FROM mutations WHERE entity = ? AND seq > ? AND was IS NULL ORDER BY seq LIMIT 1`

// FirstMade returns the key of the first thing of a kind created after an entry.
func (t *tx) FirstMade(ctx context.Context, entity engram.Entity, after int64) (key string, err error) {
	_, err = t.Maybe(ctx, firstMadeSQL, []any{entity, after}, &key)
	return key, sqlrow.Doing(err, "read journal")
}

// Append adds entries to the journal and sets their Seq. The first without Op starts a new operation.
func (t *tx) Append(ctx context.Context, ms ...*engram.Mutation) error {
	op := int64(0)
	return forAll(ms, func(m *engram.Mutation) error {
		if m.Op == 0 {
			m.Op = op
		}
		err := t.append(ctx, m)
		op = m.Op
		return err
	})
}

func (t *tx) append(ctx context.Context, m *engram.Mutation) error {
	project, err := t.projectNum(ctx, m.Project)
	if err == nil {
		err = t.readHead(ctx)
	}
	if err != nil {
		return err
	}
	// The newest entry is never removed, so its number is also the greatest that was given.
	t.head.seq, t.head.at = t.head.seq+1, m.At
	m.Seq = t.head.seq
	if m.Op == 0 {
		m.Op = m.Seq
	}
	t.unwritten.entries = append(t.unwritten.entries, []any{m.Seq, m.Op, int64(m.At), m.Actor, m.Operation, string(m.Entity), journalKey(m.Entity, m.Key), project,
		sqlrow.OrNull(m.Reason), sqlrow.OrNull(string(m.Was)), sqlrow.OrZero(m.Undoes)})
	return t.flushMost(ctx, &t.unwritten.entries, t.flushEntries)
}

// emptied clears the old values of entries but keeps them non-NULL: NULL means that the thing was
// created.
const emptied = `was = CASE WHEN was IS NULL THEN NULL ELSE '{}' END`

// journalKey is the column value of a key. Numbers take a third of the space of their digits.
func journalKey(entity engram.Entity, key string) any {
	switch entity {
	case engram.EntityMemory, engram.EntityPrompt, engram.EntityRelation:
		if n, err := strconv.ParseInt(key, 10, 64); err == nil {
			return n
		}
	}
	return key
}

// operationColumns is what scanOperation reads; j is the first entry of the operation. The entries of an
// operation are consecutive, because one transaction writes them.
const operationColumns = `j.op, j.at, j.actor, j.verb, (SELECT name FROM projects WHERE num = j.project),
	coalesce((SELECT seq FROM mutations WHERE seq > j.seq AND op <> j.op ORDER BY seq LIMIT 1),
		(SELECT max(seq) + 1 FROM mutations)) - j.seq,
	coalesce(j.undoes, 0), coalesce((SELECT max(op) FROM mutations WHERE undoes = j.op), 0)`

func scanOperation(s sqlrow.Scanner) (engram.Operation, error) {
	var o engram.Operation
	var project sql.NullString // the project may have been deleted since
	err := s.Scan(&o.Op, &o.At, &o.Actor, &o.Name, &project, &o.Entries, &o.Undoes, &o.UndoneBy)
	o.Project = project.String
	return o, err
}

// ofThingSQL selects the operations with an entry about a thing, by key and kind, served by
// mutations_key, and the moves between projects that included it: these have one entry that lists
// everything moved, served by mutations_project.
const ofThingSQL = `SELECT op FROM mutations WHERE key = ? AND entity = ? UNION ALL
	SELECT op FROM mutations WHERE entity = 'project' AND EXISTS
	(SELECT 1 FROM json_each(CASE WHEN json_valid(was) THEN was END, ?) WHERE value = ?)`

// ofRelationsSQL selects the operations that wrote relations of a memory. CROSS JOIN and the plus (key
// has no affinity) keep the planner from scanning the whole journal.
const ofRelationsSQL = `SELECT m.op FROM relations r CROSS JOIN mutations m ON m.key = +r.num AND m.entity = 'relation' WHERE r.source = ? UNION ALL
	SELECT m.op FROM relations r CROSS JOIN mutations m ON m.key = +r.num AND m.entity = 'relation' WHERE r.target = ?`

// touchesSQL is true if an operation that may span projects has an entry of a project. Entries are
// consecutive, so it reads no further than the operation.
const touchesSQL = `j.verb IN ('import', 'pull') AND EXISTS (SELECT 1 FROM mutations m WHERE m.project = ? AND m.seq > j.seq
	AND m.seq < coalesce((SELECT seq FROM mutations WHERE seq > j.seq AND op <> j.op ORDER BY seq LIMIT 1), 9223372036854775807))`

// listOf is the JSON path at which the entry of a move lists things of a kind.
func listOf(e engram.Entity) string {
	switch e {
	case engram.EntityMemory:
		return "$.memories"
	case engram.EntitySession:
		return "$.sessions"
	case engram.EntityPrompt:
		return "$.prompts"
	}
	return "$.none"
}

// Operations returns the operations that pass f, newest first unless f.OldestFirst. Those of one thing
// are served by mutations_key, others by walking the journal.
func (t *tx) Operations(ctx context.Context, f engram.JournalFilter, p engram.Page) ([]engram.Operation, error) {
	var c sqlrow.Query
	if f.Op > 0 {
		c.Add(`j.seq = ? AND j.op = j.seq`, f.Op)
	} else {
		c.Add(`j.seq = j.op` + t.hidden.and("j.project"))
	}
	if f.Entity != "" {
		key := journalKey(f.Entity, f.Key)
		of, args := ofThingSQL, []any{key, f.Entity, listOf(f.Entity), key}
		if f.Entity == engram.EntityMemory {
			of, args = of+` UNION ALL `+ofRelationsSQL, append(args, key, key)
		}
		c.Add(`j.op IN (`+of+`)`, args...)
	}
	if f.Project != "" {
		num, known, err := t.knownProject(ctx, f.Project)
		switch {
		case err != nil || !known && !f.WithDeleted:
			return nil, err
		case !known:
			num = -1 // matches no project
		}
		if f.WithDeleted {
			c.Add(`(j.project = ? OR `+touchesSQL+` OR substr(j.verb, 1, 8) = 'project_' AND NOT EXISTS (SELECT 1 FROM projects WHERE num = j.project AND num <> 0))`, num, num)
		} else {
			c.Add(`(j.project = ? OR `+touchesSQL+`)`, num, num)
		}
	}
	if f.Actor != "" {
		c.Add(`(j.actor = ? OR substr(j.actor, 1, ?) = ?)`, f.Actor, len(f.Actor)+1, f.Actor+":")
	}
	if f.Operation != "" {
		c.Add(`j.verb = ?`, f.Operation)
	}
	if f.After > 0 {
		c.Add(`j.seq > ?`, f.After)
	}
	if !f.Since.IsZero() {
		c.Add(`j.at >= ?`, engram.Clock(0).Tick(f.Since))
	}
	if !f.Until.IsZero() {
		c.Add(`j.at < ?`, engram.Clock(0).Tick(f.Until))
	}
	order := ` ORDER BY j.seq DESC`
	if f.OldestFirst {
		order = ` ORDER BY j.seq`
	}
	return sqlrow.List(ctx, t, "read journal", `SELECT `+operationColumns+` FROM mutations j WHERE `+strings.Join(c.Where, " AND ")+order+` LIMIT ? OFFSET ?`,
		append(c.Args, p.Limit, p.Offset), scanOperation)
}

// CompactJournal removes the operations before a time, and returns the number of removed entries. It
// removes all entries before the first operation to keep, so operations stay whole.
func (t *tx) CompactJournal(ctx context.Context, before time.Time) (int, error) {
	const firstKept = `SELECT op FROM mutations WHERE device IS NULL AND at >= ? ORDER BY seq LIMIT 1`
	var kept int64
	found, err := t.Maybe(ctx, firstKept, []any{engram.Clock(0).Tick(before)}, &kept)
	if err == nil && !found {
		// All entries are older. The newest operation stays, because the clock continues from it.
		err = t.Row(ctx, `SELECT coalesce(max(op), 0) FROM mutations`, nil, &kept)
	}
	if err != nil {
		return 0, fmt.Errorf("compact journal: %w", err)
	}
	res, err := t.Exec(ctx, `DELETE FROM mutations WHERE seq < ?`, kept)
	if err != nil {
		return 0, fmt.Errorf("compact journal: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return 0, err
	}
	begins, err := engram.JournalBegins(ctx, t)
	if err != nil {
		return 0, err
	}
	if begins.After(before) { // the clock was ahead then; entries before begins are already removed
		before = begins
	}
	return int(n), t.PutFact(ctx, engram.FactJournalBegins, strconv.FormatInt(before.UnixMilli(), 10))
}

// Fact returns a fact about the store, "" if it is not set.
func (t *tx) Fact(ctx context.Context, name string) (v string, err error) {
	var same *unchanged
	if t.looked { // to look for changes costs as much
		same, _ = t.unchanged(ctx)
	}
	if same != nil {
		if v, known := same.facts[name]; known {
			return v, nil
		}
	}
	_, err = t.keyed.Maybe(ctx, `SELECT value FROM meta WHERE key = ?`, []any{name}, &v)
	if err == nil && same != nil {
		same.facts[name] = v
	}
	return v, err
}

// PutFact sets a fact about the store.
func (t *tx) PutFact(ctx context.Context, name, value string) error {
	if name == factClock {
		t.head.read = false
	}
	err := t.Run(ctx, `INSERT INTO meta (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, name, value)
	return sqlrow.Doing(err, "write fact %s", name)
}
