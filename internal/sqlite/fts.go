package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// The full-text tables hold the tokens of internal/text and the words of scope.go;
// what follows keeps them in step with the memories and prompts. lexical.go asks them.

// sameIndex reports whether a and b have the same entry in the full-text index.
func sameIndex(a, b engram.Memory) bool {
	return a.Title == b.Title && a.Content == b.Content && a.Project == b.Project && a.Type == b.Type && a.Scope == b.Scope &&
		a.Forgotten() == b.Forgotten() && a.TopicKey == b.TopicKey && strings.Join(a.Tags, "\x00") == strings.Join(b.Tags, "\x00")
}

// titleText is what is indexed as a memory's title: its topic key and its tags are
// found like one.
func titleText(m engram.Memory) string {
	return m.Title + " " + m.TopicKey + " " + strings.Join(m.Tags, " ")
}

// indexMemory adds m to the full-text index.
func (t *tx) indexMemory(ctx context.Context, project int64, m engram.Memory) error {
	const query = `INSERT INTO memories_fts (rowid, title, content, scope) VALUES (?,?,?,?)`
	title, content := text.Index(titleText(m), m.Content)
	_, err := t.exec(ctx, query, m.Num, title, content, scopeWords(project, m))
	if err != nil {
		return fmt.Errorf("index memory %d: %w", m.Num, err)
	}
	return nil
}

func (t *tx) unindexMemory(ctx context.Context, num int64) error {
	_, err := t.exec(ctx, `DELETE FROM memories_fts WHERE rowid = ?`, num)
	if err != nil {
		return fmt.Errorf("take memory %d out of the index: %w", num, err)
	}
	return nil
}

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

// compact merges the segments of the full-text indexes into one, which drops the
// words of entries that were taken out.
func (t *tx) compact(ctx context.Context) error {
	for _, query := range []string{
		`INSERT INTO memories_fts (memories_fts) VALUES ('optimize')`,
		`INSERT INTO prompts_fts (prompts_fts) VALUES ('optimize')`,
	} {
		if _, err := t.exec(ctx, query); err != nil {
			return fmt.Errorf("clean the full-text index: %w", err)
		}
	}
	return nil
}

// quote makes a token a string of the FTS5 query language. Tokens hold letters and
// digits alone, so there is nothing to escape; a quote that got here by a bug would
// still only be a doubled one, and a NUL, at which FTS5 stops reading, a space.
func quote(token string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(token, `"`, `""`), "\x00", " ") + `"`
}

// beginning is an FTS5 expression for every word that begins so.
func beginning(word string) string { return quote(word) + "*" }

// anyOf joins FTS5 expressions to one that any of them satisfies.
func anyOf(exprs []string) string { return "(" + strings.Join(exprs, " OR ") + ")" }
