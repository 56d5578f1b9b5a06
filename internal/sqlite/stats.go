package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// pendingRelationsSQL counts the relations of forgotten memories, which do not count until a memory is
// restored. Forgotten memories are few; joining every relation to its memories took half a second per
// 100,000, and every session's context needs the counts. INDEXED BY keeps the planner from starting with
// the relations.
const pendingRelationsSQL = `SELECT count(*) FROM (
	SELECT r.num, r.source FROM memories m INDEXED BY memories_forgotten CROSS JOIN relations r INDEXED BY relations_source
		ON r.source = m.num WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL
	UNION SELECT r.num, r.source FROM memories m INDEXED BY memories_forgotten CROSS JOIN relations r INDEXED BY relations_target
		ON r.target = m.num WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL)`

// A project's relations are those from its live memories to live memories.
const (
	projectRelationsSQL = `SELECT count(*) FROM relations WHERE removed_at IS NULL
		AND source IN (SELECT num FROM memories INDEXED BY memories_project_recent WHERE project = ? AND deleted_at IS NULL)`
	// otherRelationsSQL counts the other relations, for a project with most of the memories: each memory
	// costs an index look-up.
	otherRelationsSQL = `SELECT (SELECT count(*) FROM relations WHERE removed_at IS NULL
			AND source IN (SELECT num FROM memories INDEXED BY memories_project_recent WHERE project <> ? AND deleted_at IS NULL))
		+ (SELECT count(*) FROM memories m INDEXED BY memories_forgotten CROSS JOIN relations r INDEXED BY relations_source
			ON r.source = m.num WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL)`
	// projectPendingSQL counts the project's relations to forgotten memories.
	projectPendingSQL = `SELECT count(*) FROM memories m INDEXED BY memories_forgotten CROSS JOIN relations r INDEXED BY relations_target
		ON r.target = m.num CROSS JOIN memories s ON s.num = r.source
		WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL AND s.deleted_at IS NULL AND s.project = ?`
	liveMemoriesSQL  = `SELECT coalesce(sum(live), 0) FROM tallies`
	liveRelationsSQL = `SELECT count(*) FROM relations WHERE removed_at IS NULL`
)

// Stats counts everything, or one project's part.
func (t *tx) Stats(ctx context.Context, project string) (engram.Stats, error) {
	st := engram.Stats{Types: map[engram.Type]int{}}
	in, args := "", []any(nil)
	if project != "" {
		num, err := t.projectNum(ctx, project)
		if err != nil {
			return st, err
		}
		in, args = " AND project = ?", []any{num}
	}
	var err error
	if st.Types, err = sqlrow.Pairs[engram.Type, int](ctx, t, `SELECT type, sum(live) FROM tallies WHERE live > 0`+in+` GROUP BY type`, args...); err != nil {
		return st, fmt.Errorf("count memories: %w", err)
	}
	for _, n := range st.Types {
		st.Memories += n
	}
	for _, c := range []struct {
		query string
		into  *int
	}{
		{`SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL` + in, &st.Forgotten},
		{`SELECT count(*) FROM sessions WHERE num <> 0` + in + t.hidden.and("project"), &st.Sessions},
		{`SELECT count(*) FROM prompts WHERE deleted_at IS NULL` + in, &st.Prompts},
	} {
		if err := t.Row(ctx, c.query, args, c.into); err != nil {
			return st, fmt.Errorf("count: %w", err)
		}
	}
	if st.Relations, err = t.countRelations(ctx, args, st.Memories); err != nil {
		return st, fmt.Errorf("count relations: %w", err)
	}
	if st.Projects, err = sqlrow.Column[string](ctx, t, `SELECT name FROM projects WHERE num <> 0`+t.hidden.and("num")+` ORDER BY name`); err != nil {
		return st, err
	}
	var pages, size int64
	if err := t.Row(ctx, `SELECT page_count, page_size FROM pragma_page_count, pragma_page_size`, nil, &pages, &size); err != nil {
		return st, fmt.Errorf("size of the database: %w", err)
	}
	st.Bytes = pages * size
	return st, nil
}

// countRelations counts the relations of a project, given the number of its live memories, or all
// relations without a project.
func (t *tx) countRelations(ctx context.Context, project []any, memories int) (int, error) {
	var err error
	count := func(query string, args ...any) (n int) {
		if err == nil {
			err = t.Row(ctx, query, args, &n)
		}
		return n
	}
	var n int
	if len(project) == 0 {
		n = count(liveRelationsSQL) - count(pendingRelationsSQL)
	} else if memories <= count(liveMemoriesSQL)/2 {
		n = count(projectRelationsSQL, project...) - count(projectPendingSQL, project...)
	} else {
		n = count(liveRelationsSQL) - count(otherRelationsSQL, project...) - count(projectPendingSQL, project...)
	}
	return n, err
}

// dayOf returns the number of days since 1970, UTC.
func dayOf(t time.Time) int64 {
	s, day := t.Unix(), int64(24*60*60)
	if s < 0 {
		s -= day - 1
	}
	return s / day
}

const addCounters = ` ON CONFLICT (day, project, verb, outcome) DO UPDATE SET events = events + excluded.events,
	fallbacks = fallbacks + excluded.fallbacks, memories = memories + excluded.memories, tokens = tokens + excluded.tokens`

func (t *tx) addCounters(ctx context.Context, cs []engram.Counter) error {
	const query = `INSERT INTO counters (day, project, verb, outcome, events, fallbacks, memories, tokens) VALUES (?,?,?,?,?,?,?,?)` + addCounters
	for _, c := range cs {
		project, _, err := t.knownProject(ctx, c.Project)
		if err != nil {
			return err
		}
		if err := t.Run(ctx, query, dayOf(c.Day), project, c.Operation, c.Outcome, c.Events, c.Fallbacks, c.Memories, c.Tokens); err != nil {
			return fmt.Errorf("count: %w", err)
		}
	}
	return nil
}

// Counters returns counters; a range of days is a range of the table.
func (t *tx) Counters(ctx context.Context, q engram.CounterQuery) ([]engram.Counter, error) {
	day, project := "-1", "''"
	if q.ByDay {
		day = "c.day"
	}
	if q.ByProject {
		project = "p.name"
	}
	query := `SELECT ` + day + `, ` + project + `, c.verb, c.outcome, sum(c.events), sum(c.fallbacks), sum(c.memories), sum(c.tokens)
		FROM counters c JOIN projects p ON p.num = c.project WHERE c.day >= ?2 AND (?1 < 0 OR c.project = ?1)
		GROUP BY 1, 2, c.verb, c.outcome ORDER BY 1, 2, c.verb, c.outcome`
	from := int64(0)
	if !q.Since.IsZero() {
		from = dayOf(q.Since)
	}
	return listIn(ctx, t, "read counters", query, q.Project, []any{from}, func(s sqlrow.Scanner) (c engram.Counter, err error) {
		var day int64
		err = s.Scan(&day, &c.Project, &c.Operation, &c.Outcome, &c.Events, &c.Fallbacks, &c.Memories, &c.Tokens)
		if q.ByDay {
			c.Day = time.Unix(day*24*60*60, 0).UTC()
		}
		return c, err
	})
}

// moveCounters adds the counters of one project to another's.
func (t *tx) moveCounters(ctx context.Context, source, target int64) error {
	err := t.RunAll(ctx, conn.With(`INSERT INTO counters (day, project, verb, outcome, events, fallbacks, memories, tokens)
		SELECT day, ?1, verb, outcome, events, fallbacks, memories, tokens FROM counters WHERE project = ?2`+addCounters, target, source),
		conn.With(`DELETE FROM counters WHERE project = ?2 AND ?1 <> ?2`, target, source))
	return sqlrow.Doing(err, "move counters")
}

// madeSQL and madeInSQL are served by memories_recent and memories_project_recent.
const (
	madeSQL   = `SELECT count(*) FROM memories WHERE deleted_at IS NULL AND created_at >= ?1 AND created_at < ?2`
	madeInSQL = madeSQL + ` AND project = ?3`
)

// MadeBetween counts live memories by creation time.
func (t *tx) MadeBetween(ctx context.Context, project string, edges []time.Time) ([]int, error) {
	counts := make([]int, max(0, len(edges)-1))
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return counts, err
	}
	for i := range counts {
		query, args := madeSQL, []any{sqlrow.Millis(edges[i]), sqlrow.Millis(edges[i+1])}
		if project != "" {
			query, args = madeInSQL, append(args, num)
		}
		if err := t.Row(ctx, query, args, &counts[i]); err != nil {
			return nil, fmt.Errorf("count memories by time: %w", err)
		}
	}
	return counts, nil
}

// Tallies count the live memories of all times; with a start time the memories are scanned. Forgotten
// memories are few.
const (
	tallyByTypeSQL    = `SELECT type, sum(live), 0 FROM tallies WHERE live > 0 AND (?1 < 0 OR project = ?1) AND ?2 IS NULL GROUP BY type`
	tallyByProjectSQL = `SELECT p.name, sum(t.live), 0 FROM tallies t JOIN projects p ON p.num = t.project WHERE t.live > 0 AND (?1 < 0 OR t.project = ?1) AND ?2 IS NULL GROUP BY t.project`
	sinceByTypeSQL    = `SELECT m.type, count(*), 0 FROM memories m WHERE m.deleted_at IS NULL AND m.created_at >= ?2 AND (?1 < 0 OR m.project = ?1) GROUP BY m.type`
	sinceByProjectSQL = `SELECT p.name, count(*), 0 FROM memories m JOIN projects p ON p.num = m.project
		WHERE m.deleted_at IS NULL AND m.created_at >= ?2 AND (?1 < 0 OR m.project = ?1) GROUP BY m.project`
	forgottenByTypeSQL    = `SELECT m.type, 0, count(*) FROM memories m WHERE m.deleted_at IS NOT NULL AND (?2 IS NULL OR m.created_at >= ?2) AND (?1 < 0 OR m.project = ?1) GROUP BY m.type`
	forgottenByProjectSQL = `SELECT p.name, 0, count(*) FROM memories m JOIN projects p ON p.num = m.project
		WHERE m.deleted_at IS NOT NULL AND (?2 IS NULL OR m.created_at >= ?2) AND (?1 < 0 OR m.project = ?1) GROUP BY m.project`
)

// MemoriesBy counts memories by type or project.
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
	query := `SELECT name, sum(live), sum(forgotten) FROM (SELECT '' AS name, 0 AS live, 0 AS forgotten WHERE 0 UNION ALL ` + live + ` UNION ALL ` + forgotten + `)
		GROUP BY name ORDER BY sum(live) DESC, name`
	return listIn(ctx, t, fmt.Sprintf("count memories by %s", by), query, project, []any{sqlrow.Millis(since)}, func(s sqlrow.Scanner) (g engram.GroupCount, err error) {
		err = s.Scan(&g.Name, &g.Memories, &g.Forgotten)
		return g, err
	})
}

// CountRevisions counts earlier versions of memories.
func (t *tx) CountRevisions(ctx context.Context, project string) (n int, err error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return 0, err
	}
	query, args := `SELECT count(*) FROM revisions`, []any(nil)
	if project != "" {
		query, args = `SELECT count(*) FROM revisions r CROSS JOIN memories m ON m.num = r.memory WHERE m.project = ?`, []any{num}
	}
	err = t.Row(ctx, query, args, &n)
	return n, sqlrow.Doing(err, "count revisions")
}
