package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
)

const mutationColumns = `j.seq, j.op, j.at, coalesce(j.device, (SELECT value FROM meta WHERE key = 'device')), j.actor, j.verb,
	j.entity, j.key, (SELECT name FROM projects WHERE num = j.project), coalesce(j.reason, ''), j.was, coalesce(j.undoes, 0)`

func scanMutation(s scanner) (engram.Mutation, error) {
	var m engram.Mutation
	var project sql.NullString // the project may have been deleted since
	var was sql.NullString
	err := s.Scan(&m.Seq, &m.Op, &m.At, &m.Device, &m.Actor, &m.Verb, &m.Entity, &m.Key, &project, &m.Reason, &was, &m.Undoes)
	m.Project = project.String
	if was.Valid {
		m.Was = []byte(was.String)
	}
	return m, err
}

// LastMutation returns the newest entry.
func (t *tx) LastMutation(ctx context.Context) (engram.Mutation, error) {
	const query = `SELECT ` + mutationColumns + ` FROM mutations j ORDER BY j.seq DESC LIMIT 1`
	s, err := t.conn.stmt(ctx, query)
	if err != nil {
		return engram.Mutation{}, err
	}
	m, err := scanMutation(s.QueryRowContext(ctx))
	if errors.Is(err, sql.ErrNoRows) {
		return engram.Mutation{}, nil
	}
	return m, err
}

// Mutations returns entries, newest first; those of one thing are served by mutations_key.
func (t *tx) Mutations(ctx context.Context, entity engram.Entity, key string, p engram.Page) ([]engram.Mutation, error) {
	query, args := `SELECT `+mutationColumns+` FROM mutations j ORDER BY j.seq DESC LIMIT ? OFFSET ?`, []any{p.Limit, p.Offset}
	if entity != "" {
		query = `SELECT ` + mutationColumns + ` FROM mutations j WHERE j.key = ? AND j.entity = ? ORDER BY j.seq DESC LIMIT ? OFFSET ?`
		args = append([]any{journalKey(entity, key), entity}, args...)
	}
	return list(ctx, t, "read journal", query, args, scanMutation)
}

// spanSQL walks back through the journal; moves between projects are looked for by
// everything that asks about the past, and are served by mutations_project.
const (
	spanSQL     = `SELECT ` + mutationColumns + ` FROM mutations j WHERE j.entity = ?1` + spanRest
	projectsIn  = `SELECT ` + mutationColumns + ` FROM mutations j WHERE j.entity = 'project' AND j.entity = ?1` + spanRest
	spanRest    = ` AND j.seq > ?2 AND j.seq < ?3 AND (NOT ?4 OR j.was IS NOT NULL) ORDER BY j.seq DESC LIMIT ?5`
	ownFromSQL  = `SELECT seq, at FROM mutations WHERE seq >= ? AND device IS NULL ORDER BY seq LIMIT 1`
	ownUntilSQL = `SELECT seq FROM mutations WHERE seq < ? AND device IS NULL ORDER BY seq DESC LIMIT 1`
)

// MutationsIn returns entries of a span, newest first.
func (t *tx) MutationsIn(ctx context.Context, s engram.JournalSpan, most int) ([]engram.Mutation, error) {
	query, before := spanSQL, s.Before
	if s.Entity == engram.EntityProject {
		query = projectsIn
	}
	if before == 0 {
		before = math.MaxInt64
	}
	return list(ctx, t, "read journal", query, []any{s.Entity, s.After, before, s.Changes, most}, scanMutation)
}

// SeqBefore halves the journal until it has the first own entry of a time or later: an
// index by time would cost every save, and the past is seldom asked for.
func (t *tx) SeqBefore(ctx context.Context, at time.Time) (int64, error) {
	var newest int64
	if err := t.row(ctx, `SELECT coalesce(max(seq), 0) FROM mutations`, nil, &newest); err != nil {
		return 0, fmt.Errorf("read journal: %w", err)
	}
	clock := engram.Clock(0).Tick(at)
	low, high := int64(0), newest+1 // own entries up to low are older than at, those from high on are not
	for low+1 < high {
		middle := low + (high-low)/2
		seq, written := high, engram.Clock(0)
		err := t.row(ctx, ownFromSQL, []any{middle}, &seq, &written)
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && written >= clock:
			high = middle
		case err != nil:
			return 0, fmt.Errorf("read journal: %w", err)
		default:
			low = seq
		}
	}
	var last int64
	err := t.row(ctx, ownUntilSQL, []any{high}, &last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("read journal: %w", err)
	}
	return last, nil
}

const firstMadeSQL = `SELECT key FROM mutations WHERE entity = ? AND seq > ? AND was IS NULL ORDER BY seq LIMIT 1`

// FirstMade returns the key of the first thing of a kind that was made after an entry.
func (t *tx) FirstMade(ctx context.Context, entity engram.Entity, after int64) (string, error) {
	var key string
	err := t.row(ctx, firstMadeSQL, []any{entity, after}, &key)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("read journal: %w", err)
	}
	return key, nil
}

// Append adds an entry to the journal and sets m.Seq; an entry without Op opens one.
func (t *tx) Append(ctx context.Context, m *engram.Mutation) error {
	const query = `INSERT INTO mutations (op, at, actor, verb, entity, key, project, reason, was, undoes) VALUES (?,?,?,?,?,?,?,?,?,?)`
	project, err := t.projectNum(ctx, m.Project)
	if err != nil {
		return err
	}
	var was any
	if m.Was != nil {
		was = string(m.Was)
	}
	res, err := t.exec(ctx, query, m.Op, m.At, m.Actor, m.Verb, m.Entity, journalKey(m.Entity, m.Key), project, orNull(m.Reason), was, orZero(m.Undoes))
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if m.Seq, err = res.LastInsertId(); err != nil || m.Op != 0 {
		return err
	}
	m.Op = m.Seq
	_, err = t.exec(ctx, `UPDATE mutations SET op = seq WHERE seq = ?`, m.Seq)
	return err
}

// emptied takes the old values out of entries, and leaves whether there were any: an entry
// without them says that something was made.
const emptied = `was = CASE WHEN was IS NULL THEN NULL ELSE '{}' END`

// journalKey is the column value of a key: a number where the entity is numbered,
// which takes a third of the room of its digits.
func journalKey(entity engram.Entity, key string) any {
	switch entity {
	case engram.EntityMemory, engram.EntityPrompt, engram.EntityRelation:
		if n, err := strconv.ParseInt(key, 10, 64); err == nil {
			return n
		}
	}
	return key
}
