package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// relevanceDepth is how many finds are weighed by their strength, at least: a faded one may
// stand first by what it says, and a strong one behind the last that is wanted.
const relevanceDepth = 50

// cleanRelevance checks what a search by strength asks for. A reranker has an order of its
// own, and of a time past only words are known, which are no measure of likeness.
func (in SearchInput) cleanRelevance() (SearchInput, error) {
	if err := checkShare("min relevance", in.MinRelevance); err != nil {
		return in, err
	}
	switch {
	case !in.ByStrength && in.MinRelevance > 0:
		return in, engram.Errorf(engram.CodeInvalid, "min relevance is for searches by strength")
	case in.ByStrength && in.Rerank:
		return in, engram.Errorf(engram.CodeInvalid, "finds are ordered by strength or by the reranker, not by both")
	case in.ByStrength && !in.AsOf.IsZero():
		return in, engram.Errorf(engram.CodeInvalid, "a search of a time past cannot be ordered by strength")
	}
	if in.ByStrength {
		// Nothing is more relevant than it is strong.
		in.Filter.MinStrength = max(in.Filter.MinStrength, in.MinRelevance)
	}
	return in, nil
}

// byRelevance orders what was found by
//
//	relevance = likeness · strength now
//
// and leaves out what is below the least relevance asked for. The likeness is how likely
// the memory is to answer the question, 0 to 1, whatever else was found: the calibrated
// measure of the floor (retrieval.FloorPolicy). The score of a search would not do: it says
// how far a find is behind the best one, which would be perfect in every answer. A memory
// that was named by its topic, or that a question without words lists, is as like as can be.
//
// Source: two of the designs that Engram unites, which rank by similarity times strength;
// there the similarity is a cosine, whose scale is the model's own.
func (e *Engine) byRelevance(ctx context.Context, r engram.Reader, found *engram.Found, in SearchInput) error {
	fades, err := e.fading(ctx, r)
	if err != nil {
		return err
	}
	now, listed := e.now(), false
	for _, hits := range [][]engram.Hit{found.Hits, found.Weak} {
		for i := range hits {
			h := &hits[i]
			likeness, strength := h.Relevance, fades.strength(h.Memory, now)
			if isFrom(*h, engram.ChannelTopic) || isFrom(*h, engram.ChannelRecent) {
				likeness, listed = 1, listed || isFrom(*h, engram.ChannelRecent)
			}
			h.Strength, h.Relevance = strength, likeness*strength
			h.Score = h.Relevance
			h.Why.Factors = append(slices.Clone(h.Why.Factors), engram.Factor{Name: "likeness", Value: likeness}, engram.Factor{Name: "strength now", Value: strength})
		}
	}
	found.Hits, found.Weak = relevantFrom(found.Hits, in.MinRelevance, listed), relevantFrom(found.Weak, in.MinRelevance, listed)
	return nil
}

// relevantFrom are the hits of at least so much relevance, the most relevant first; those
// that are listed without a question stay in their order, the newest first.
func relevantFrom(hits []engram.Hit, least float64, listed bool) []engram.Hit {
	hits = slices.DeleteFunc(hits, func(h engram.Hit) bool { return h.Relevance < least })
	if !listed {
		slices.SortStableFunc(hits, func(a, b engram.Hit) int { return cmp.Compare(b.Relevance, a.Relevance) })
	}
	return hits
}

func isFrom(h engram.Hit, c engram.Channel) bool {
	return len(h.Why.Channels) > 0 && h.Why.Channels[0].Channel == c
}

// like notes how likely each of finds is to answer: as likely as what speaks for it itself
// says, and as what it supersedes. What relations lead to is as likely as where they lead
// from, less what the way costs. Only a search by strength asks.
func (q *question) like(finds []engram.Ranked, own func(i int) float64) {
	if !q.in.ByStrength {
		return
	}
	like, score := make(map[int64]float64, len(finds)), make(map[int64]float64, len(finds))
	for i, f := range finds {
		like[f.Num], score[f.Num] = own(i), f.Score
	}
	for _, f := range finds {
		if from := q.led[f.Num]; score[from] > 0 {
			like[f.Num] = max(like[f.Num], like[from]*min(score[f.Num]/score[from], 1))
		}
	}
	// What supersedes a find stands before it.
	for _, f := range slices.Backward(finds) {
		for _, newer := range q.newer[f.Num] {
			like[newer] = max(like[newer], like[f.Num])
		}
	}
	q.likeness = like
}
