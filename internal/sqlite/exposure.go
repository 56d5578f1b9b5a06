package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

const usesSQL = `SELECT u.at, s.id, coalesce(p.name, ''), u.verb, coalesce(u.query, ''), coalesce(u.memory, 0), coalesce(u.rank, 0), u.tokens, u.fallback
	FROM uses u JOIN sessions s ON s.num = u.session LEFT JOIN projects p ON p.num = u.project WHERE `

// Exposures returns the exposures of a session, oldest first.
func (t *tx) Exposures(ctx context.Context, session string, p engram.Page) ([]engram.Exposure, error) {
	where, args := "1"+t.hidden.and("u.project"), []any{p.Limit, p.Offset}
	if session != "" {
		num, err := t.sessionNum(ctx, session)
		if err != nil {
			return nil, err
		}
		where, args = "u.session = ?", []any{num, p.Limit, p.Offset}
	}
	return sqlrow.List(ctx, t, "read exposures", usesSQL+where+" ORDER BY u.num LIMIT ? OFFSET ?", args, func(s sqlrow.Scanner) (engram.Exposure, error) {
		var u engram.Exposure
		err := s.Scan(conn.Instant{Time: &u.At}, &u.SessionID, &u.Project, &u.Operation, &u.Query, &u.Memory, &u.Rank, &u.Tokens, &u.Fallback)
		return u, err
	})
}

// Shown returns the memories shown to a session, served by uses_session.
func (t *tx) Shown(ctx context.Context, session string, operations []string, nums []int64) ([]int64, error) {
	num, err := t.sessionNum(ctx, session)
	if err != nil {
		return nil, err
	}
	c := sqlrow.Query{From: "uses", Order: "memory"}
	c.Add("session = ? AND memory IS NOT NULL", num)
	if nums != nil {
		c.Add("memory IN (SELECT value FROM json_each(?))", conn.JSONNums(nums))
	}
	if operations != nil {
		c.Add("verb IN (SELECT value FROM json_each(?))", jsonText(operations))
	}
	return sqlrow.List(ctx, t, "read exposures", c.Select("DISTINCT memory"), c.Args, sqlrow.One[int64])
}

// latelySQL considers the newest 2,000 exposures only.
const latelySQL = `SELECT memory FROM (SELECT num, memory, project, verb FROM uses ORDER BY num DESC LIMIT 2000)
	WHERE memory IS NOT NULL AND verb NOT IN ('context', 'remind') AND (?1 < 0 OR project = ?1)%s
	GROUP BY memory ORDER BY max(num) DESC, memory LIMIT ?2`

// LatelyUsed returns the most recently requested memories.
func (t *tx) LatelyUsed(ctx context.Context, project string, limit int) ([]int64, error) {
	shown := ""
	if t.hidden != nil {
		shown = " AND memory IN (SELECT num FROM memories)"
	}
	return listIn(ctx, t, "read exposures", fmt.Sprintf(latelySQL, shown), project, []any{limit}, sqlrow.One[int64])
}

// askedSQL is served by uses_asked, whose condition it repeats literally. The index is named because the planner does
// not prefer it.
const askedSQL = ` FROM uses INDEXED BY uses_asked WHERE memory = asked.value AND verb NOT IN ('context', 'remind')`

// useCountsSQL sorts nothing, and most memories were never requested.
const useCountsSQL = `SELECT asked.value, (SELECT count(*)` + askedSQL + `), (SELECT max(at)` + askedSQL + `)
	FROM json_each(?) AS asked WHERE EXISTS (SELECT 1` + askedSQL + `)`

// ExposureCounts returns how often each of the memories was requested, without those never requested.
func (t *tx) ExposureCounts(ctx context.Context, nums []int64) (map[int64]engram.ExposureCount, error) {
	counts := map[int64]engram.ExposureCount{}
	err := t.keyed.Rows(ctx, useCountsSQL, []any{conn.JSONNums(nums)}, func(s sqlrow.Scanner) error {
		var num int64
		var c engram.ExposureCount
		err := s.Scan(&num, &c.Count, conn.Instant{Time: &c.Last})
		counts[num] = c
		return err
	})
	return counts, sqlrow.Doing(err, "count exposures")
}

// RecordUse counts accesses and adds exposures and counters.
func (t *tx) RecordUse(ctx context.Context, u engram.Use) error {
	if len(u.Accessed) > 0 {
		if err := t.countAccess(ctx, u.Accessed, u.At); err != nil {
			return err
		}
	}
	if err := t.appendExposures(ctx, u.Exposures); err != nil {
		return err
	}
	return t.addCounters(ctx, u.Counters)
}

// appendSQL adds exposures that differ in what was shown, as [memory, rank, tokens]. The WHERE drops those of memories
// erased meanwhile, so that their query is not stored again.
const appendSQL = `INSERT INTO uses (at, session, project, verb, query, fallback, memory, rank, tokens)
	SELECT ?1, ?2, ?3, ?4, ?5, ?6, nullif(value ->> 0, 0), nullif(value ->> 1, 0), value ->> 2 FROM json_each(?7)
	WHERE value ->> 0 = 0 OR EXISTS (SELECT 1 FROM memories WHERE num = value ->> 0)`

// appendExposures adds those of one answer with one statement: a session starts with two dozen.
func (t *tx) appendExposures(ctx context.Context, us []engram.Exposure) error {
	for len(us) > 0 {
		of := us[0]
		shown := make([][3]int64, 0, len(us))
		for len(us) > 0 && alike(us[0], of) {
			shown, us = append(shown, [3]int64{us[0].Memory, int64(max(us[0].Rank, 0)), int64(us[0].Tokens)}), us[1:]
		}
		at, err := t.homeIn(ctx, of.Project, of.SessionID)
		if err != nil {
			return err
		}
		list, err := json.Marshal(shown)
		if err != nil {
			return err
		}
		res, err := t.Exec(ctx, appendSQL, sqlrow.Millis(of.At), at.Session, at.Project, of.Operation, sqlrow.OrNull(of.Query), of.Fallback, string(list))
		if err != nil {
			return fmt.Errorf("write exposures: %w", err)
		}
		added, err := res.RowsAffected()
		if err != nil || added == 0 {
			continue
		}
		if num, err := res.LastInsertId(); err == nil && num%pruneEvery < added {
			if err := t.pruneUses(ctx, num, of.At); err != nil {
				return err
			}
		}
	}
	return nil
}

// alike reports whether exposures are of one answer.
func alike(a, b engram.Exposure) bool {
	a.Memory, a.Rank, a.Tokens = b.Memory, b.Rank, b.Tokens
	return a == b
}

// Retention of exposures. Every pruneEvery-th insert drops old ones: checking each time would cost more
// than the insert.
const (
	keptUses   = 100_000
	keptFor    = 90 * 24 * time.Hour
	pruneEvery = 256
)

// pruneUses drops old exposures, given the number of the newest. Numbers follow time except after clock
// changes, so it checks the age of a few of the lowest numbers only.
func (t *tx) pruneUses(ctx context.Context, newest int64, now time.Time) error {
	err := t.RunAll(ctx, conn.With(`DELETE FROM uses WHERE num <= ?`, newest-keptUses),
		conn.With(`DELETE FROM uses WHERE num IN (SELECT num FROM uses ORDER BY num LIMIT ?) AND at < ?`, 4*pruneEvery, sqlrow.Millis(now.Add(-keptFor))))
	return sqlrow.Doing(err, "drop old exposures")
}

// ownSQL is true if session s has a personal memory, forgotten or not.
const ownSQL = `(EXISTS (SELECT 1 FROM memories o WHERE o.session = s.num AND o.deleted_at IS NULL AND o.scope = 'personal')
	OR EXISTS (SELECT 1 FROM memories o WHERE o.session = s.num AND o.deleted_at IS NOT NULL AND o.scope = 'personal'))`

// reportedSQL selects the sessions with a memory or prompt that may be reported to other replicas, by
// memories_session, memories_session_forgotten and prompts_session. Memories hidden by the undo of an
// import do not count as forgotten. Prompts of sessions with personal memories are personal. Without the
// plus, keys would be compared as numbers, which no index serves.
const reportedSQL = `SELECT s.id FROM json_each(?1) a CROSS JOIN sessions s ON s.id = a.value WHERE EXISTS
	(SELECT 1 FROM memories m WHERE m.session = s.num AND m.deleted_at IS NULL AND m.scope <> 'personal' AND (?2 < 0 OR m.project = ?2))
	OR EXISTS
	(SELECT 1 FROM memories m WHERE m.session = s.num AND m.deleted_at IS NOT NULL AND m.scope <> 'personal' AND (?2 < 0 OR m.project = ?2)
	AND (EXISTS (SELECT 1 FROM carried c WHERE c.entity = ?3 AND c.key = +m.num)
		OR EXISTS (SELECT 1 FROM lineages l WHERE l.entity = ?3 AND l.key = +m.num AND l.held ->> 'deleted' = '0001-01-01T00:00:00Z'))
	AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.entity = 'memory' AND t.name = m.sync_id
		AND (NOT t.bound OR t.project = (SELECT name FROM projects WHERE num = m.project))))
	OR NOT ` + ownSQL + ` AND EXISTS
	(SELECT 1 FROM prompts p WHERE p.session = s.num AND (?2 < 0 OR p.project = ?2)
	AND (p.deleted_at IS NULL OR EXISTS (SELECT 1 FROM carried c WHERE c.entity = ?4 AND c.key = +p.num)
		OR EXISTS (SELECT 1 FROM lineages l WHERE l.entity = ?4 AND l.key = +p.num AND l.held ->> 'deleted' = '0001-01-01T00:00:00Z'))
	AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.entity = 'prompt' AND t.name = p.sync_id
		AND (NOT t.bound OR t.project = (SELECT name FROM projects WHERE num = p.project))))`

// Reported returns those of the sessions that have something that may be reported.
func (t *tx) Reported(ctx context.Context, sessions []string, project string) (map[string]bool, error) {
	in, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return t.set(ctx, reportedSQL, jsonText(sessions), in, sqlrow.KindNum(engram.EntityMemory), sqlrow.KindNum(engram.EntityPrompt))
}

// Owned returns those of the sessions that have a personal memory.
func (t *tx) Owned(ctx context.Context, sessions []string) (map[string]bool, error) {
	const query = `SELECT s.id FROM json_each(?1) a CROSS JOIN sessions s ON s.id = a.value WHERE ` + ownSQL
	return t.set(ctx, query, jsonText(sessions))
}

// set reads a column of texts as a set.
func (t *tx) set(ctx context.Context, query string, args ...any) (map[string]bool, error) {
	ids, err := sqlrow.Column[string](ctx, t, query, args...)
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set, err
}

// topicsSQL is served by memories_topic, in the order of the keys.
const topicsSQL = `SELECT DISTINCT topic_key FROM memories WHERE topic_key IS NOT NULL AND deleted_at IS NULL
	AND topic_key >= ?2 AND topic_key < ?3 AND (?1 < 0 OR project = ?1) ORDER BY topic_key LIMIT ?4`

// Topics returns the topic keys with a prefix.
func (t *tx) Topics(ctx context.Context, project, prefix string, most int) ([]string, error) {
	return listIn(ctx, t, "read topics", topicsSQL, project, []any{prefix, prefix + string(utf8.MaxRune), most}, sqlrow.One[string])
}
