package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// newestFirst puts the later of two finds about the same first, unless the question asks for a time or what was.
func (q *Question) newestFirst(context.Context) error {
	if q.in.All || q.Wordless() || len(q.phrases) > 0 || text.AsksPast(q.in.Query) || slices.ContainsFunc(q.Terms, names) {
		return nil
	}
	best := q.finds[:min(len(q.finds), newestRead)]
	q.match(walk.NumsOf(best))
	stated := walk.Mapped(best, func(f engram.Ranked) retrieval.Stated {
		m := q.memories[f.Num]
		return retrieval.Stated{Ranked: f, Project: m.Project, Type: m.Type, At: SaidAt(*m), Covers: q.matched[f.Num].Covered,
			Placed: len(q.newer[f.Num]) > 0, Named: q.named[f.Num], Said: q.textCache.said(m), Vector: q.meaning.near[f.Num]}
	})
	subject := retrieval.Subject{Words: q.asking.wanted, Asked: q.asking.asked, Rows: q.lexical.Rows, Cohesion: q.leans.cohesion, Pair: q.pairs()}
	if knows, ok := q.finder.ledger.Embedder.(engram.WordEmbedder); ok {
		subject.Line = knows.Line
	}
	placed, over := retrieval.NewestFirst(stated, subject)
	for i, s := range placed {
		q.finds[i] = s.Ranked
	}
	for num, older := range over {
		q.note(num, "newer than #%d about the same", older)
	}
	return nil
}

// names reports whether a term is a name or has a number: what shares its parts is not about the same.
func names(t engram.Term) bool { return t.Joined || strings.ContainsAny(t.Written, "0123456789") }

// newestRead is how many of the best finds newestFirst compares: readers see few more, and each costs microseconds.
const newestRead = 8

// SaidAt returns when a memory got its text; repeats and marks do not count.
func SaidAt(m engram.Memory) time.Time {
	if m.RevisionCount > 1 {
		return m.UpdatedAt
	}
	return m.CreatedAt
}

// pairs returns what the relations that byRelation read say of a pair.
func (q *Question) pairs() func(a, b int64) retrieval.Likely {
	known := map[[2]int64]retrieval.Likely{}
	for _, r := range q.around {
		pair := [2]int64{min(r.Source, r.Target), max(r.Source, r.Target)}
		switch {
		case !r.Judgment():
		case r.Verb == engram.VerbContradicts && r.Status != engram.RelationIgnored:
			known[pair] = retrieval.Conflicted
		default:
			known[pair] = retrieval.Different
		}
	}
	return func(a, b int64) retrieval.Likely { return known[[2]int64{min(a, b), max(a, b)}] }
}
