package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// vitalColumns is what Vitals reads: none of the texts, whose pages would have to be read
// for every memory there is.
const vitalColumns = `m.num, (SELECT name FROM projects WHERE num = m.project), m.scope, m.type, m.importance, m.strength, m.touched_at,
	m.permanent, m.access_count, m.last_accessed_at, m.created_at, m.updated_at, m.review_after, m.valid_from, m.valid_to,
	m.last_seen_at, m.deleted_at`

// Vitals calls each with the outline of every memory that passes f.
func (t *tx) Vitals(ctx context.Context, f engram.Filter, each func(engram.Memory) bool) error {
	c, order, err := t.listed(ctx, f)
	if err != nil || c == nil {
		return err
	}
	return t.vitals(ctx, c, order, each)
}

// Sample takes memories by their numbers, which are given in the order of saving.
func (t *tx) Sample(ctx context.Context, project string, most int, each func(engram.Memory)) error {
	c, order, err := t.listed(ctx, engram.Filter{Project: project})
	if err != nil || c == nil {
		return err
	}
	of := ""
	if project != "" {
		of = " AND project = ?" // the one argument that the conditions have
	}
	var live int
	if err := t.row(ctx, `SELECT coalesce(sum(live), 0) FROM tallies WHERE live > 0`+of, c.args, &live); err != nil {
		return fmt.Errorf("count memories: %w", err)
	}
	if step := (live + most - 1) / most; step > 1 {
		c.add("m.num % ? = 0", step) // the index has the numbers: what falls out is not read
	}
	return t.vitals(ctx, c, order, func(m engram.Memory) bool {
		each(m)
		return true
	})
}

func (t *tx) vitals(ctx context.Context, c *conditions, order string, each func(engram.Memory) bool) error {
	query := `SELECT ` + vitalColumns + ` FROM ` + c.from() + ` WHERE ` + strings.Join(c.where, " AND ") + ` ORDER BY ` + order
	err := t.rows(ctx, query, c.args, func(s scanner) error {
		var m engram.Memory
		err := s.Scan(&m.Num, &m.Project, &m.Scope, &m.Type, &m.Importance, &m.Strength, instant{&m.TouchedAt}, &m.Permanent, &m.AccessCount,
			instant{&m.LastAccessedAt}, instant{&m.CreatedAt}, instant{&m.UpdatedAt}, instant{&m.ReviewAfter},
			instant{&m.ValidFrom}, instant{&m.ValidTo}, instant{&m.LastSeenAt}, instant{&m.DeletedAt})
		if err == nil && !each(m) {
			return errStop
		}
		return err
	})
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("read vitals: %w", err)
	}
	return nil
}

// dueSQL is served by memories_review.
const dueSQL = `SELECT ` + memoryColumns + ` FROM memories m
	WHERE m.review_after IS NOT NULL AND m.review_after < ?1 AND m.deleted_at IS NULL AND (?2 < 0 OR m.project = ?2)
	AND NOT ` + supersededSQL + ` ORDER BY m.review_after, m.num LIMIT ?3 OFFSET ?4`

// Due returns the live memories whose review was due before a time.
func (t *tx) Due(ctx context.Context, project string, before time.Time, p engram.Page) ([]engram.Memory, error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return t.memories(ctx, dueSQL, millis(before), num, p.Limit, p.Offset)
}

// shownBySQL is served by uses_session.
const shownBySQL = `SELECT DISTINCT memory FROM uses WHERE session = ? AND memory IN (SELECT value FROM json_each(?))
	AND verb IN (SELECT value FROM json_each(?)) ORDER BY memory`

// ShownBy returns those of the memories that the session was shown by one of the verbs.
func (t *tx) ShownBy(ctx context.Context, session string, verbs []string, nums []int64) ([]int64, error) {
	num, err := t.sessionNum(ctx, session)
	if err != nil {
		return nil, err
	}
	return t.useNums(ctx, shownBySQL, num, jsonNums(nums), jsonText(verbs))
}
