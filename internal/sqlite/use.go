package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

const usesSQL = `SELECT u.at, s.id, coalesce(p.name, ''), u.verb, coalesce(u.query, ''), coalesce(u.memory, 0), coalesce(u.rank, 0), u.tokens, u.fallback
	FROM uses u JOIN sessions s ON s.num = u.session LEFT JOIN projects p ON p.num = u.project WHERE `

// Uses returns what was shown in a session, oldest first.
func (t *tx) Uses(ctx context.Context, session string, p engram.Page) ([]engram.Use, error) {
	where, args := "1"+t.hidden.and("u.project"), []any{p.Limit, p.Offset}
	if session != "" {
		num, err := t.sessionNum(ctx, session)
		if err != nil {
			return nil, err
		}
		where, args = "u.session = ?", []any{num, p.Limit, p.Offset}
	}
	return list(ctx, t, "read uses", usesSQL+where+" ORDER BY u.num LIMIT ? OFFSET ?", args, func(s scanner) (engram.Use, error) {
		var u engram.Use
		err := s.Scan(instant{&u.At}, &u.SessionID, &u.Project, &u.Verb, &u.Query, &u.Memory, &u.Rank, &u.Tokens, &u.Fallback)
		return u, err
	})
}

// Shown returns the memories that a session was shown; served by uses_session.
func (t *tx) Shown(ctx context.Context, session string) ([]int64, error) {
	const query = `SELECT DISTINCT memory FROM uses WHERE session = ? AND memory IS NOT NULL ORDER BY memory`
	num, err := t.sessionNum(ctx, session)
	if err != nil {
		return nil, err
	}
	return t.useNums(ctx, query, num)
}

// latelySQL looks at the latest uses alone: one that is further back is not of late.
const latelySQL = `SELECT memory FROM (SELECT num, memory, project, verb FROM uses ORDER BY num DESC LIMIT 2000)
	WHERE memory IS NOT NULL AND verb NOT IN ('context', 'remind') AND (?1 < 0 OR project = ?1)%s
	GROUP BY memory ORDER BY max(num) DESC, memory LIMIT ?2`

// LatelyUsed returns memories that were asked for of late.
func (t *tx) LatelyUsed(ctx context.Context, project string, limit int) ([]int64, error) {
	num := int64(-1)
	if project != "" {
		var err error
		num, err = t.projectNum(ctx, project)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	shown := ""
	if t.hidden != nil {
		shown = " AND memory IN (SELECT num FROM memories)"
	}
	return t.useNums(ctx, fmt.Sprintf(latelySQL, shown), num, limit)
}

func (t *tx) useNums(ctx context.Context, query string, args ...any) ([]int64, error) {
	return list(ctx, t, "read uses", query, args, scanOne[int64])
}

// lastingSQL is served by memories_lasting, whose condition it repeats to the letter.
// The index is named because over all projects the planner would rather read them all.
const lastingSQL = `SELECT ` + memoryColumns + ` FROM memories m INDEXED BY memories_lasting
	WHERE deleted_at IS NULL AND (permanent <> 0 OR importance >= 0.7 OR type IN ('preference', 'policy')) AND %s (?2 = '' OR m.scope = ?2)
	ORDER BY m.permanent DESC, m.importance DESC, m.num DESC LIMIT ?3`

// beyondSQL is lastingSQL for a scope beyond single projects, in all of them; it is served by
// memories_beyond.
const beyondSQL = `SELECT ` + memoryColumns + ` FROM memories m INDEXED BY memories_beyond
	WHERE deleted_at IS NULL AND scope <> 'project' AND (permanent <> 0 OR importance >= 0.7 OR type IN ('preference', 'policy')) AND m.scope = ?1
	ORDER BY m.permanent DESC, m.importance DESC, m.num DESC LIMIT ?2`

// Lasting returns the memories that every session should know.
func (t *tx) Lasting(ctx context.Context, project string, scope engram.Scope, limit int) ([]engram.Memory, error) {
	if project == "" && (scope == engram.ScopePersonal || scope == engram.ScopeGlobal) {
		return t.memories(ctx, beyondSQL, scope, limit)
	}
	if project == "" {
		return t.memories(ctx, fmt.Sprintf(lastingSQL, "?1 = 0 AND"), 0, scope, limit)
	}
	num, err := t.projectNum(ctx, project)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return t.memories(ctx, fmt.Sprintf(lastingSQL, "m.project = ?1 AND"), num, scope, limit)
}

// useCountsSQL is served by uses_asked, whose condition it repeats to the letter. The index is
// named because the planner takes it for no better than the one of all uses.
const useCountsSQL = `SELECT memory, count(*), max(at) FROM uses INDEXED BY uses_asked
	WHERE memory IN (SELECT value FROM json_each(?)) AND verb NOT IN ('context', 'remind') GROUP BY memory ORDER BY memory`

// UseCounts returns how often each of the memories was asked for, as far as it was.
func (t *tx) UseCounts(ctx context.Context, nums []int64) (map[int64]engram.UseCount, error) {
	counts := map[int64]engram.UseCount{}
	err := t.rows(ctx, useCountsSQL, []any{jsonNums(nums)}, func(s scanner) error {
		var num int64
		var c engram.UseCount
		err := s.Scan(&num, &c.Count, instant{&c.Last})
		counts[num] = c
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count uses: %w", err)
	}
	return counts, nil
}

// AppendUses adds to what was shown.
func (t *tx) AppendUses(ctx context.Context, us []engram.Use) error {
	// What was erased since it was shown is not brought back by the question it answered.
	const query = `INSERT INTO uses (at, session, project, verb, query, memory, rank, tokens, fallback) SELECT ?1,?2,?3,?4,?5,?6,?7,?8,?9
		WHERE ?6 IS NULL OR EXISTS (SELECT 1 FROM memories WHERE num = ?6)`
	for _, u := range us {
		project, err := t.projectNum(ctx, u.Project)
		if err != nil {
			return err
		}
		session, err := t.sessionNum(ctx, u.SessionID)
		if err != nil {
			return err
		}
		var memory, rank any
		if u.Memory != 0 {
			memory = u.Memory
		}
		if u.Rank > 0 {
			rank = u.Rank
		}
		res, err := t.exec(ctx, query, millis(u.At), session, project, u.Verb, orNull(u.Query), memory, rank, u.Tokens, u.Fallback)
		if err != nil {
			return fmt.Errorf("write use: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			continue
		}
		if num, err := res.LastInsertId(); err == nil && num%pruneEvery == 0 {
			if err := t.pruneUses(ctx, num, u.At); err != nil {
				return err
			}
		}
	}
	return nil
}

// How long what was shown is remembered. Every pruneEvery-th use drops what is over:
// looking each time would cost more than the use.
const (
	keptUses   = 100_000
	keptFor    = 90 * 24 * time.Hour
	pruneEvery = 256
)

// pruneUses drops what is over, newest being the number of the newest. Uses are
// numbered in the order of time, but for clocks that were set back: the age of a
// few of the oldest is looked at, never of all.
func (t *tx) pruneUses(ctx context.Context, newest int64, now time.Time) error {
	for _, s := range []struct {
		query string
		args  []any
	}{
		{`DELETE FROM uses WHERE num <= ?`, []any{newest - keptUses}},
		{`DELETE FROM uses WHERE num IN (SELECT num FROM uses ORDER BY num LIMIT ?) AND at < ?`, []any{4 * pruneEvery, millis(now.Add(-keptFor))}},
	} {
		if _, err := t.exec(ctx, s.query, s.args...); err != nil {
			return fmt.Errorf("drop old uses: %w", err)
		}
	}
	return nil
}
