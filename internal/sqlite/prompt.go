package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
	"github.com/alanbuscaglia/engram/internal/text"
)

// promptTable has the fields of a prompt; each has a column.
var promptTable = engram.Fields[engram.Prompt]

var promptColumns = sync.OnceValue(func() string { return columnsOf("p", promptTable()) })

func (t *tx) prompts(ctx context.Context, query string, args ...any) ([]engram.Prompt, error) {
	return sqlrow.List(ctx, t, "read prompts", query, args, scanInto(new(engram.Prompt), promptTable()))
}

// Prompts returns the prompts that pass f, served by prompts_recent, prompts_project_recent, prompts_session or,
// deleted ones, prompts_project.
func (t *tx) Prompts(ctx context.Context, f engram.PromptFilter, p engram.Page) ([]engram.Prompt, error) {
	c := sqlrow.Query{From: "prompts p", Order: "p.created_at DESC, p.num DESC"}
	project, known, err := t.knownProject(ctx, f.Project)
	if !known {
		return nil, err
	}
	if f.Nums != nil {
		c.From, c.Order = "json_each(?) AS asked CROSS JOIN prompts p ON p.num = asked.value", ""
		c.Args = append(c.Args, conn.JSONNums(f.Nums))
	}
	if f.SyncIDs != nil {
		c.From, c.Order = "json_each(?) AS asked CROSS JOIN prompts p ON p.sync_id = asked.value", ""
		c.Args = []any{jsonText(f.SyncIDs)}
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
		c.Add("1")
	case f.Deleted:
		c.Add("p.deleted_at IS NOT NULL")
	default:
		c.Add("p.deleted_at IS NULL")
	}
	row := "p.project"
	if f.ByNumber {
		c.Order = "p.num"
		c.Add("p.num > ?", f.After)
	}
	if f.ByNumber && f.WithDeleted { // the indexes by project hold either live or deleted ones
		row = "+p.project"
	}
	if f.Project != "" {
		c.Add(row+" = ?", project)
	}
	return t.prompts(ctx, c.Select(promptColumns())+` LIMIT ? OFFSET ?`, append(c.Args, p.Limit, p.Offset)...)
}

const promptsFound = ` FROM
	(SELECT rowid AS num, bm25(prompts_fts, 1.0, 0.0) AS score FROM prompts_fts WHERE prompts_fts MATCH ? ORDER BY score, rowid DESC LIMIT ?) AS f
	CROSS JOIN prompts p ON p.num = f.num ORDER BY f.score, p.num DESC`

// SearchPrompts ranks the prompts that contain any of the terms.
func (t *tx) SearchPrompts(ctx context.Context, terms []engram.Term, project string, limit int) ([]engram.Prompt, error) {
	words := make([]string, 0, len(terms))
	for _, term := range terms {
		words = append(words, quote(term.Word))
	}
	if len(words) == 0 {
		return nil, nil
	}
	match := "content : " + anyOf(words)
	if project != "" {
		num, known, err := t.knownProject(ctx, project)
		if !known {
			return nil, err
		}
		match = "scope : " + quote(projectWord(num)) + " AND " + match
	}
	if t.hidden != nil && len(t.hidden.nums) > 0 {
		var off []string
		for num := range t.hidden.nums {
			off = append(off, quote(projectWord(num)))
		}
		slices.Sort(off)
		match = "(" + match + ") NOT scope : " + anyOf(off)
	}
	return t.prompts(ctx, `SELECT `+promptColumns()+promptsFound, match, limit)
}

// InsertPrompt adds p, with number p.Num if it is set, and sets p.Num.
func (t *tx) InsertPrompt(ctx context.Context, p *engram.Prompt) error {
	at, err := t.homeIn(ctx, p.Project, p.SessionID)
	if err != nil {
		return err
	}
	res, err := t.Exec(ctx, `INSERT INTO prompts (num, sync_id, project, session, created_at, content) VALUES (nullif(?,0),?,?,?,?,?)`,
		p.Num, p.SyncID, at.Project, at.Session, sqlrow.Millis(p.CreatedAt), p.Content)
	if err != nil {
		return fmt.Errorf("insert prompt: %w", err)
	}
	if p.Num, err = res.LastInsertId(); err != nil {
		return err
	}
	if err := t.indexPrompt(ctx, at.Project, *p); err != nil {
		return err
	}
	err = t.Run(ctx, `UPDATE sessions SET active_at = max(active_at, ?) WHERE num = ? AND num <> 0`, sqlrow.Millis(p.CreatedAt), at.Session)
	return err
}

// ReplacePrompt writes the project, session and deletion time of a prompt. A deleted one has no
// full-text row.
func (t *tx) ReplacePrompt(ctx context.Context, p engram.Prompt) error {
	was, err := engram.PromptAt(ctx, t, p.Num)
	if err != nil {
		return err
	}
	at, err := t.homeIn(ctx, p.Project, p.SessionID)
	if err != nil {
		return err
	}
	if err := t.Run(ctx, `UPDATE prompts SET project = ?, session = ?, deleted_at = ? WHERE num = ?`,
		at.Project, at.Session, sqlrow.Millis(p.DeletedAt), p.Num); err != nil {
		return fmt.Errorf("write prompt %d: %w", p.Num, err)
	}
	if was.Project == p.Project && was.Deleted() == p.Deleted() {
		return nil
	}
	if err := t.Run(ctx, `DELETE FROM prompts_fts WHERE rowid = ?`, p.Num); err != nil || p.Deleted() {
		return err
	}
	was.Project = p.Project
	return t.indexPrompt(ctx, at.Project, was)
}

// ErasePrompt removes a prompt permanently.
func (t *tx) ErasePrompt(ctx context.Context, num int64) error {
	p, err := engram.PromptAt(ctx, t, num)
	if err != nil {
		return err
	}
	t.scrubbed, t.unprompted = true, true
	err = t.RunAll(ctx, conn.With(`DELETE FROM prompts_fts WHERE rowid = ?`, num), conn.With(`DELETE FROM prompts WHERE num = ?`, num),
		conn.With(`UPDATE mutations SET `+emptied+` WHERE entity = ? AND key = ?`, engram.EntityPrompt, num))
	if err != nil {
		return fmt.Errorf("erase prompt %d: %w", num, err)
	}
	return t.recordErasure(ctx, engram.Erased{Entity: engram.EntityPrompt, ID: p.SyncID, SyncID: p.SyncID, Project: p.Project}, num)
}

// Prompts are few and short, so an FTS5 table is enough for them. It holds the tokens of internal/text
// and a word for the project.

// scopeMark opens the words of column scope. Tokens never contain it, so projects and texts cannot match
// each other.
const scopeMark = "·"

func projectWord(num int64) string { return scopeMark + "p" + strconv.FormatInt(num, 10) }

// indexPrompt adds p to the full-text index, including stop words: prompts are short, such as "what is
// this".
func (t *tx) indexPrompt(ctx context.Context, project int64, p engram.Prompt) error {
	words, _ := text.Index(p.Content, "")
	err := t.Run(ctx, `INSERT INTO prompts_fts (rowid, content, scope) VALUES (?,?,?)`, p.Num, words, projectWord(project))
	return sqlrow.Doing(err, "index prompt %d", p.Num)
}

// compactPrompts merges the segments of the full-text index, which removes the words of deleted rows.
func (t *tx) compactPrompts(ctx context.Context) error {
	return sqlrow.Doing(t.Run(ctx, `INSERT INTO prompts_fts (prompts_fts) VALUES ('optimize')`), "clean the full-text index")
}

// quote makes a token an FTS5 string. Tokens have only letters and digits; the escaping of quotes and
// NULs, at which FTS5 stops reading, guards against bugs.
func quote(token string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(token, `"`, `""`), "\x00", " ") + `"`
}

// anyOf joins FTS5 expressions with OR.
func anyOf(exprs []string) string { return "(" + strings.Join(exprs, " OR ") + ")" }
