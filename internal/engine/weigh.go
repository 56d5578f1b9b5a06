package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// weigh multiplies the scores by what the memories themselves are worth, and by how
// near they lie to the time that the question speaks of.
func (q *question) weigh(ctx context.Context) error {
	spans, err := q.spans(ctx)
	if err != nil {
		return err
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

// spans are the stretches of time that the question speaks of.
func (q *question) spans(ctx context.Context) ([]retrieval.Span, error) {
	var spans []retrieval.Span
	for _, p := range q.phrases {
		found := retrieval.Spans([]text.TimePhrase{p})
		if p.Event != "" {
			at, known, err := q.timeOf(ctx, p.Event)
			if err != nil {
				return nil, err
			}
			if known {
				found = []retrieval.Span{retrieval.EventSpan(at, p.Relation)}
			}
		}
		for _, span := range found {
			spans = append(spans, span)
			q.times = append(q.times, engram.TimeSpan{Phrase: q.in.Query[p.Start:p.End], From: span.From, To: span.To})
		}
	}
	return spans, nil
}

// timeOf is when an event was written down: the time of the best memory in scope that
// has all of its words.
func (q *question) timeOf(ctx context.Context, event string) (at time.Time, known bool, err error) {
	f := engram.Filter{Project: q.in.Filter.Project}
	found, err := q.r.Lexical(ctx, engram.LexicalQuery{Terms: text.Query(event), All: true, Filter: f, Limit: 1})
	if err != nil || len(found.Hits) == 0 {
		return at, false, err
	}
	ms, err := q.r.Memories(ctx, numsOf(found.Hits))
	if err != nil || len(ms) == 0 {
		return at, false, err
	}
	return ms[0].CreatedAt, true, nil
}
