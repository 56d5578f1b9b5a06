package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// weigh multiplies the scores by what the memories themselves are worth, and by how
// near they lie to the time that the question speaks of.
func (q *question) weigh(context.Context) error {
	spans := retrieval.Spans(q.phrases)
	for _, p := range q.phrases {
		q.times = append(q.times, engram.TimeSpan{Phrase: q.in.Query[p.Start:p.End], From: p.From, To: p.To})
	}
	now, prior := q.now(), retrieval.DefaultPrior()
	for i, f := range q.finds {
		m := q.memories[f.Num]
		factors := prior.Prior(m.Importance, q.fading.strength(m, now), now.Sub(m.CreatedAt))
		if len(spans) > 0 {
			factors = append(factors, engram.Factor{Name: "time", Value: retrieval.TimePrior(m.CreatedAt, spans)})
		}
		w := q.whyOf(f.Num)
		w.Factors = append(w.Factors, factors...)
		for _, factor := range factors {
			q.finds[i].Score *= factor.Value
		}
	}
	retrieval.Sort(q.finds)
	return nil
}
