package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// thingKey names a thing in the journal and in what replicas need: by number, or by name.
type thingKey struct {
	num  int64
	name string
}

// numbered reports whether things of a kind are named by numbers.
func numbered(entity engram.Entity) bool {
	return entity == engram.EntityMemory || entity == engram.EntityPrompt || entity == engram.EntityRelation
}

// keyOf returns the key of a thing as columns.
func keyOf(entity engram.Entity, key string) thingKey {
	if numbered(entity) {
		if n, err := strconv.ParseInt(key, 10, 64); err == nil && n != 0 {
			return thingKey{num: n}
		}
	}
	return thingKey{name: key}
}

func (k thingKey) String() string {
	if k.num != 0 {
		return strconv.FormatInt(k.num, 10)
	}
	return k.name
}

// keysOf returns the keys of things as two columns.
func keysOf(entity engram.Entity, keys []string) (nums []int64, names []string) {
	for _, key := range keys {
		if !conn.Storable(key) {
			continue
		}
		k := keyOf(entity, key)
		nums, names = append(nums, k.num), append(names, k.name)
	}
	return nums, names
}

const mutationColumns = `j.seq, j.op, j.at, j.device, j.actor, j.verb, j.entity, j.num, j.key,
	(SELECT name FROM projects WHERE space = $space AND num = j.project), j.reason, j.was, j.undoes`

// scanMutation reads mutationColumns; own is the device of this store.
func scanMutation(own string) func(s sqlrow.Scanner) (engram.Mutation, error) {
	return func(s sqlrow.Scanner) (m engram.Mutation, err error) {
		var key thingKey
		var was string
		err = s.Scan(&m.Seq, &m.Op, &m.At, conn.Given{Text: &m.Device}, &m.Actor, &m.Operation, &m.Entity, &key.num, &key.name,
			conn.Given{Text: &m.Project}, conn.Given{Text: &m.Reason}, conn.Given{Text: &was}, conn.Number{N: &m.Undoes})
		if m.Key = key.String(); m.Device == "" {
			m.Device = own
		}
		if was != "" {
			m.Was = json.RawMessage(was)
		}
		return m, err
	}
}

// Mutations returns the entries of a span. Those of one thing are served by mutations_key; every query about the
// past looks for moves between projects, served by mutations_project.
func (t *tx) Mutations(ctx context.Context, s engram.JournalSpan, p engram.Page) ([]engram.Mutation, error) {
	c := sqlrow.Query{From: "mutations j", Order: "j.seq DESC", Where: []string{"j.space = $space"}}
	if s.OldestFirst {
		c.Order = "j.seq"
	}
	switch {
	case s.Entity != "" && s.Key != "":
		key := keyOf(s.Entity, s.Key)
		c.Add("j.num = ? AND j.key = ? AND j.entity = ?", key.num, key.name, s.Entity)
	case s.Entity == engram.EntityProject:
		c.Add("j.entity = 'project'")
	case s.Entity != "":
		c.Add("j.entity = ?", s.Entity)
	}
	if s.Op > 0 {
		c.Add("j.seq >= ? AND j.op = ?"+t.Off.Among("j.project"), s.Op, s.Op)
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
	query, args := c.Page(mutationColumns, p)
	return sqlrow.List(ctx, t, "read journal", query, args, scanMutation(t.head.device))
}

const (
	ownFromSQL  = `SELECT seq, at FROM mutations WHERE space = $space AND seq >= ? AND device IS NULL ORDER BY seq LIMIT 1`
	ownUntilSQL = `SELECT seq FROM mutations WHERE space = $space AND seq < ? AND device IS NULL ORDER BY seq DESC LIMIT 1`
)

// SeqBefore finds the last own entry before a time by binary search: an index by time would slow down every save
// for rare queries.
func (t *tx) SeqBefore(ctx context.Context, at time.Time) (int64, error) {
	clock := engram.Clock(0).Tick(at)
	low, high := int64(0), t.head.seq+1 // invariant: own entries up to low are before at, those from high on are not
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

const firstMadeSQL = `SELECT num, key FROM mutations WHERE space = $space AND entity = ? AND seq > ? AND was IS NULL ORDER BY seq LIMIT 1`

// FirstMade returns the key of the first thing of a kind created after an entry.
func (t *tx) FirstMade(ctx context.Context, entity engram.Entity, after int64) (string, error) {
	var key thingKey
	found, err := t.Maybe(ctx, firstMadeSQL, []any{entity, after}, &key.num, &key.name)
	if err != nil || !found {
		return "", sqlrow.Doing(err, "read journal")
	}
	return key.String(), nil
}

// Append adds entries to the journal and sets their Seq. The first without Op starts a new operation.
func (t *tx) Append(ctx context.Context, ms ...*engram.Mutation) error {
	const query = `INSERT INTO mutations (space, seq, op, at, actor, verb, entity, num, key, project, reason, was, undoes) VALUES $rows`
	op := int64(0)
	rows := make([][]any, 0, len(ms))
	err := forAll(ms, func(m *engram.Mutation) error {
		project, err := t.projectNum(ctx, m.Project)
		if err != nil {
			return err
		}
		m.Seq = next(&t.head.seq, 0)
		t.head.lastAt = int64(m.At)
		if m.Op == 0 {
			m.Op = op
		}
		if m.Op == 0 {
			m.Op = m.Seq
		}
		op = m.Op
		key := keyOf(m.Entity, m.Key)
		rows = append(rows, []any{m.Seq, m.Op, int64(m.At), m.Actor, m.Operation, m.Entity, key.num, key.name, project,
			sqlrow.OrNull(m.Reason), sqlrow.OrNull(string(m.Was)), sqlrow.OrZero(m.Undoes)})
		return nil
	})
	if err == nil {
		err = t.RunRows(ctx, query, rows)
	}
	return sqlrow.Doing(err, "write journal")
}

// emptied clears the old values of entries but keeps them non-NULL: NULL means that the thing was created.
const emptied = `was = CASE WHEN was IS NULL THEN NULL ELSE '{}' END`

// operationColumns is what scanOperation reads; j is the first entry of the operation. The entries of an operation
// are consecutive, because one transaction writes them.
const operationColumns = `j.op, j.at, j.actor, j.verb, (SELECT name FROM projects WHERE space = $space AND num = j.project),
	coalesce((SELECT seq FROM mutations WHERE space = $space AND seq > j.seq AND op <> j.op ORDER BY seq LIMIT 1), ? + 1) - j.seq,
	j.undoes, (SELECT max(op) FROM mutations WHERE space = $space AND undoes = j.op)`

func scanOperation(s sqlrow.Scanner) (o engram.Operation, err error) {
	err = s.Scan(&o.Op, &o.At, &o.Actor, &o.Name, conn.Given{Text: &o.Project}, &o.Entries, conn.Number{N: &o.Undoes}, conn.Number{N: &o.UndoneBy})
	return o, err
}

// ofThingSQL selects the operations with an entry about a thing, served by mutations_key.
const ofThingSQL = `SELECT op FROM mutations WHERE space = $space AND num = ? AND key = ? AND entity = ?`

// ofRelationsSQL selects the operations that wrote relations of a memory.
const ofRelationsSQL = ` UNION ALL SELECT m.op FROM relations r JOIN mutations m ON m.space = $space AND m.num = r.num AND m.key = '' AND m.entity = 'relation'
	WHERE r.space = $space AND (r.source = ? OR r.target = ?)`

// touchesSQL is true if an operation that may span projects has an entry of a project. Entries are consecutive, so
// it reads no further than the operation.
const touchesSQL = `j.verb IN ('import', 'pull') AND EXISTS (SELECT 1 FROM mutations m WHERE m.space = $space AND m.project = ? AND m.seq > j.seq
	AND m.seq < coalesce((SELECT seq FROM mutations WHERE space = $space AND seq > j.seq AND op <> j.op ORDER BY seq LIMIT 1), 9223372036854775807))`

// movesOf returns the operations that moved a thing between projects: they have one entry that lists everything
// moved. Such entries are few, served by mutations_project.
func (t *tx) movesOf(ctx context.Context, entity engram.Entity, key string) (ops []int64, err error) {
	const query = `SELECT op, was FROM mutations WHERE space = $space AND entity = 'project' AND was IS NOT NULL`
	kept := keyOf(entity, key)
	err = t.Rows(ctx, query, nil, func(s sqlrow.Scanner) error {
		var op int64
		var was string
		if err := s.Scan(&op, &was); err != nil {
			return err
		}
		var moved struct {
			Memories []int64  `json:"memories"`
			Prompts  []int64  `json:"prompts"`
			Sessions []string `json:"sessions"`
		}
		if json.Unmarshal([]byte(was), &moved) != nil { // of another program
			return nil
		}
		if entity == engram.EntityMemory && slices.Contains(moved.Memories, kept.num) || entity == engram.EntityPrompt && slices.Contains(moved.Prompts, kept.num) ||
			entity == engram.EntitySession && slices.Contains(moved.Sessions, key) {
			ops = append(ops, op)
		}
		return nil
	})
	return ops, sqlrow.Doing(err, "read journal")
}

// Operations returns the operations that pass f, newest first unless f.OldestFirst. Those of one thing are served
// by mutations_key, others by walking the journal.
func (t *tx) Operations(ctx context.Context, f engram.JournalFilter, p engram.Page) ([]engram.Operation, error) {
	c := sqlrow.Query{From: "mutations j", Order: "j.seq DESC", Args: []any{t.head.seq}}
	if f.OldestFirst {
		c.Order = "j.seq"
	}
	if f.Op > 0 {
		c.Add(`j.space = $space AND j.seq = ? AND j.op = j.seq`, f.Op)
	} else {
		c.Add(`j.space = $space AND j.seq = j.op` + t.Off.Among("j.project"))
	}
	if f.Entity != "" {
		moves, err := t.movesOf(ctx, f.Entity, f.Key)
		if err != nil {
			return nil, err
		}
		key := keyOf(f.Entity, f.Key)
		of, args := ofThingSQL, []any{key.num, key.name, f.Entity}
		if f.Entity == engram.EntityMemory {
			of, args = of+ofRelationsSQL, append(args, key.num, key.num)
		}
		c.Add(`(j.op IN (`+of+`) OR j.op = ANY(?))`, append(args, moves)...)
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
			c.Add(`(j.project = ? OR `+touchesSQL+` OR starts_with(j.verb, 'project_') AND NOT EXISTS (SELECT 1 FROM projects WHERE space = $space AND num = j.project AND num <> 0))`, num, num)
		} else {
			c.Add(`(j.project = ? OR `+touchesSQL+`)`, num, num)
		}
	}
	if f.Actor != "" {
		c.Add(`(j.actor = ? OR starts_with(j.actor, ?))`, f.Actor, f.Actor+":")
	}
	if f.Operation != "" {
		c.Add(`j.verb = ?`, f.Operation)
	}
	if f.After > 0 {
		c.Add(`j.seq > ?`, f.After)
	}
	if !f.Since.IsZero() {
		c.Add(`j.at >= ?`, int64(engram.Clock(0).Tick(f.Since)))
	}
	if !f.Until.IsZero() {
		c.Add(`j.at < ?`, int64(engram.Clock(0).Tick(f.Until)))
	}
	query, args := c.Page(operationColumns, p)
	return sqlrow.List(ctx, t, "read journal", query, args, scanOperation)
}

// CompactJournal removes the operations before a time, and returns the number of removed entries. It removes all
// entries before the first operation to keep, so operations stay whole.
func (t *tx) CompactJournal(ctx context.Context, before time.Time) (int, error) {
	const firstKept = `SELECT op FROM mutations WHERE space = $space AND device IS NULL AND at >= ? ORDER BY seq LIMIT 1`
	var kept int64
	found, err := t.Maybe(ctx, firstKept, []any{int64(engram.Clock(0).Tick(before))}, &kept)
	if err == nil && !found { // all entries are older: the newest operation stays
		err = t.Row(ctx, `SELECT coalesce(max(op), 0) FROM mutations WHERE space = $space`, nil, &kept)
	}
	if err != nil {
		return 0, fmt.Errorf("compact journal: %w", err)
	}
	n, err := t.Exec(ctx, `DELETE FROM mutations WHERE space = $space AND seq < ?`, kept)
	if err != nil || n == 0 {
		return 0, sqlrow.Doing(err, "compact journal")
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
	if v, found := known(t.names, &t.names.facts, name); found {
		return v, nil
	}
	_, err = t.Maybe(ctx, `SELECT value FROM facts WHERE space = $space AND key = ?`, []any{name}, &v)
	if err == nil && len(v) < mostFact {
		know(t.names, &t.names.facts, name, v)
	}
	return v, err
}

// mostFact bounds the bytes of a fact that is cached.
const mostFact = 256

// PutFact sets a fact about the store.
func (t *tx) PutFact(ctx context.Context, name, value string) error {
	delete(t.names.facts, name) // they are this transaction's own
	err := t.Run(ctx, `INSERT INTO facts (space, key, value) VALUES ($space,?,?) ON CONFLICT (space, key) DO UPDATE SET value = excluded.value`, name, value)
	return sqlrow.Doing(err, "write fact %s", name)
}
