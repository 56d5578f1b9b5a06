package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Lexical ranks the memories that match q, best first.
//
// Ranking a posting costs twenty times what counting it does, so the words are
// counted first (countSQL) and only the rare ones ranked by, as many as
// retrieval.Choose allows; the common ones then reorder what was found. A question of common
// words alone is ranked among the newest memories that have one. Filters on project,
// type, scope and tag are words inside the match; the others test the rows it gives.
func (t *tx) Lexical(ctx context.Context, q engram.LexicalQuery) ([]engram.Ranked, error) {
	if len(q.Terms) == 0 || q.Filter.Forgotten {
		return nil, nil
	}
	s, err := t.newSearch(ctx, q)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil, nil // a project that does not exist has no memories
	}
	if err != nil {
		return nil, err
	}
	found, err := s.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return found, nil
}

// search is one question on its way to an answer.
type search struct {
	tx      *tx
	query   engram.LexicalQuery
	project int64  // row of the project in scope
	scope   string // expression that every memory must match; "" for none
	rest    conditions
	total   int // memories in the store, about
	rows    int // memories in scope, about
	budget  float64
	terms   []word
}

// word is a term of the question with what the index has for it.
type word struct {
	expr string // FTS5 expression; "" when the index has nothing
	text string // the indexed word; "" for a family of them
	rows int    // memories of the store that have it, up to retrieval.TooCommon
}

func (t *tx) newSearch(ctx context.Context, q engram.LexicalQuery) (*search, error) {
	s := &search{tx: t, query: q}
	var all []string
	if q.Filter.Project != "" {
		num, err := t.projectNum(ctx, q.Filter.Project)
		if err != nil {
			return nil, err
		}
		all = append(all, quote(projectWord(num)))
		s.project = num
	}
	if len(q.Filter.Types) > 0 {
		var types []string
		for _, typ := range q.Filter.Types {
			types = append(types, quote(typeWord(typ)))
		}
		all = append(all, anyOf(types))
	}
	if q.Filter.Scope != "" {
		all = append(all, quote(scopeWord(q.Filter.Scope)))
	}
	for _, tag := range q.Filter.Tags {
		all = append(all, quote(tagWord(tag)))
	}
	s.scope = strings.Join(all, " AND ")
	s.rest.addRest(q.Filter)
	if err := s.size(ctx); err != nil {
		return nil, err
	}
	s.budget = retrieval.WholeBudget
	if s.scope != "" {
		s.budget = retrieval.ScopedBudget
	}
	return s, nil
}

// countSQL stops at a limit: a word that is in more memories is too common to rank
// by, however many they are.
const (
	countSQL = `SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)`
	sizeSQL  = `SELECT coalesce(max(num), 0) FROM memories`
)

// size estimates how many memories there are, and how many of them are in scope.
func (s *search) size(ctx context.Context) error {
	if err := s.tx.row(ctx, sizeSQL, nil, &s.total); err != nil || s.scope == "" {
		s.rows = s.total
		return err
	}
	const enough = 50_000 // more precisely than this nobody needs to know
	return s.tx.row(ctx, countSQL, []any{s.scope, enough}, &s.rows)
}

// count says how many memories have a word, whatever the scope: counting inside the
// scope would cost as much as ranking.
func (s *search) count(ctx context.Context, expr string) (n int, err error) {
	if n, ok := s.tx.words.get(expr, s.total); ok {
		return n, nil
	}
	if err = s.tx.row(ctx, countSQL, []any{expr, retrieval.TooCommon}, &n); err == nil {
		s.tx.words.put(expr, n)
	}
	return n, err
}

// load is what ranking by a word costs; of its memories as large a share is taken to
// be in scope as of all memories.
func (s *search) load(w word) retrieval.Load {
	l := retrieval.Load{Scope: w.rows, Store: w.rows}
	if s.rows < s.total && w.rows > 0 {
		l.Scope = w.rows*s.rows/s.total + 1
	}
	return l
}

// scoped narrows an expression to the memories in scope.
func (s *search) scoped(expr string) string {
	if s.scope == "" {
		return expr
	}
	return s.scope + " AND " + expr
}

func (s *search) run(ctx context.Context) ([]engram.Ranked, error) {
	for _, term := range s.query.Terms {
		if s.query.All && term.Joined {
			continue
		}
		w, err := s.look(ctx, term)
		if err != nil {
			return nil, err
		}
		s.terms = append(s.terms, w)
	}
	if s.query.All {
		return s.every(ctx)
	}
	found, err := s.some(ctx)
	if err != nil || len(found) >= s.query.Limit {
		return found, err
	}
	return s.fill(ctx, found)
}

// look finds what the index has for a term: the word itself, or, where it lacks the
// word, the words that begin like what was written, or the longest word that what
// was written begins with (half a word has no stem).
func (s *search) look(ctx context.Context, term engram.Term) (word, error) {
	w := word{expr: quote(term.Word), text: term.Word}
	var err error
	if w.rows, err = s.count(ctx, w.expr); err != nil || w.rows > 0 {
		return w, err
	}
	for _, expr := range likely(term.Written) {
		if w.rows, err = s.count(ctx, expr); err != nil || w.rows > 0 {
			return word{expr: expr, rows: w.rows}, err
		}
	}
	return word{}, nil
}

// likely lists, best first, expressions for a word that the index does not have.
func likely(written string) []string {
	const least = 4 // shorter beginnings belong to everything
	r := []rune(written)
	if len(r) < 3 {
		return nil
	}
	exprs := []string{beginning(written)}
	for n := len(r) - 1; n >= max(least, len(r)-6); n-- {
		exprs = append(exprs, quote(string(r[:n])))
	}
	return exprs
}

// every ranks the memories that have all the words.
func (s *search) every(ctx context.Context) ([]engram.Ranked, error) {
	exprs := make([]string, 0, len(s.terms))
	for _, w := range s.terms {
		if w.expr == "" {
			return nil, nil
		}
		exprs = append(exprs, w.expr)
	}
	if len(exprs) == 0 {
		return nil, nil
	}
	return s.match(ctx, strings.Join(exprs, " AND "), 0, s.query.Limit)
}

// some ranks the memories that have any of the words.
func (s *search) some(ctx context.Context) ([]engram.Ranked, error) {
	loads := make([]retrieval.Load, len(s.terms))
	for i, w := range s.terms {
		loads[i] = s.load(w)
	}
	use, rest := retrieval.Choose(loads, s.rows, s.budget)
	switch {
	case len(use) == 0 && len(rest) == 0:
		return nil, nil
	case len(use) == 0:
		return s.newest(ctx, s.anyOf(rest))
	case len(rest) == 0:
		return s.match(ctx, s.anyOf(use), 0, s.query.Limit)
	}
	const candidates = 60
	found, err := s.match(ctx, s.anyOf(use), 0, max(candidates, s.query.Limit))
	if err != nil {
		return nil, err
	}
	if found, err = s.reorder(ctx, found, rest); err != nil {
		return nil, err
	}
	return found[:min(len(found), s.query.Limit)], nil
}

func (s *search) anyOf(terms []int) string {
	exprs := make([]string, len(terms))
	for i, t := range terms {
		exprs[i] = s.terms[t].expr
	}
	return anyOf(exprs)
}

// The oldest of the newest so many memories, by memories_recent and
// memories_project_recent; walking the match backwards would cost more than ranking it.
const (
	floorSQL        = `SELECT num FROM memories WHERE deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT 1 OFFSET ?`
	projectFloorSQL = `SELECT num FROM memories WHERE project = ? AND deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT 1 OFFSET ?`
)

// newestRows is among how many of the newest memories a question of common words is
// answered.
const newestRows = 5000

// newest ranks what matches among the newest memories.
func (s *search) newest(ctx context.Context, expr string) ([]engram.Ranked, error) {
	query, args := floorSQL, []any{newestRows}
	if s.query.Filter.Project != "" {
		query, args = projectFloorSQL, []any{s.project, newestRows}
	}
	var floor int64
	if err := s.tx.row(ctx, query, args, &floor); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	return s.match(ctx, expr, floor, s.query.Limit)
}

// The title counts twice (docs/adr/0004 has the figures); the scope column only filters.
const (
	titleWeight = 2
	scoreSQL    = `-bm25(memories_fts, 2.0, 1.0, 0.0)`
	matchSQL    = `SELECT f.rowid, ` + scoreSQL + ` AS score FROM memories_fts f
		WHERE f.memories_fts MATCH ? AND f.rowid >= ? ORDER BY score DESC, f.rowid DESC LIMIT ?`
)

// match ranks what matches expr in scope, from the memory with number floor on.
func (s *search) match(ctx context.Context, expr string, floor int64, limit int) ([]engram.Ranked, error) {
	query, args := matchSQL, []any{s.scoped(expr), floor}
	if len(s.rest.where) > 0 {
		// CROSS JOIN keeps the match outside: the memories table must never be the outer loop.
		query = `SELECT f.rowid, ` + scoreSQL + ` AS score FROM memories_fts f CROSS JOIN memories m ON m.num = f.rowid
			WHERE f.memories_fts MATCH ? AND f.rowid >= ? AND ` + strings.Join(s.rest.where, " AND ") +
			` ORDER BY score DESC, f.rowid DESC LIMIT ?`
		args = append(args, s.rest.args...)
	}
	var found []engram.Ranked
	err := s.tx.rows(ctx, query, append(args, limit), func(r scanner) error {
		var f engram.Ranked
		err := r.Scan(&f.Num, &f.Score)
		found = append(found, f)
		return err
	})
	return found, err
}

const textsSQL = `SELECT m.num, m.title || ' ' || coalesce(m.topic_key, '') || ' ' ||
		coalesce((SELECT group_concat(tag, ' ') FROM tags WHERE memory = m.num), ''), m.content FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value`

// reorder adds to each score what the common words are worth in that memory.
func (s *search) reorder(ctx context.Context, found []engram.Ranked, common []int) ([]engram.Ranked, error) {
	type doc struct {
		tf     []float64
		length float64
	}
	index := map[string]int{}
	for i, t := range common {
		index[s.terms[t].text] = i
	}
	nums := make([]int64, len(found))
	for i, f := range found {
		nums[i] = f.Num
	}
	docs := make(map[int64]doc, len(found))
	total := 0.0
	err := s.tx.rows(ctx, textsSQL, []any{jsonNums(nums)}, func(r scanner) error {
		var num int64
		var title, content string
		if err := r.Scan(&num, &title, &content); err != nil {
			return err
		}
		d := doc{tf: make([]float64, len(common))}
		add := func(weight float64) func(text.Token) {
			return func(t text.Token) {
				if t.Stop && weight == 1 {
					return
				}
				d.length++
				if i, ok := index[t.Text]; ok {
					d.tf[i] += weight
				}
			}
		}
		text.Scan(title, add(titleWeight))
		text.Scan(content, add(1))
		docs[num] = d
		total += d.length
		return nil
	})
	if err != nil {
		return nil, err
	}
	weigh := retrieval.BM25{Rows: s.total, Length: total / max(float64(len(docs)), 1)}
	for i, f := range found {
		d := docs[f.Num]
		for j, t := range common {
			if len(d.tf) > 0 {
				found[i].Score += weigh.Score(d.tf[j], d.length, s.terms[t].rows)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b engram.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return found, nil
}

// fill adds, behind what was found, memories with words that begin like those of the
// question: somebody who types "auth" wants authentication too.
func (s *search) fill(ctx context.Context, found []engram.Ranked) ([]engram.Ranked, error) {
	var exprs []string
	for _, term := range s.query.Terms {
		if len(term.Written) >= 3 && !term.Stop && !term.Joined {
			exprs = append(exprs, beginning(term.Written))
		}
	}
	if len(exprs) == 0 {
		return found, nil
	}
	more, err := s.newest(ctx, anyOf(exprs))
	if err != nil {
		return nil, err
	}
	have := map[int64]bool{}
	last := 0.0
	for _, f := range found {
		have[f.Num] = true
		last = f.Score
	}
	for _, f := range more {
		if len(found) == s.query.Limit {
			break
		}
		if have[f.Num] {
			continue
		}
		// Its score is of another question: all it may say is "behind the others".
		if len(have) > 0 {
			f.Score = min(f.Score, last)
		}
		last = f.Score
		found = append(found, f)
	}
	return found, nil
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
