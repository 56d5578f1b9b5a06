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
	if err := checkShare("min likeness", in.MinLikeness); err != nil {
		return in, err
	}
	switch {
	case !in.ByStrength && in.MinLikeness > 0:
		return in, engram.Errorf(engram.CodeInvalid, "min likeness is for searches by strength")
	case in.ByStrength && in.Rerank:
		return in, engram.Errorf(engram.CodeInvalid, "finds are ordered by strength or by the reranker, not by both")
	case in.ByStrength && !in.AsOf.IsZero():
		return in, engram.Errorf(engram.CodeInvalid, "a search of a time past cannot be ordered by strength")
	}
	return in, nil
}

// byRelevance orders what was found by
//
//	relevance = likeness · strength now
//	likeness  = how likely it answers · (score / greatest score)²
//
// and leaves out what is less like than was asked for. Fading orders, it hides nothing:
// memories that nobody read for half a year are all weaker than 0.3, and a least relevance
// would leave nothing of them. Who wants to be spared the weak says so (Filter.MinStrength).
//
// How likely it answers is the calibrated measure of the floor (retrieval.FloorPolicy): it
// says how good the best find is, where a score says 1. But it hardly tells good finds
// apart, and then a few months of age decide between them; hence the score. Squared, it is
// worth against strength what it should be: nDCG@10 of three label sets over years, by
// likelihood alone .55, .33, .63, times score .62, .55, .78, times its square .66, .62, .84;
// without regard to strength .69, .66, .87. A least likeness of 0.3 keeps .65 to .90 of what
// answers (.80 to .95 without) and leaves three to six times as large a share of it among
// the hits. What was named by its topic, or is listed without a question, is as like as can
// be.
//
// Source: two of the designs that Engram unites, which rank by similarity times strength;
// there the similarity is a cosine, whose scale is the model's own.
func (e *Engine) byRelevance(ctx context.Context, r engram.Reader, found *engram.Found, in SearchInput) error {
	fades, err := e.fading(ctx, r)
	if err != nil {
		return err
	}
	now := e.now()
	relevant := func(hits []engram.Hit) []engram.Hit {
		var kept []engram.Hit
		listed := false
		for _, h := range hits {
			likeness := h.Relevance
			if listed = isFrom(h, engram.ChannelRecent); listed || isFrom(h, engram.ChannelTopic) {
				likeness = 1
			}
			if likeness < in.MinLikeness {
				continue
			}
			h.Strength = fades.strength(h.Memory, now)
			h.Relevance = likeness * h.Strength
			h.Score = h.Relevance
			h.Why.Factors = append(slices.Clone(h.Why.Factors), engram.Factor{Name: "likeness", Value: likeness}, engram.Factor{Name: "strength now", Value: h.Strength})
			kept = append(kept, h)
		}
		if !listed { // else the newest stay first
			slices.SortStableFunc(kept, func(a, b engram.Hit) int { return cmp.Compare(b.Relevance, a.Relevance) })
		}
		return kept
	}
	found.Hits, found.Weak = relevant(found.Hits), relevant(found.Weak)
	return nil
}

func isFrom(h engram.Hit, c engram.Channel) bool {
	return len(h.Why.Channels) > 0 && h.Why.Channels[0].Channel == c
}

// like notes how like the question each of finds is, given how likely it is to answer for
// what speaks for it itself. What supersedes a find is as like as that at least, and what
// relations lead to as where they lead from, less what the way costs.
func (q *question) like(finds []engram.Ranked, likely func(i int) float64) {
	if !q.in.ByStrength {
		return
	}
	best := 0.0
	for _, f := range finds {
		best = max(best, f.Score)
	}
	like, score := make(map[int64]float64, len(finds)), make(map[int64]float64, len(finds))
	for i, f := range finds {
		like[f.Num], score[f.Num] = likely(i), f.Score
		if best > 0 {
			like[f.Num] *= (f.Score / best) * (f.Score / best)
		}
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
