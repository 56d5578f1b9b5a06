package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// withTimes marks the terms that stand in an expression of time. They are looked for,
// because a memory may speak of the time in the same words, but no memory needs them.
func withTimes(terms []engram.Term, question string, phrases []text.TimePhrase) []engram.Term {
	times := map[string]bool{}
	for _, p := range phrases {
		text.Scan(question[p.Start:p.End], func(t text.Token) { times[t.Text()] = true })
	}
	for i, t := range terms {
		terms[i].Time = times[t.Word]
	}
	return terms
}

// onlyWhen reports whether a question asks for a time and nothing else, and the stretch
// it asks for: "what did we decide yesterday" is a question about yesterday.
func (q *question) onlyWhen() (from, to time.Time, ok bool) {
	for _, t := range q.terms {
		if !t.Time && !t.Stop && !text.Asks(t.Written) {
			return from, to, false
		}
	}
	if len(q.phrases) == 0 {
		return from, to, false
	}
	return q.phrases[0].From, q.phrases[0].To, true
}

// inSpan lists what was made in a stretch of time, the newest first.
func (q *question) inSpan(ctx context.Context, from, to time.Time) ([]engram.Hit, error) {
	f := q.in.Filter
	if f.Since.Before(from) {
		f.Since = from.UTC()
	}
	if !to.IsZero() && (f.Until.IsZero() || to.Before(f.Until)) {
		f.Until = to.UTC()
	}
	if !f.Until.IsZero() && !f.Since.Before(f.Until) {
		return nil, nil
	}
	return q.Engine.newest(ctx, q.r, f, q.in.Limit)
}
