package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// promptTable has the fields of a prompt; each has a column.
var promptTable = sync.OnceValue(engram.Fields[engram.Prompt])

var promptColumns = sync.OnceValue(func() string { return columnsOf("p", promptTable()) })

func (t *tx) prompts(ctx context.Context, query string, args ...any) ([]engram.Prompt, error) {
	return sqlrow.List(ctx, t, "read prompts", query, args, scanInto(new(engram.Prompt), promptTable()))
}

// Prompts returns the prompts that pass f, served by prompts_recent, prompts_project_recent, prompts_session or,
// deleted ones, prompts_project.
func (t *tx) Prompts(ctx context.Context, f engram.PromptFilter, p engram.Page) ([]engram.Prompt, error) {
	c := sqlrow.Query{From: "prompts p", Order: "p.created_at DESC, p.num DESC", Where: []string{"p.space = $space"}}
	project, known, err := t.knownProject(ctx, f.Project)
	if !known {
		return nil, err
	}
	if f.Nums != nil {
		c.Add("p.num = ANY(?)", f.Nums)
		c.Order = "array_position(?, p.num)"
	}
	if f.SyncIDs != nil {
		c.Add("p.sync_id = ANY(?)", f.SyncIDs)
	}
	if f.SessionID != "" {
		num, err := t.sessionNum(ctx, f.SessionID)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		c.Add("p.session = ?", num)
		c.Order = "p.num DESC"
	}
	switch {
	case f.WithDeleted:
	case f.Deleted:
		c.Add("p.deleted_at IS NOT NULL")
	default:
		c.Add("p.deleted_at IS NULL")
	}
	if f.Project != "" {
		c.Add("p.project = ?", project)
	}
	if f.ByNumber {
		c.Order = "p.num"
		c.Add("p.num > ?", f.After)
	}
	if c.Order == "array_position(?, p.num)" {
		c.Args = append(c.Args, f.Nums)
	}
	query, args := c.Page(promptColumns(), p)
	return t.prompts(ctx, query, args...)
}

// InsertPrompt adds p, with number p.Num if it is set, and sets p.Num.
func (t *tx) InsertPrompt(ctx context.Context, p *engram.Prompt) error {
	at, err := t.homeIn(ctx, p.Project, p.SessionID)
	if err != nil {
		return err
	}
	num := next(&t.head.prompt, p.Num)
	const query = `INSERT INTO prompts (space, num, sync_id, project, session, created_at, content) VALUES ($space,?,?,?,?,?,?) ON CONFLICT DO NOTHING`
	added, err := t.Exec(ctx, query, num, p.SyncID, at.Project, at.Session, sqlrow.Millis(p.CreatedAt), p.Content)
	switch {
	case err != nil:
		return fmt.Errorf("insert prompt: %w", err)
	case added == 0:
		return engram.Errorf(engram.CodeConflict, "prompt %s exists already", p.SyncID)
	}
	p.Num = num
	if err := t.asked.Add(ctx, home{Project: at.Project}, promptText(*p), true); err != nil || at.Session == 0 {
		return err
	}
	t.names.forgetSessions()
	return t.Run(ctx, `UPDATE sessions SET active_at = greatest(active_at, ?) WHERE space = $space AND num = ?`, sqlrow.Millis(p.CreatedAt), at.Session)
}

// ReplacePrompt writes the project, session and deletion time of a prompt.
func (t *tx) ReplacePrompt(ctx context.Context, p engram.Prompt) error {
	was, err := engram.PromptAt(ctx, t, p.Num)
	if err != nil {
		return err
	}
	at, err := t.homeIn(ctx, p.Project, p.SessionID)
	if err == nil {
		err = t.Run(ctx, `UPDATE prompts SET project = ?, session = ?, deleted_at = ? WHERE space = $space AND num = ?`,
			at.Project, at.Session, sqlrow.Millis(p.DeletedAt), p.Num)
	}
	if err != nil {
		return fmt.Errorf("write prompt %d: %w", p.Num, err)
	}
	now := was
	now.Project, now.DeletedAt = p.Project, p.DeletedAt
	return t.reindexPrompt(ctx, was, now)
}

// reindexPrompt updates the index after a change of a prompt.
func (t *tx) reindexPrompt(ctx context.Context, was, now engram.Prompt) error {
	before, err := t.projectNum(ctx, was.Project)
	if err != nil {
		return err
	}
	at, err := t.projectNum(ctx, now.Project)
	if err != nil {
		return err
	}
	return t.asked.Replace(ctx, promptText(was), promptText(now), home{Project: before}, home{Project: at})
}

// ErasePrompt removes a prompt permanently.
func (t *tx) ErasePrompt(ctx context.Context, num int64) error {
	p, err := engram.PromptAt(ctx, t, num)
	if err != nil {
		return err
	}
	if !p.Deleted() {
		project, err := t.projectNum(ctx, p.Project)
		if err == nil {
			err = t.asked.Remove(ctx, project, promptText(p))
		}
		if err != nil {
			return err
		}
	}
	err = t.RunAll(ctx, conn.With(`DELETE FROM prompts WHERE space = $space AND num = ?`, num),
		conn.With(`UPDATE mutations SET `+emptied+` WHERE space = $space AND entity = 'prompt' AND num = ? AND key = ''`, num))
	if err != nil {
		return fmt.Errorf("erase prompt %d: %w", num, err)
	}
	return t.recordErasure(ctx, engram.Erased{Entity: engram.EntityPrompt, ID: p.SyncID, SyncID: p.SyncID, Project: p.Project}, thingKey{num: num})
}

// promptText is a prompt as the index of prompts has it. Its words stand in the title, where stop words count:
// prompts are short, such as "what is this". It is of no session, which it may lose without being written.
func promptText(p engram.Prompt) engram.Memory {
	return engram.Memory{Num: p.Num, Project: p.Project, Title: p.Content, CreatedAt: p.CreatedAt, DeletedAt: p.DeletedAt}
}

// SearchPrompts ranks the prompts that contain any of the terms. It looks for no other words in their place.
func (t *tx) SearchPrompts(ctx context.Context, terms []engram.Term, project string, limit int) ([]engram.Prompt, error) {
	in, err := t.indexFilter(ctx, engram.Filter{Project: project})
	if err != nil || in == nil {
		return nil, err
	}
	q := engram.LexicalQuery{Terms: slices.Clone(terms), Limit: limit, Alone: true}
	for i := range q.Terms {
		q.Terms[i].Stop = true
	}
	found, err := t.asked.Search(ctx, q, *in)
	if err != nil || len(found.Hits) == 0 {
		return nil, err
	}
	nums := make([]int64, len(found.Hits))
	for i, h := range found.Hits {
		nums[i] = h.Num
	}
	return t.prompts(ctx, `SELECT `+promptColumns()+` FROM prompts p WHERE p.space = $space AND p.num = ANY(?1) ORDER BY array_position(?1, p.num)`, nums)
}
