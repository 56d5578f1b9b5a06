package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// trustSQL is served by the primary key.
const trustSQL = `SELECT memory, mark, text, reasons, at FROM trust
	WHERE memory IN (SELECT value FROM json_each(?1)) ORDER BY memory, mark, text`

// Trust returns the marks of memories.
func (t *tx) Trust(ctx context.Context, nums []int64) (map[int64][]engram.Trust, error) {
	all := map[int64][]engram.Trust{}
	err := t.rows(ctx, trustSQL, []any{jsonNums(nums)}, func(s scanner) error {
		var m engram.Trust
		var reasons string
		err := s.Scan(&m.Memory, &m.Mark, &m.Text, &reasons, instant{&m.At})
		m.Reasons = strings.Fields(reasons)
		if reasons == "" {
			m.Reasons = nil
		}
		all[m.Memory] = append(all[m.Memory], m)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read trust: %w", err)
	}
	return all, nil
}

// flaggedSQL is served by trust_suspect. The order of joining is fixed: suspects are few, and
// memories are not.
const (
	flaggedSQL = `SELECT ` + memoryColumns + ` FROM trust t CROSS JOIN memories m ON m.num = t.memory
		WHERE t.mark = 'suspect' AND m.deleted_at IS NULL AND (?1 < 0 OR m.project = ?1) ORDER BY t.at, t.memory LIMIT ?2 OFFSET ?3`
	countFlaggedSQL = `SELECT count(*) FROM trust t CROSS JOIN memories m ON m.num = t.memory
		WHERE t.mark = 'suspect' AND m.deleted_at IS NULL AND (?1 < 0 OR m.project = ?1)`
)

// FlaggedMemories returns live memories that wait for a person, the longest waiting first.
func (t *tx) FlaggedMemories(ctx context.Context, project string, p engram.Page) ([]engram.Memory, error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return t.memories(ctx, flaggedSQL, num, p.Limit, p.Offset)
}

// CountFlagged counts them.
func (t *tx) CountFlagged(ctx context.Context, project string) (n int, err error) {
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return 0, err
	}
	if err := t.row(ctx, countFlaggedSQL, []any{num}, &n); err != nil {
		return 0, fmt.Errorf("count suspects: %w", err)
	}
	return n, nil
}

// secretKeptSQL is served by trust_secret.
const secretKeptSQL = `SELECT DISTINCT memory FROM trust WHERE mark = 'secret' ORDER BY memory`

// SecretKept returns the memories that keep secrets.
func (t *tx) SecretKept(ctx context.Context) ([]int64, error) {
	nums, err := column[int64](ctx, t, secretKeptSQL)
	if err != nil {
		return nil, fmt.Errorf("read trust: %w", err)
	}
	return nums, nil
}

// PutTrust adds marks; one that is there stays as it is, but for its reasons.
func (t *tx) PutTrust(ctx context.Context, all ...engram.Trust) error {
	const query = `INSERT INTO trust (memory, mark, text, reasons, at) VALUES (?,?,?,?,?)
		ON CONFLICT (memory, mark, text) DO UPDATE SET reasons = excluded.reasons`
	for _, m := range all {
		if _, err := t.exec(ctx, query, m.Memory, m.Mark, m.Text, strings.Join(m.Reasons, " "), millis(m.At)); err != nil {
			return fmt.Errorf("note trust in memory %d: %w", m.Memory, err)
		}
	}
	return nil
}

// DropTrust removes the marks of a kind from a memory.
func (t *tx) DropTrust(ctx context.Context, memory int64, mark engram.TrustMark) error {
	if _, err := t.exec(ctx, `DELETE FROM trust WHERE memory = ? AND mark = ?`, memory, mark); err != nil {
		return fmt.Errorf("drop trust in memory %d: %w", memory, err)
	}
	return nil
}

// CutRevision writes the texts of a revision anew.
func (t *tx) CutRevision(ctx context.Context, r engram.Revision) error {
	return t.cut(ctx, `UPDATE revisions SET title = ?, content = ?, reason = ? WHERE memory = ? AND number = ?`, r.Title, r.Content, r.Reason, r.Memory, r.Number)
}

// CutMutation writes the texts of an entry anew.
func (t *tx) CutMutation(ctx context.Context, m engram.Mutation) error {
	var was any
	if m.Was != nil {
		was = string(m.Was)
	}
	return t.cut(ctx, `UPDATE mutations SET was = ?, reason = ? WHERE seq = ?`, was, orNull(m.Reason), m.Seq)
}

// CutPrompt writes the content of a prompt anew, and its words.
func (t *tx) CutPrompt(ctx context.Context, p engram.Prompt) error {
	t.unprompted = true
	if err := t.cut(ctx, `UPDATE prompts SET content = ? WHERE num = ?`, p.Content, p.Num); err != nil {
		return err
	}
	var project int64
	err := t.row(ctx, `SELECT project FROM prompts WHERE num = ? AND deleted_at IS NULL`, []any{p.Num}, &project)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // it was deleted, and is not found by its words
	}
	if err == nil {
		err = t.cut(ctx, `DELETE FROM prompts_fts WHERE rowid = ?`, p.Num)
	}
	if err != nil {
		return err
	}
	return t.indexPrompt(ctx, project, p)
}

// cut takes texts out of a row.
func (t *tx) cut(ctx context.Context, query string, args ...any) error {
	t.scrubbed = true
	if _, err := t.exec(ctx, query, args...); err != nil {
		return fmt.Errorf("take secrets out: %w", err)
	}
	return nil
}
