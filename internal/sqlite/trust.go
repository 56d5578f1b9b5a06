package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// trustSQL is served by the primary key. Few memories have marks, so there is little to sort.
const trustSQL = `SELECT t.memory, t.mark, t.text, t.reasons, t.at FROM json_each(?) AS asked CROSS JOIN trust t ON t.memory = asked.value
	ORDER BY t.memory, t.mark, t.text`

// Trust returns the trust marks of memories.
func (t *tx) Trust(ctx context.Context, nums []int64) (map[int64][]engram.Trust, error) {
	all := map[int64][]engram.Trust{}
	err := t.keyed.Rows(ctx, trustSQL, []any{conn.JSONSet(nums)}, func(s sqlrow.Scanner) error {
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
	const query = `INSERT INTO trust (memory, mark, text, reasons, at) VALUES (?,?,?,?,?)
		ON CONFLICT (memory, mark, text) DO UPDATE SET reasons = excluded.reasons`
	for _, m := range all {
		if err := t.Run(ctx, query, m.Memory, m.Mark, m.Text, strings.Join(m.Reasons, " "), sqlrow.Millis(m.At)); err != nil {
			return fmt.Errorf("write trust of memory %d: %w", m.Memory, err)
		}
	}
	return nil
}

// DropTrust removes a memory's marks of one kind.
func (t *tx) DropTrust(ctx context.Context, memory int64, mark engram.TrustMark) error {
	err := t.Run(ctx, `DELETE FROM trust WHERE memory = ? AND mark = ?`, memory, mark)
	return sqlrow.Doing(err, "drop trust of memory %d", memory)
}

// Cut overwrites texts of revisions, journal entries and prompts, and the words of prompts in the index.
func (t *tx) Cut(ctx context.Context, c engram.Cut) error {
	for _, r := range c.Revisions {
		const query = `UPDATE revisions SET title = ?, content = ?, reason = ? WHERE memory = ? AND number = ?`
		if err := t.cut(ctx, query, r.Title, r.Content, r.Reason, r.Memory, r.Number); err != nil {
			return err
		}
	}
	for _, m := range c.Mutations {
		if err := t.cut(ctx, `UPDATE mutations SET was = ?, reason = ? WHERE seq = ?`, sqlrow.OrNull(string(m.Was)), sqlrow.OrNull(m.Reason), m.Seq); err != nil {
			return err
		}
	}
	for _, p := range c.Prompts {
		if err := t.cutPrompt(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) cutPrompt(ctx context.Context, p engram.Prompt) error {
	t.unprompted = true
	if err := t.cut(ctx, `UPDATE prompts SET content = ? WHERE num = ?`, p.Content, p.Num); err != nil {
		return err
	}
	var project int64
	found, err := t.Maybe(ctx, `SELECT project FROM prompts WHERE num = ? AND deleted_at IS NULL`, []any{p.Num}, &project)
	if !found { // deleted prompts are not indexed
		return err
	}
	if err := t.cut(ctx, `DELETE FROM prompts_fts WHERE rowid = ?`, p.Num); err != nil {
		return err
	}
	return t.indexPrompt(ctx, project, p)
}

// cut overwrites texts that contained secrets.
func (t *tx) cut(ctx context.Context, query string, args ...any) error {
	t.scrubbed = true
	return sqlrow.Doing(t.Run(ctx, query, args...), "remove secrets")
}
