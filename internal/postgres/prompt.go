package postgres

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
)

// promptTable has the fields of a prompt; each has a column.
var promptTable = engram.Fields[engram.Prompt]()

var promptColumns = columnsOf("p", promptTable)

func (t *tx) prompts(ctx context.Context, query string, args ...any) ([]engram.Prompt, error) {
	return conn.List(ctx, t, "read prompts", query, args, scanInto(new(engram.Prompt), promptTable))
}

// Prompts returns the prompts that pass f, served by prompts_recent, prompts_project_recent, prompts_session or,
// deleted ones, prompts_project.
func (t *tx) Prompts(ctx context.Context, f engram.PromptFilter, p engram.Page) ([]engram.Prompt, error) {
	c := conditions{from: "prompts p", order: "p.created_at DESC, p.num DESC", where: []string{"p.space = $space"}}
	project, known, err := t.knownProject(ctx, f.Project)
	if !known {
		return nil, err
	}
	if f.Nums != nil {
		c.add("p.num = ANY(?)", f.Nums)
		c.order = "array_position(?, p.num)"
	}
	if f.SyncIDs != nil {
		c.add("p.sync_id = ANY(?)", f.SyncIDs)
	}
	if f.SessionID != "" {
		num, err := t.sessionNum(ctx, f.SessionID)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		c.add("p.session = ?", num)
		c.order = "p.num DESC"
	}
	switch {
	case f.WithDeleted:
	case f.Deleted:
		c.add("p.deleted_at IS NOT NULL")
	default:
		c.add("p.deleted_at IS NULL")
	}
	if f.Project != "" {
		c.add("p.project = ?", project)
	}
	if f.ByNumber {
		c.order = "p.num"
		c.add("p.num > ?", f.After)
	}
	if c.order == "array_position(?, p.num)" {
		c.args = append(c.args, f.Nums)
	}
	query, args := c.page(promptColumns, p)
	return t.prompts(ctx, query, args...)
}

// InsertPrompt adds p, with number p.Num if it is set, and sets p.Num.
func (t *tx) InsertPrompt(ctx context.Context, p *engram.Prompt) error {
	at, err := t.homeIn(ctx, p.Project, p.SessionID)
	if err != nil {
		return err
	}
	num := next(&t.head.prompt, p.Num)
	const query = `INSERT INTO prompts (space, num, sync_id, project, session, created_at, content) VALUES ($space,?,?,?,?,?,?)`
	if _, err := t.Attempt(ctx, query, num, p.SyncID, at.project, at.session, conn.Millis(p.CreatedAt), p.Content); err != nil {
		return fmt.Errorf("insert prompt: %w", err)
	}
	p.Num = num
	if at.session == 0 {
		return nil
	}
	t.sessionRows = nil
	return t.Run(ctx, `UPDATE sessions SET active_at = greatest(active_at, ?) WHERE space = $space AND num = ?`, conn.Millis(p.CreatedAt), at.session)
}

// ReplacePrompt writes the project, session and deletion time of a prompt.
func (t *tx) ReplacePrompt(ctx context.Context, p engram.Prompt) error {
	if _, err := engram.PromptAt(ctx, t, p.Num); err != nil {
		return err
	}
	at, err := t.homeIn(ctx, p.Project, p.SessionID)
	if err == nil {
		err = t.Run(ctx, `UPDATE prompts SET project = ?, session = ?, deleted_at = ? WHERE space = $space AND num = ?`,
			at.project, at.session, conn.Millis(p.DeletedAt), p.Num)
	}
	return conn.Doing(err, "write prompt %d", p.Num)
}

// ErasePrompt removes a prompt permanently.
func (t *tx) ErasePrompt(ctx context.Context, num int64) error {
	p, err := engram.PromptAt(ctx, t, num)
	if err != nil {
		return err
	}
	err = t.RunAll(ctx, conn.With(`DELETE FROM prompts WHERE space = $space AND num = ?`, num),
		conn.With(`UPDATE mutations SET `+emptied+` WHERE space = $space AND entity = 'prompt' AND num = ? AND key = ''`, num))
	if err != nil {
		return fmt.Errorf("erase prompt %d: %w", num, err)
	}
	return t.recordErasure(ctx, engram.Erased{Entity: engram.EntityPrompt, ID: p.SyncID, SyncID: p.SyncID, Project: p.Project}, thingKey{num: num})
}
