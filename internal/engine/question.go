package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/text"
)

// depth is how many finds of each channel are looked at: what stands further down in
// all of them is no answer.
const depth = 400

// question is one search on its way to an answer. Its steps stand in the order in
// which answer calls them.
type question struct {
	*Engine
	r     engram.Reader
	in    SearchInput
	terms []engram.Term

	lexical engram.Lexical
	nearest []engram.Ranked
	model   engram.Model
	order   []engram.Ranked // the finds so far, best first
	why     map[int64]*engram.Why
}

func newQuestion(e *Engine, r engram.Reader, in SearchInput) *question {
	return &question{Engine: e, r: r, in: in, terms: text.Query(in.Query), why: map[int64]*engram.Why{}}
}

// wordless reports whether a question has no word that says what it is about.
func (q *question) wordless() bool { return len(q.terms) == 0 }

// answer finds, orders and divides.
func (q *question) answer(ctx context.Context, found *engram.Found) error {
	var err error
	if q.in.Mode != ModeSemantic {
		q.lexical, err = q.r.Lexical(ctx, engram.LexicalQuery{Terms: q.terms, All: q.in.All, Filter: q.in.Filter, Limit: depth})
		if err != nil {
			return err
		}
	}
	q.order = q.lexical.Hits
	for i, h := range q.order {
		q.channel(h, engram.ChannelLexical, i+1)
	}
	found.Hits, err = q.hits(ctx, q.order[:min(len(q.order), q.in.Limit)])
	return err
}

func (q *question) channel(f engram.Ranked, c engram.Channel, rank int) {
	w := q.whyOf(f.Num)
	w.Channels = append(w.Channels, engram.ChannelRank{Channel: c, Rank: rank, Score: f.Score})
}

func (q *question) whyOf(num int64) *engram.Why {
	if q.why[num] == nil {
		q.why[num] = &engram.Why{}
	}
	return q.why[num]
}

// hits reads the memories of a ranking.
func (q *question) hits(ctx context.Context, ranked []engram.Ranked) ([]engram.Hit, error) {
	nums := make([]int64, len(ranked))
	for i, f := range ranked {
		nums[i] = f.Num
	}
	ms, err := q.r.Memories(ctx, nums)
	if err != nil {
		return nil, err
	}
	hits := make([]engram.Hit, len(ms))
	for i, m := range ms {
		score := 0.0
		if at := slices.IndexFunc(ranked, func(f engram.Ranked) bool { return f.Num == m.Num }); at >= 0 {
			score = ranked[at].Score
		}
		hits[i] = engram.Hit{Memory: m, Score: score, State: lifecycle.State(m, q.now()), Why: *q.whyOf(m.Num)}
	}
	return hits, nil
}
