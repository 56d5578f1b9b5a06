package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

const usesSQL = `SELECT u.at, s.id, coalesce(p.name, ''), u.verb, u.query, u.memory, u.rank, u.tokens, u.fallback
	FROM uses u JOIN sessions s ON s.space = $space AND s.num = u.session LEFT JOIN projects p ON p.space = $space AND p.num = u.project WHERE u.space = $space`

// Exposures returns the exposures of a session, oldest first.
func (t *tx) Exposures(ctx context.Context, session string, p engram.Page) ([]engram.Exposure, error) {
	where, args := t.Off.Among("u.project"), []any{p.Limit, p.Offset}
	if session != "" {
		num, err := t.sessionNum(ctx, session)
		if err != nil {
			return nil, err
		}
		where, args = " AND u.session = ?", []any{num, p.Limit, p.Offset}
	}
	return sqlrow.List(ctx, t, "read exposures", usesSQL+where+" ORDER BY u.num LIMIT ? OFFSET ?", args, func(s sqlrow.Scanner) (engram.Exposure, error) {
		var u engram.Exposure
		var rank int64
		err := s.Scan(conn.Instant{Time: &u.At}, &u.SessionID, &u.Project, &u.Operation, conn.Given{Text: &u.Query}, conn.Number{N: &u.Memory}, conn.Number{N: &rank}, &u.Tokens, &u.Fallback)
		u.Rank = int(rank)
		return u, err
	})
}

// Shown returns the memories shown to a session, served by uses_session.
func (t *tx) Shown(ctx context.Context, session string, operations []string, nums []int64) ([]int64, error) {
	num, err := t.sessionNum(ctx, session)
	if err != nil {
		return nil, err
	}
	c := sqlrow.Query{From: "uses", Order: "memory", Where: []string{"space = $space"}}
	c.Add("session = ? AND memory IS NOT NULL", num)
	if nums != nil {
		c.Add("memory = ANY(?)", nums)
	}
	if operations != nil {
		c.Add("verb = ANY(?)", operations)
	}
	return sqlrow.List(ctx, t, "read exposures", c.Select("DISTINCT memory"), c.Args, sqlrow.One[int64])
}

// latelySQL considers the newest 2,000 exposures only.
const latelySQL = `SELECT memory FROM (SELECT num, memory, project, verb FROM uses WHERE space = $space ORDER BY num DESC LIMIT 2000) u
	WHERE memory IS NOT NULL AND verb NOT IN ('context', 'remind') AND (?1::bigint < 0 OR project = ?1)%s
	GROUP BY memory ORDER BY max(num) DESC, memory LIMIT ?2`

// LatelyUsed returns the most recently requested memories.
func (t *tx) LatelyUsed(ctx context.Context, project string, limit int) ([]int64, error) {
	shown := ""
	if t.Off != nil {
		shown = " AND memory IN (SELECT num FROM memories WHERE space = $space)"
	}
	return listIn(ctx, t, "read exposures", fmt.Sprintf(latelySQL, shown), project, []any{limit}, sqlrow.One[int64])
}

// useCountsSQL is served by uses_asked, whose condition it repeats literally.
const useCountsSQL = `SELECT memory, count(*), max(at) FROM uses
	WHERE space = $space AND memory = ANY(?) AND verb NOT IN ('context', 'remind') GROUP BY memory ORDER BY memory`

// ExposureCounts returns how often each of the memories was requested, without those never requested.
func (t *tx) ExposureCounts(ctx context.Context, nums []int64) (map[int64]engram.ExposureCount, error) {
	counts := map[int64]engram.ExposureCount{}
	err := t.Rows(ctx, useCountsSQL, []any{nums}, func(s sqlrow.Scanner) error {
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

func (t *tx) appendExposures(ctx context.Context, us []engram.Exposure) error {
	const into = `INSERT INTO uses (space, num, at, session, project, verb, query, memory, rank, tokens, fallback) `
	const ofNone = into + `VALUES ($space,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)`
	// Exposures of memories erased meanwhile are dropped, so that their query is not stored again.
	const ofMemory = into + `SELECT space,?1,?2,?3,?4,?5,?6,num,?8,?9,?10 FROM memories WHERE space = $space AND num = ?7`
	for _, u := range us {
		at, err := t.homeIn(ctx, u.Project, u.SessionID)
		if err != nil {
			return err
		}
		query := ofMemory
		if u.Memory == 0 {
			query = ofNone
		}
		num := next(&t.head.other, 0)
		err = t.Run(ctx, query, num, sqlrow.Millis(u.At), at.Session, at.Project, u.Operation, sqlrow.OrNull(u.Query), sqlrow.OrZero(u.Memory),
			sqlrow.OrZero(int64(max(u.Rank, 0))), u.Tokens, u.Fallback)
		if err == nil && num%pruneEvery == 0 {
			err = t.pruneUses(ctx, u.At)
		}
		if err != nil {
			return fmt.Errorf("write exposure: %w", err)
		}
	}
	return nil
}

// Retention of exposures. Every pruneEvery-th insert drops old ones: checking each time would cost more than the
// insert.
const (
	keptUses   = 100_000
	keptFor    = 90 * 24 * time.Hour
	pruneEvery = 256
)

// pruneUses drops old exposures. Numbers follow time except after clock changes, so it checks the age of a few of
// the lowest numbers only.
func (t *tx) pruneUses(ctx context.Context, now time.Time) error {
	return t.RunAll(ctx,
		conn.With(`DELETE FROM uses WHERE space = $space AND num <= (SELECT num FROM uses WHERE space = $space ORDER BY num DESC LIMIT 1 OFFSET ?)`, keptUses),
		conn.With(`DELETE FROM uses WHERE space = $space AND num IN (SELECT num FROM uses WHERE space = $space ORDER BY num LIMIT ?) AND at < ?`,
			4*pruneEvery, now.Add(-keptFor).UnixMilli()))
}
