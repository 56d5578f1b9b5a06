package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

// dayOf is a day as the table has it: how many there were since 1970, UTC.
func dayOf(t time.Time) int64 {
	s, day := t.Unix(), int64(24*60*60)
	if s < 0 {
		s -= day - 1
	}
	return s / day
}

// AddCounters adds to what was counted.
func (t *tx) AddCounters(ctx context.Context, cs []engram.Counter) error {
	const query = `INSERT INTO counters (day, project, verb, outcome, events, fallbacks, memories, tokens) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (day, project, verb, outcome) DO UPDATE SET events = events + excluded.events,
		fallbacks = fallbacks + excluded.fallbacks, memories = memories + excluded.memories, tokens = tokens + excluded.tokens`
	for _, c := range cs {
		project, _, err := t.knownProject(ctx, c.Project)
		if err != nil {
			return err
		}
		if _, err := t.exec(ctx, query, dayOf(c.Day), project, c.Verb, c.Outcome, c.Events, c.Fallbacks, c.Memories, c.Tokens); err != nil {
			return fmt.Errorf("count: %w", err)
		}
	}
	return nil
}

// Counters returns what was counted; the days of a range are a range of the table.
func (t *tx) Counters(ctx context.Context, q engram.CounterQuery) ([]engram.Counter, error) {
	day, project := "-1", "''"
	if q.ByDay {
		day = "c.day"
	}
	if q.ByProject {
		project = "p.name"
	}
	query := `SELECT ` + day + `, ` + project + `, c.verb, c.outcome, sum(c.events), sum(c.fallbacks), sum(c.memories), sum(c.tokens)
		FROM counters c JOIN projects p ON p.num = c.project WHERE c.day >= ? AND (?2 < 0 OR c.project = ?2)
		GROUP BY 1, 2, c.verb, c.outcome ORDER BY 1, 2, c.verb, c.outcome`
	num, none, err := t.whole(ctx, q.Project)
	if err != nil || none {
		return nil, err
	}
	from := int64(0)
	if !q.Since.IsZero() {
		from = dayOf(q.Since)
	}
	return list(ctx, t, "read counters", query, []any{from, num}, func(s scanner) (engram.Counter, error) {
		var c engram.Counter
		var day int64
		err := s.Scan(&day, &c.Project, &c.Verb, &c.Outcome, &c.Events, &c.Fallbacks, &c.Memories, &c.Tokens)
		if q.ByDay {
			c.Day = time.Unix(day*24*60*60, 0).UTC()
		}
		return c, err
	})
}

// moveCounters adds what was counted of one project to another's.
func (t *tx) moveCounters(ctx context.Context, source, target int64) error {
	for _, query := range []string{
		`INSERT INTO counters (day, project, verb, outcome, events, fallbacks, memories, tokens)
			SELECT day, ?1, verb, outcome, events, fallbacks, memories, tokens FROM counters WHERE project = ?2
			ON CONFLICT (day, project, verb, outcome) DO UPDATE SET events = events + excluded.events,
			fallbacks = fallbacks + excluded.fallbacks, memories = memories + excluded.memories, tokens = tokens + excluded.tokens`,
		`DELETE FROM counters WHERE project = ?2 AND ?1 <> ?2`,
	} {
		if _, err := t.exec(ctx, query, target, source); err != nil {
			return fmt.Errorf("move counters: %w", err)
		}
	}
	return nil
}

// madeSQL and madeInSQL are served by memories_recent and memories_project_recent.
const (
	madeSQL   = `SELECT count(*) FROM memories WHERE deleted_at IS NULL AND created_at >= ?1 AND created_at < ?2`
	madeInSQL = madeSQL + ` AND project = ?3`
)

// MadeBetween counts live memories by when they were made.
func (t *tx) MadeBetween(ctx context.Context, project string, edges []time.Time) ([]int, error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return make([]int, max(0, len(edges)-1)), err
	}
	query := madeSQL
	if project != "" {
		query = madeInSQL
	}
	var counts []int
	for i := range max(0, len(edges)-1) {
		args := []any{millis(edges[i]), millis(edges[i+1])}
		if project != "" {
			args = append(args, num)
		}
		n := 0
		if err := t.row(ctx, query, args, &n); err != nil {
			return nil, fmt.Errorf("count memories by time: %w", err)
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// SessionsSince counts sessions that were started at a time or later. They are few
// beside memories, and no index is worth what it would cost each of them.
func (t *tx) SessionsSince(ctx context.Context, project string, since time.Time) (n int, err error) {
	query := `SELECT count(*) FROM sessions WHERE num <> 0 AND started_at >= ?1 AND (?2 < 0 OR project = ?2)` + t.hidden.and("project")
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return 0, err
	}
	from := int64(0)
	if !since.IsZero() {
		from = since.UnixMilli()
	}
	if err := t.row(ctx, query, []any{from, num}, &n); err != nil {
		return 0, fmt.Errorf("count sessions: %w", err)
	}
	return n, nil
}
