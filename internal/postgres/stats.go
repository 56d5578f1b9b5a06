package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// countsOfAllSQL counts forgotten memories, sessions, prompts, and relations whose ends are live, of project ?1 or
// with -1 of all. A project's relations are those from its memories.
const countsOfAllSQL = `SELECT (SELECT count(*) FROM memories WHERE space = $space AND deleted_at IS NOT NULL AND (?1::bigint < 0 OR project = ?1)),
	(SELECT count(*) FROM sessions WHERE space = $space AND num <> 0 AND (?1::bigint < 0 OR project = ?1)%s),
	(SELECT count(*) FROM prompts WHERE space = $space AND deleted_at IS NULL AND (?1::bigint < 0 OR project = ?1)),
	(SELECT count(*) FROM relations r JOIN memories s ON s.space = $space AND s.num = r.source JOIN memories t ON t.space = $space AND t.num = r.target
		WHERE r.space = $space AND r.removed_at IS NULL AND s.deleted_at IS NULL AND t.deleted_at IS NULL AND (?1::bigint < 0 OR s.project = ?1))`

// Stats counts everything, or one project's part. Bytes are not known: tables are shared with other spaces.
func (t *tx) Stats(ctx context.Context, project string) (engram.Stats, error) {
	st := engram.Stats{Types: map[engram.Type]int{}}
	num, err := every, error(nil)
	if project != "" {
		if num, err = t.projectNum(ctx, project); err != nil {
			return st, err
		}
	}
	st.Types, err = sqlrow.Pairs[engram.Type, int](ctx, t, `SELECT type, sum(live)::bigint FROM tallies WHERE space = $space AND live > 0 AND (?1::bigint < 0 OR project = ?1) GROUP BY type`, num)
	if err != nil {
		return st, fmt.Errorf("count memories: %w", err)
	}
	for _, n := range st.Types {
		st.Memories += n
	}
	err = t.Row(ctx, fmt.Sprintf(countsOfAllSQL, t.Off.Among("project")), []any{num}, &st.Forgotten, &st.Sessions, &st.Prompts, &st.Relations)
	if err != nil {
		return st, fmt.Errorf("count: %w", err)
	}
	st.Projects, err = sqlrow.Column[string](ctx, t, `SELECT name FROM projects WHERE space = $space AND num <> 0`+t.Off.Among("num")+` ORDER BY name`)
	return st, err
}

// dayOf returns the number of days since 1970, UTC.
func dayOf(t time.Time) int64 {
	s, day := t.Unix(), int64(24*60*60)
	if s < 0 {
		s -= day - 1
	}
	return s / day
}

const addCounters = ` ON CONFLICT (space, day, project, verb, outcome) DO UPDATE SET events = counters.events + excluded.events,
	fallbacks = counters.fallbacks + excluded.fallbacks, memories = counters.memories + excluded.memories, tokens = counters.tokens + excluded.tokens`

func (t *tx) addCounters(ctx context.Context, cs []engram.Counter) error {
	const query = `INSERT INTO counters (space, day, project, verb, outcome, events, fallbacks, memories, tokens) VALUES ($space,?,?,?,?,?,?,?,?)` + addCounters
	return forAll(cs, func(c engram.Counter) error {
		project, _, err := t.knownProject(ctx, c.Project)
		if err == nil {
			err = t.Run(ctx, query, dayOf(c.Day), project, c.Operation, c.Outcome, c.Events, c.Fallbacks, c.Memories, c.Tokens)
		}
		return sqlrow.Doing(err, "count")
	})
}

// Counters returns counters; a range of days is a range of the table.
func (t *tx) Counters(ctx context.Context, q engram.CounterQuery) ([]engram.Counter, error) {
	day, project := "-1::bigint", "''"
	if q.ByDay {
		day = "c.day"
	}
	if q.ByProject {
		project = "p.name"
	}
	query := `SELECT ` + day + ` AS d, ` + project + ` AS p, c.verb, c.outcome, sum(c.events)::bigint, sum(c.fallbacks)::bigint, sum(c.memories)::bigint, sum(c.tokens)::bigint
		FROM counters c JOIN projects p ON p.space = $space AND p.num = c.project WHERE c.space = $space AND c.day >= ?2 AND (?1::bigint < 0 OR c.project = ?1)
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
	if source == target {
		return nil
	}
	err := t.RunAll(ctx, conn.With(`INSERT INTO counters (space, day, project, verb, outcome, events, fallbacks, memories, tokens)
		SELECT space, day, ?1, verb, outcome, events, fallbacks, memories, tokens FROM counters WHERE space = $space AND project = ?2`+addCounters, target, source),
		conn.With(`DELETE FROM counters WHERE space = $space AND project = ?`, source))
	return sqlrow.Doing(err, "move counters")
}

// madeSQL counts between each two edges, served by memories_recent and memories_project_recent.
const madeSQL = `SELECT (SELECT count(*) FROM memories WHERE space = $space AND deleted_at IS NULL AND created_at >= e.since AND created_at < e.until%s)
	FROM unnest(?1::bigint[], ?2::bigint[]) WITH ORDINALITY AS e (since, until, n) ORDER BY e.n`

// MadeBetween counts live memories by creation time.
func (t *tx) MadeBetween(ctx context.Context, project string, edges []time.Time) ([]int, error) {
	counts := make([]int, max(0, len(edges)-1))
	num, none, err := t.whole(ctx, project)
	if err != nil || none || len(counts) == 0 {
		return counts, err
	}
	since, until := make([]int64, len(counts)), make([]int64, len(counts))
	for i := range counts {
		since[i], until[i] = edges[i].UnixMilli(), edges[i+1].UnixMilli()
	}
	in, args := "", []any{since, until}
	if project != "" {
		in, args = " AND project = ?3", append(args, num)
	}
	counts, err = sqlrow.Column[int](ctx, t, fmt.Sprintf(madeSQL, in), args...)
	return counts, sqlrow.Doing(err, "count memories by time")
}

// Tallies count the live memories of all times; with a start time the memories are scanned. Forgotten memories are
// few.
const (
	tallyByTypeSQL    = `SELECT type AS name, sum(live)::bigint AS live, 0::bigint AS forgotten FROM tallies WHERE space = $space AND live > 0 AND (?1::bigint < 0 OR project = ?1) AND ?2::bigint IS NULL GROUP BY type`
	tallyByProjectSQL = `SELECT p.name, sum(t.live)::bigint AS live, 0::bigint AS forgotten FROM tallies t JOIN projects p ON p.space = $space AND p.num = t.project
		WHERE t.space = $space AND t.live > 0 AND (?1::bigint < 0 OR t.project = ?1) AND ?2::bigint IS NULL GROUP BY p.name`
	sinceByTypeSQL    = `SELECT m.type AS name, count(*) AS live, 0::bigint AS forgotten FROM memories m WHERE m.space = $space AND m.deleted_at IS NULL AND m.created_at >= ?2 AND (?1::bigint < 0 OR m.project = ?1) GROUP BY m.type`
	sinceByProjectSQL = `SELECT p.name, count(*) AS live, 0::bigint AS forgotten FROM memories m JOIN projects p ON p.space = $space AND p.num = m.project
		WHERE m.space = $space AND m.deleted_at IS NULL AND m.created_at >= ?2 AND (?1::bigint < 0 OR m.project = ?1) GROUP BY p.name`
	forgottenByTypeSQL    = `SELECT m.type, 0, count(*) FROM memories m WHERE m.space = $space AND m.deleted_at IS NOT NULL AND (?2::bigint IS NULL OR m.created_at >= ?2) AND (?1::bigint < 0 OR m.project = ?1) GROUP BY m.type`
	forgottenByProjectSQL = `SELECT p.name, 0, count(*) FROM memories m JOIN projects p ON p.space = $space AND p.num = m.project
		WHERE m.space = $space AND m.deleted_at IS NOT NULL AND (?2::bigint IS NULL OR m.created_at >= ?2) AND (?1::bigint < 0 OR m.project = ?1) GROUP BY p.name`
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
	query := `SELECT name, sum(live)::bigint, sum(forgotten)::bigint FROM (` + live + ` UNION ALL ` + forgotten + `) g GROUP BY name ORDER BY 2 DESC, 1`
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
	query, args := `SELECT count(*) FROM revisions WHERE space = $space`, []any(nil)
	if project != "" {
		query, args = `SELECT count(*) FROM revisions r JOIN memories m ON m.space = $space AND m.num = r.memory WHERE r.space = $space AND m.project = ?`, []any{num}
	}
	err = t.Row(ctx, query, args, &n)
	return n, sqlrow.Doing(err, "count revisions")
}
