package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// trustSQL is served by the primary key.
const trustSQL = `SELECT memory, mark, text, reasons, at FROM trust
	WHERE memory IN (SELECT value FROM json_each(?1)) ORDER BY memory, mark, text`

// Trust returns the trust marks of memories.
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
	return all, doing(err, "read trust")
}

// flaggedSQL is served by trust_suspect. CROSS JOIN starts with the flagged memories, which are few.
var (
	flaggedSQL = `SELECT ` + memoryColumns + ` FROM trust t CROSS JOIN memories m ON m.num = t.memory
		WHERE t.mark = 'suspect' AND m.deleted_at IS NULL AND (?1 < 0 OR m.project = ?1) ORDER BY t.at, t.memory LIMIT ?2 OFFSET ?3`
	countFlaggedSQL = `SELECT count(*) FROM trust t CROSS JOIN memories m ON m.num = t.memory
		WHERE t.mark = 'suspect' AND m.deleted_at IS NULL AND (?1 < 0 OR m.project = ?1)`
)

// FlaggedMemories returns the live memories to be reviewed by a person, the oldest flag first.
func (t *tx) FlaggedMemories(ctx context.Context, project string, p engram.Page) ([]engram.Memory, error) {
	return listIn(ctx, t, readMemories, flaggedSQL, project, []any{p.Limit, p.Offset}, scanMemory)
}

// CountFlagged counts the memories that FlaggedMemories returns.
func (t *tx) CountFlagged(ctx context.Context, project string) (n int, err error) {
	n, _, err = first(listIn(ctx, t, "count suspects", countFlaggedSQL, project, nil, scanOne[int]))
	return n, err
}

// secretKeptSQL is served by trust_secret.
const secretKeptSQL = `SELECT DISTINCT memory FROM trust WHERE mark = 'secret' ORDER BY memory`

// SecretKept returns the memories with kept secrets.
func (t *tx) SecretKept(ctx context.Context) ([]int64, error) {
	nums, err := column[int64](ctx, t, secretKeptSQL)
	return nums, doing(err, "read trust")
}

// PutTrust adds marks; for an existing mark it only updates the reasons.
func (t *tx) PutTrust(ctx context.Context, all ...engram.Trust) error {
	const query = `INSERT INTO trust (memory, mark, text, reasons, at) VALUES (?,?,?,?,?)
		ON CONFLICT (memory, mark, text) DO UPDATE SET reasons = excluded.reasons`
	for _, m := range all {
		if err := t.run(ctx, query, m.Memory, m.Mark, m.Text, strings.Join(m.Reasons, " "), millis(m.At)); err != nil {
			return fmt.Errorf("write trust of memory %d: %w", m.Memory, err)
		}
	}
	return nil
}

// DropTrust removes a memory's marks of one kind.
func (t *tx) DropTrust(ctx context.Context, memory int64, mark engram.TrustMark) error {
	err := t.run(ctx, `DELETE FROM trust WHERE memory = ? AND mark = ?`, memory, mark)
	return doing(err, "drop trust of memory %d", memory)
}

// CutRevision overwrites the texts of a revision.
func (t *tx) CutRevision(ctx context.Context, r engram.Revision) error {
	return t.cut(ctx, `UPDATE revisions SET title = ?, content = ?, reason = ? WHERE memory = ? AND number = ?`, r.Title, r.Content, r.Reason, r.Memory, r.Number)
}

// CutMutation overwrites the texts of a journal entry.
func (t *tx) CutMutation(ctx context.Context, m engram.Mutation) error {
	return t.cut(ctx, `UPDATE mutations SET was = ?, reason = ? WHERE seq = ?`, orNull(string(m.Was)), orNull(m.Reason), m.Seq)
}

// CutPrompt overwrites the content of a prompt and its words in the index.
func (t *tx) CutPrompt(ctx context.Context, p engram.Prompt) error {
	t.unprompted = true
	if err := t.cut(ctx, `UPDATE prompts SET content = ? WHERE num = ?`, p.Content, p.Num); err != nil {
		return err
	}
	var project int64
	found, err := t.maybe(ctx, `SELECT project FROM prompts WHERE num = ? AND deleted_at IS NULL`, []any{p.Num}, &project)
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
	return doing(t.run(ctx, query, args...), "remove secrets")
}
