package sqlite

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Prompts are few and short: a full-text table of SQLite's is enough for them. It holds
// the tokens of internal/text, and a word for the project.

// scopeMark opens every word of the scope column. No token of a text holds it, so a
// filter never matches a text, nor a text a filter.
const scopeMark = "·"

func projectWord(num int64) string { return scopeMark + "p" + strconv.FormatInt(num, 10) }

// indexPrompt adds p to its full-text index, stop words too: prompts are short, and
// "what is this" is one.
func (t *tx) indexPrompt(ctx context.Context, project int64, p engram.Prompt) error {
	words, _ := text.Index(p.Content, "")
	_, err := t.exec(ctx, `INSERT INTO prompts_fts (rowid, content, scope) VALUES (?,?,?)`, p.Num, words, projectWord(project))
	if err != nil {
		return fmt.Errorf("index prompt %d: %w", p.Num, err)
	}
	return nil
}

// compactPrompts merges the segments of the prompts' index into one, which drops the
// words of entries that were taken out.
func (t *tx) compactPrompts(ctx context.Context) error {
	if _, err := t.exec(ctx, `INSERT INTO prompts_fts (prompts_fts) VALUES ('optimize')`); err != nil {
		return fmt.Errorf("clean the full-text index: %w", err)
	}
	return nil
}

// quote makes a token a string of the FTS5 query language. Tokens hold letters and
// digits alone, so there is nothing to escape; a quote that got here by a bug would
// still only be a doubled one, and a NUL, at which FTS5 stops reading, a space.
func quote(token string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(token, `"`, `""`), "\x00", " ") + `"`
}

// anyOf joins FTS5 expressions to one that any of them satisfies.
func anyOf(exprs []string) string { return "(" + strings.Join(exprs, " OR ") + ")" }
