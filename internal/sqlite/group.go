package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The queries of MemoriesBy: tallies have the live ones of all times at once, of a time
// they are looked at one by one. Of forgotten ones there are few.
const (
	tallyByTypeSQL    = `SELECT type, sum(live), 0 FROM tallies WHERE live > 0 AND (?2 < 0 OR project = ?2) AND ?1 IS NULL GROUP BY type`
	tallyByProjectSQL = `SELECT p.name, sum(t.live), 0 FROM tallies t JOIN projects p ON p.num = t.project WHERE t.live > 0 AND (?2 < 0 OR t.project = ?2) AND ?1 IS NULL GROUP BY t.project`
	sinceByTypeSQL    = `SELECT m.type, count(*), 0 FROM memories m WHERE m.deleted_at IS NULL AND m.created_at >= ?1 AND (?2 < 0 OR m.project = ?2) GROUP BY m.type`
	sinceByProjectSQL = `SELECT p.name, count(*), 0 FROM memories m JOIN projects p ON p.num = m.project
		WHERE m.deleted_at IS NULL AND m.created_at >= ?1 AND (?2 < 0 OR m.project = ?2) GROUP BY m.project`
	forgottenByTypeSQL    = `SELECT m.type, 0, count(*) FROM memories m WHERE m.deleted_at IS NOT NULL AND (?1 IS NULL OR m.created_at >= ?1) AND (?2 < 0 OR m.project = ?2) GROUP BY m.type`
	forgottenByProjectSQL = `SELECT p.name, 0, count(*) FROM memories m JOIN projects p ON p.num = m.project
		WHERE m.deleted_at IS NOT NULL AND (?1 IS NULL OR m.created_at >= ?1) AND (?2 < 0 OR m.project = ?2) GROUP BY m.project`
)

// MemoriesBy counts memories by their type or their project.
func (t *tx) MemoriesBy(ctx context.Context, by engram.Grouping, project string, since time.Time) ([]engram.GroupCount, error) {
	live, forgotten := tallyByTypeSQL, forgottenByTypeSQL
	switch {
	case by == engram.ByProject && since.IsZero():
		live, forgotten = tallyByProjectSQL, forgottenByProjectSQL
	case by == engram.ByProject:
		live, forgotten = sinceByProjectSQL, forgottenByProjectSQL
	case !since.IsZero():
		live = sinceByTypeSQL
	}
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	query := `SELECT name, sum(live), sum(forgotten) FROM (SELECT '' AS name, 0 AS live, 0 AS forgotten WHERE 0 UNION ALL ` + live + ` UNION ALL ` + forgotten + `)
		GROUP BY name ORDER BY sum(live) DESC, name`
	return list(ctx, t, fmt.Sprintf("count memories by %s", by), query, []any{millis(since), num}, func(s scanner) (engram.GroupCount, error) {
		var g engram.GroupCount
		err := s.Scan(&g.Name, &g.Memories, &g.Forgotten)
		return g, err
	})
}

// dueCountSQL counts what dueSQL lists.
const dueCountSQL = `SELECT count(*) FROM memories m
	WHERE m.review_after IS NOT NULL AND m.review_after < ?1 AND m.deleted_at IS NULL AND (?2 < 0 OR m.project = ?2) AND NOT ` + supersededSQL

// Upkeep counts what waits for somebody, and what memories said before.
func (t *tx) Upkeep(ctx context.Context, project string, now time.Time) (u engram.Upkeep, err error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return u, err
	}
	revisions, args := `SELECT count(*) FROM revisions`, []any(nil)
	if project != "" {
		revisions, args = `SELECT count(*) FROM revisions r CROSS JOIN memories m ON m.num = r.memory WHERE m.project = ?`, []any{num}
	}
	if err := t.row(ctx, revisions, args, &u.Revisions); err != nil {
		return u, fmt.Errorf("count revisions: %w", err)
	}
	if err := t.row(ctx, dueCountSQL, []any{millis(now), num}, &u.Due); err != nil {
		return u, fmt.Errorf("count reviews: %w", err)
	}
	return u, nil
}
