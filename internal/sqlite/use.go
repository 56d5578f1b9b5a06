package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

const (
	usesSQL = `SELECT u.at, s.id, coalesce(p.name, ''), u.verb, coalesce(u.query, ''), coalesce(u.memory, 0), coalesce(u.rank, 0), u.tokens
		FROM uses u JOIN sessions s ON s.num = u.session LEFT JOIN projects p ON p.num = u.project
		ORDER BY u.num LIMIT ? OFFSET ?`
	sessionUsesSQL = `SELECT u.at, s.id, coalesce(p.name, ''), u.verb, coalesce(u.query, ''), coalesce(u.memory, 0), coalesce(u.rank, 0), u.tokens
		FROM uses u JOIN sessions s ON s.num = u.session LEFT JOIN projects p ON p.num = u.project
		WHERE u.session = ? ORDER BY u.num LIMIT ? OFFSET ?`
)

// Uses returns what was shown in a session, oldest first.
func (t *tx) Uses(ctx context.Context, session string, p engram.Page) ([]engram.Use, error) {
	query, args := usesSQL, []any{p.Limit, p.Offset}
	if session != "" {
		num, err := t.sessionNum(ctx, session)
		if err != nil {
			return nil, err
		}
		query, args = sessionUsesSQL, []any{num, p.Limit, p.Offset}
	}
	var us []engram.Use
	err := t.rows(ctx, query, args, func(s scanner) error {
		var u engram.Use
		err := s.Scan(instant{&u.At}, &u.SessionID, &u.Project, &u.Verb, &u.Query, &u.Memory, &u.Rank, &u.Tokens)
		us = append(us, u)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read uses: %w", err)
	}
	return us, nil
}

// useCountsSQL is served by uses_memory.
const useCountsSQL = `SELECT memory, count(*), max(at) FROM uses
	WHERE memory IN (SELECT value FROM json_each(?)) GROUP BY memory ORDER BY memory`

// UseCounts returns how often each of the memories was shown, as far as it was.
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
	const query = `INSERT INTO uses (at, session, project, verb, query, memory, rank, tokens) VALUES (?,?,?,?,?,?,?,?)`
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
			memory, rank = u.Memory, u.Rank
		}
		if _, err := t.exec(ctx, query, millis(u.At), session, project, u.Verb, orNull(u.Query), memory, rank, u.Tokens); err != nil {
			return fmt.Errorf("write use: %w", err)
		}
	}
	return nil
}
