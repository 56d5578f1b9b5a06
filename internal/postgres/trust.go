package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

const trustSQL = `SELECT memory, mark, text, reasons, at FROM trust WHERE space = $space AND memory = ANY(?) ORDER BY memory, mark, text`

// Trust returns the trust marks of memories.
func (t *tx) Trust(ctx context.Context, nums []int64) (map[int64][]engram.Trust, error) {
	all := map[int64][]engram.Trust{}
	err := t.Rows(ctx, trustSQL, []any{nums}, func(s sqlrow.Scanner) error {
		var m engram.Trust
		var reasons string
		err := s.Scan(&m.Memory, &m.Mark, &m.Text, &reasons, conn.Instant{Time: &m.At})
		m.Reasons = strings.Fields(reasons)
		if reasons == "" {
			m.Reasons = nil
		}
		all[m.Memory] = append(all[m.Memory], m)
		return err
	})
	return all, sqlrow.Doing(err, "read trust")
}

// PutTrust adds marks; for an existing mark it only updates the reasons.
func (t *tx) PutTrust(ctx context.Context, all ...engram.Trust) error {
	const query = `INSERT INTO trust (space, memory, mark, text, reasons, at) VALUES ($space,?,?,?,?,?)
		ON CONFLICT (space, memory, mark, text) DO UPDATE SET reasons = excluded.reasons`
	return forAll(all, func(m engram.Trust) error {
		err := t.Run(ctx, query, m.Memory, m.Mark, m.Text, strings.Join(m.Reasons, " "), sqlrow.Millis(m.At))
		return sqlrow.Doing(err, "write trust of memory %d", m.Memory)
	})
}

// DropTrust removes a memory's marks of one kind.
func (t *tx) DropTrust(ctx context.Context, memory int64, mark engram.TrustMark) error {
	err := t.Run(ctx, `DELETE FROM trust WHERE space = $space AND memory = ? AND mark = ?`, memory, mark)
	return sqlrow.Doing(err, "drop trust of memory %d", memory)
}

// Cut replaces texts of revisions, journal entries and prompts.
func (t *tx) Cut(ctx context.Context, c engram.Cut) error {
	for _, r := range c.Revisions {
		const query = `UPDATE revisions SET title = ?, content = ?, reason = ? WHERE space = $space AND memory = ? AND number = ?`
		if err := t.Run(ctx, query, r.Title, r.Content, r.Reason, r.Memory, r.Number); err != nil {
			return fmt.Errorf("remove secrets: %w", err)
		}
	}
	for _, m := range c.Mutations {
		err := t.Run(ctx, `UPDATE mutations SET was = ?, reason = ? WHERE space = $space AND seq = ?`, sqlrow.OrNull(string(m.Was)), sqlrow.OrNull(m.Reason), m.Seq)
		if err != nil {
			return fmt.Errorf("remove secrets: %w", err)
		}
	}
	for _, p := range c.Prompts {
		was, err := engram.PromptAt(ctx, t, p.Num)
		if engram.CodeOf(err) == engram.CodeNotFound {
			continue
		}
		if err == nil {
			err = t.Run(ctx, `UPDATE prompts SET content = ? WHERE space = $space AND num = ?`, p.Content, p.Num)
		}
		if err == nil {
			now := was
			now.Content = p.Content
			err = t.reindexPrompt(ctx, was, now)
		}
		if err != nil {
			return fmt.Errorf("remove secrets: %w", err)
		}
	}
	return nil
}
