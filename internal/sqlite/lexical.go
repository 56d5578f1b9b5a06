package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// Lexical ranks the memories that match q, best first.
//
// The index finds, and what it found is weighed outside it (weigh.go): FTS5 knows how
// rare a word is in the whole store only, and what one project's talk is made of may
// be rare everywhere else. Ranking an entry costs twenty times what counting it does,
// so the words are counted first and only the rare ones searched by, as many as
// retrieval.Choose allows; a question of common words alone is answered from the
// newest memories that have one. Filters on project, type, scope and tag are words
// inside the match; the others test the rows it gives.
func (t *tx) Lexical(ctx context.Context, q engram.LexicalQuery) (engram.Lexical, error) {
	if len(q.Terms) == 0 || q.Filter.Forgotten {
		return engram.Lexical{}, nil
	}
	s, err := t.newSearch(ctx, q)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return engram.Lexical{}, nil // a project that does not exist has no memories
	}
	if err != nil {
		return engram.Lexical{}, err
	}
	answer := engram.Lexical{Rows: s.rows}
	if answer.Hits, err = s.run(ctx); err != nil {
		return engram.Lexical{}, fmt.Errorf("search: %w", err)
	}
	for i, w := range s.terms {
		answer.Words = append(answer.Words, engram.WordCount{Term: q.Terms[i], Matched: []string{w.text}, Rows: w.rows})
	}
	return answer, nil
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
	enough  int // memories with a word from which on it is not counted further
	budget  float64
	terms   []word
}

// word is a term of the question with what the index has for it.
type word struct {
	expr   string // FTS5 expression; "" when the index has nothing
	text   string // the indexed word, or how those of a family begin
	family bool   // every word that begins like text
	rows   int    // memories in scope that have it, up to search.enough
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
	if err := s.tx.row(ctx, sizeSQL, nil, &s.total); err != nil {
		return err
	}
	s.rows, s.enough = s.total, retrieval.TooCommon
	if s.scope == "" {
		return nil
	}
	const enough = 50_000 // more precisely than this nobody needs to know
	err := s.tx.row(ctx, countSQL, []any{s.scope, enough}, &s.rows)
	// A word that half of them have tells nothing apart: there is no need to count on.
	// In a small project every word finds all the same.
	const small = 20
	s.enough = min(s.enough, max(s.rows/2, small)+1)
	return err
}

// count says how many memories in scope match an expression, up to s.enough.
func (s *search) count(ctx context.Context, expr string) (n int, err error) {
	expr = s.scoped(expr)
	if n, ok := s.tx.words.get(expr, s.total); ok {
		return n, nil
	}
	if err = s.tx.row(ctx, countSQL, []any{expr, s.enough}, &n); err == nil {
		s.tx.words.put(expr, n)
	}
	return n, err
}

// load is what ranking by a word costs; the rest of the store is taken to use it as
// much as the memories in scope.
func (s *search) load(w word) retrieval.Load {
	return retrieval.Load{Scope: w.rows, Store: w.rows * max(s.total, s.rows) / max(s.rows, 1), Common: w.rows >= s.enough}
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

// briefTerms is the number of words up to which a question counts as typed for a
// search, where a word may be half a word. In a longer one the others find the answer.
const briefTerms = 6

// look finds what the index has for a term: the word itself, or, where it lacks the
// word, the words that begin like what was written, or the longest word that what
// was written begins with (half a word has no stem).
func (s *search) look(ctx context.Context, term engram.Term) (word, error) {
	w := word{expr: quote(term.Word), text: term.Word}
	var err error
	if w.rows, err = s.count(ctx, w.expr); err != nil || w.rows > 0 {
		return w, err
	}
	if len(s.query.Terms) > briefTerms {
		return word{}, nil
	}
	for _, w := range likely(term.Written) {
		if w.rows, err = s.count(ctx, w.expr); err != nil || w.rows > 0 {
			return w, err
		}
	}
	return word{}, nil
}

// likely lists, best first, what may stand for a word that the index does not have.
func likely(written string) []word {
	const least = 4 // shorter beginnings belong to everything
	r := []rune(written)
	if len(r) < 3 {
		return nil
	}
	words := []word{{expr: beginning(written), text: written, family: true}}
	for n := len(r) - 1; n >= max(least, len(r)-6); n-- {
		words = append(words, word{expr: quote(string(r[:n])), text: string(r[:n])})
	}
	return words
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

// candidates is how many memories the index finds for weigh to order; a hundred measure
// no better. The best of a
// question is among the first dozen by any weights.
const candidates = 60

// some ranks the memories that have any of the words.
func (s *search) some(ctx context.Context) ([]engram.Ranked, error) {
	loads := make([]retrieval.Load, len(s.terms))
	for i, w := range s.terms {
		loads[i] = s.load(w)
	}
	use, rest := retrieval.Choose(loads, s.rows, s.budget)
	var found []engram.Ranked
	var err error
	switch wanted := max(candidates, s.query.Limit); {
	case len(use) > 0:
		found, err = s.match(ctx, s.anyOf(use), 0, wanted)
	case len(rest) > 0:
		found, err = s.newest(ctx, s.anyOf(rest), wanted)
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if found, err = s.weigh(ctx, found); err != nil {
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
func (s *search) newest(ctx context.Context, expr string, limit int) ([]engram.Ranked, error) {
	query, args := floorSQL, []any{newestRows}
	if s.query.Filter.Project != "" {
		query, args = projectFloorSQL, []any{s.project, newestRows}
	}
	var floor int64
	if err := s.tx.row(ctx, query, args, &floor); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	return s.match(ctx, expr, floor, limit)
}

// The title counts twice (docs/adr/0004 has the figures); the scope column only filters.
const (
	titleWeight = 2
	scoreSQL    = `-bm25(memories_fts, 2.0, 1.0, 0.0)` // 2.0 is titleWeight
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
	more, err := s.newest(ctx, anyOf(exprs), s.query.Limit)
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
