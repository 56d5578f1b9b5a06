package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
)

// operationColumns is what scanOperation reads; j is the first entry of an op. The
// entries of an op follow each other: they were written by one transaction.
const operationColumns = `j.op, j.at, j.actor, j.verb, (SELECT name FROM projects WHERE num = j.project),
	coalesce((SELECT seq FROM mutations WHERE seq > j.seq AND op <> j.op ORDER BY seq LIMIT 1),
		(SELECT max(seq) + 1 FROM mutations)) - j.seq,
	coalesce(j.undoes, 0), coalesce((SELECT max(op) FROM mutations WHERE undoes = j.op), 0)`

func scanOperation(s scanner) (engram.Operation, error) {
	var o engram.Operation
	var project sql.NullString // the project may have been deleted since
	err := s.Scan(&o.Op, &o.At, &o.Actor, &o.Verb, &project, &o.Entries, &o.Undoes, &o.UndoneBy)
	o.Project = project.String
	return o, err
}

// ofThingSQL are the operations with an entry about a thing, by key and kind, served by
// mutations_key, and the moves between projects that took it along: they have one entry
// for all they moved, with it in one of its lists. Those are served by mutations_project.
const ofThingSQL = `SELECT op FROM mutations WHERE key = ? AND entity = ? UNION ALL
	SELECT op FROM mutations WHERE entity = 'project' AND EXISTS
	(SELECT 1 FROM json_each(CASE WHEN json_valid(was) THEN was END, ?) WHERE value = ?)`

// ofRelationsSQL are the operations that wrote relations of a memory; the join by hand, and the plus,
// keep the planner from reading the whole journal: a key has no affinity.
const ofRelationsSQL = `SELECT m.op FROM relations r CROSS JOIN mutations m ON m.key = +r.num AND m.entity = 'relation' WHERE r.source = ? UNION ALL
	SELECT m.op FROM relations r CROSS JOIN mutations m ON m.key = +r.num AND m.entity = 'relation' WHERE r.target = ?`

// touchesSQL is whether an operation that may be of many projects at once has an entry of one of
// them; its entries follow each other, so that this reads no further than they go.
const touchesSQL = `j.verb IN ('import', 'pull') AND EXISTS (SELECT 1 FROM mutations m WHERE m.project = ? AND m.seq > j.seq
	AND m.seq < coalesce((SELECT seq FROM mutations WHERE seq > j.seq AND op <> j.op ORDER BY seq LIMIT 1), 9223372036854775807))`

// listOf is where the entry of a move lists things of a kind.
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

// Operations returns the operations that pass f, newest first or the other way round; those of one thing are
// served by mutations_key, others by walking back from the newest.
func (t *tx) Operations(ctx context.Context, f engram.JournalFilter, p engram.Page) ([]engram.Operation, error) {
	where, args := `j.seq = j.op`+t.hidden.and("j.project"), []any{}
	and := func(condition string, arg ...any) {
		where += ` AND ` + condition
		args = append(args, arg...)
	}
	if f.Entity != "" {
		key := journalKey(f.Entity, f.Key)
		of, args := ofThingSQL, []any{key, f.Entity, listOf(f.Entity), key}
		if f.Entity == engram.EntityMemory {
			of, args = of+` UNION ALL `+ofRelationsSQL, append(args, key, key)
		}
		and(`j.op IN (`+of+`)`, args...)
	}
	if f.Project != "" {
		num, known, err := t.knownProject(ctx, f.Project)
		switch {
		case err != nil || !known && !f.Gone:
			return nil, err
		case !known:
			num = -1 // no project's
		}
		if f.Gone {
			and(`(j.project = ? OR `+touchesSQL+` OR substr(j.verb, 1, 8) = 'project_' AND NOT EXISTS (SELECT 1 FROM projects WHERE num = j.project AND num <> 0))`, num, num)
		} else {
			and(`(j.project = ? OR `+touchesSQL+`)`, num, num)
		}
	}
	if f.Actor != "" {
		and(`(j.actor = ? OR substr(j.actor, 1, ?) = ?)`, f.Actor, len(f.Actor)+1, f.Actor+":")
	}
	if f.Verb != "" {
		and(`j.verb = ?`, f.Verb)
	}
	if f.After > 0 {
		and(`j.seq > ?`, f.After)
	}
	if !f.Since.IsZero() {
		and(`j.at >= ?`, engram.Clock(0).Tick(f.Since))
	}
	if !f.Until.IsZero() {
		and(`j.at < ?`, engram.Clock(0).Tick(f.Until))
	}
	order := ` ORDER BY j.seq DESC`
	if f.OldestFirst {
		order = ` ORDER BY j.seq`
	}
	return list(ctx, t, "read journal", `SELECT `+operationColumns+` FROM mutations j WHERE `+where+order+` LIMIT ? OFFSET ?`,
		append(args, p.Limit, p.Offset), scanOperation)
}

// Operation returns one operation and its entries, oldest first.
func (t *tx) Operation(ctx context.Context, op int64) (engram.Operation, []engram.Mutation, error) {
	found, err := list(ctx, t, fmt.Sprintf("read operation %d", op),
		`SELECT `+operationColumns+` FROM mutations j WHERE j.seq = ?1 AND j.op = ?1`, []any{op}, scanOperation)
	if err != nil {
		return engram.Operation{}, nil, err
	}
	if len(found) == 0 {
		return engram.Operation{}, nil, engram.Errorf(engram.CodeNotFound, "the journal has no operation %d", op).WithHint("{log} shows what there is")
	}
	all, err := t.FirstEntries(ctx, found[0], found[0].Entries)
	return found[0], all, err
}

// FirstEntries returns the first entries of an operation.
func (t *tx) FirstEntries(ctx context.Context, o engram.Operation, most int) ([]engram.Mutation, error) {
	return list(ctx, t, fmt.Sprintf("read operation %d", o.Op),
		`SELECT `+mutationColumns+` FROM mutations j WHERE j.seq >= ? AND j.seq < ?`+t.hidden.and("j.project")+` ORDER BY j.seq`,
		[]any{o.Op, o.Op + int64(min(most, o.Entries))}, scanMutation)
}

// factJournalBegins is the fact that tells from when on the journal is complete.
const factJournalBegins = "journal_begins"

// JournalBegins is the time from which on the journal is complete.
func (t *tx) JournalBegins(ctx context.Context) (time.Time, error) {
	v, err := t.Fact(ctx, factJournalBegins)
	if err != nil || v == "" {
		return time.Time{}, err
	}
	ms, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("fact %s: %w", factJournalBegins, err)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// CompactJournal removes the operations before a time: all entries before the first
// operation that is not, so that none is cut in two.
func (t *tx) CompactJournal(ctx context.Context, before time.Time) (int, error) {
	const firstKept = `SELECT op FROM mutations WHERE device IS NULL AND at >= ? ORDER BY seq LIMIT 1`
	var kept int64
	err := t.row(ctx, firstKept, []any{engram.Clock(0).Tick(before)}, &kept)
	if errors.Is(err, sql.ErrNoRows) {
		// Nothing is younger. The newest operation stays all the same: the clock goes on from it.
		err = t.row(ctx, `SELECT coalesce(max(op), 0) FROM mutations`, nil, &kept)
	}
	if err != nil {
		return 0, fmt.Errorf("compact journal: %w", err)
	}
	res, err := t.exec(ctx, `DELETE FROM mutations WHERE seq < ?`, kept)
	if err != nil {
		return 0, fmt.Errorf("compact journal: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return 0, err
	}
	begins, err := t.JournalBegins(ctx)
	if err != nil {
		return 0, err
	}
	if begins.After(before) { // the clock was ahead then: what went stays gone
		before = begins
	}
	return int(n), t.PutFact(ctx, factJournalBegins, strconv.FormatInt(before.UnixMilli(), 10))
}

// Fact returns a fact about the store.
func (t *tx) Fact(ctx context.Context, name string) (string, error) {
	var v string
	err := t.row(ctx, `SELECT value FROM meta WHERE key = ?`, []any{name}, &v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return v, err
}

// PutFact keeps a fact about the store.
func (t *tx) PutFact(ctx context.Context, name, value string) error {
	_, err := t.exec(ctx, `INSERT INTO meta (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, name, value)
	if err != nil {
		return fmt.Errorf("keep fact %s: %w", name, err)
	}
	return nil
}
