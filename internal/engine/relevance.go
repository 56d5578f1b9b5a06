package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
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
// How likely it answers is the calibrated measure of the floor (retrieval.ThresholdPolicy): it
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
	found.Hits, found.BelowThreshold = relevant(found.Hits), relevant(found.BelowThreshold)
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

// abstain parts the finds: what is relevant, and what is too far from the question to be
// an answer. It never reorders. Only as many are looked at as are wanted.
func (q *question) abstain(ctx context.Context) (hits, weak []engram.Ranked, err error) {
	finds := q.finds[:q.wanted()]
	if q.in.All || len(finds) == 0 {
		q.like(finds, func(int) float64 { return 1 })
		return finds, nil, nil // having every word is relevant enough
	}
	evidence, err := q.evidence(ctx, finds)
	if err != nil {
		return nil, nil, err
	}
	policy := retrieval.DefaultThreshold(retrieval.Marks{Noise: q.meaning.model.Noise, Answer: q.meaning.model.Answer})
	relevant := q.relevant(finds, policy.Above(evidence))
	q.like(finds, func(i int) float64 { return policy.Relevance(evidence[i]) })
	for i, f := range finds {
		w := q.whyOf(f.Num)
		w.Factors = append(w.Factors, engram.Factor{Name: "relevance", Value: policy.Relevance(evidence[i])})
		if relevant[f.Num] {
			hits = append(hits, f)
		} else {
			weak = append(weak, f)
		}
	}
	return hits, weak, nil
}

// wanted is how many finds are looked at: as many as are shown at most, those that are
// hidden among them, and those right behind that the last ones supersede, which speak for
// them.
func (q *question) wanted() int {
	n := 0
	for shown := 0; n < len(q.finds) && shown < q.in.Limit; n++ {
		if !q.hidden[q.finds[n].Num] {
			shown++
		}
	}
	for n < len(q.finds) && len(q.newer[q.finds[n].Num]) > 0 {
		n++
	}
	return n
}

// relevant are the finds that are above the floor, what relations lead to from one of
// these, and what supersedes any of both: they need not match the question themselves.
func (q *question) relevant(finds []engram.Ranked, above []bool) map[int64]bool {
	matching := map[int64]bool{}
	for i := range above {
		matching[finds[i].Num] = above[i]
	}
	relevant := make(map[int64]bool, len(finds))
	// What supersedes a find stands before it.
	for _, f := range slices.Backward(finds) {
		if matching[f.Num] || matching[q.led[f.Num]] {
			relevant[f.Num] = true
		}
		if relevant[f.Num] {
			for _, newer := range q.newer[f.Num] {
				relevant[newer] = true
			}
		}
	}
	return relevant
}

// leastRows is how many memories the floor takes a collection to have at least. In one
// of three, any memory is among the best three; that makes none an answer.
const leastRows = 30

// evidence says of each find what speaks for it.
func (q *question) evidence(ctx context.Context, finds []engram.Ranked) ([]retrieval.Evidence, error) {
	var asked []retrieval.Asked
	var words []engram.WordCount
	for _, w := range q.lexical.Words {
		if w.Term.Joined && len(q.lexical.Words) > 1 {
			continue // its parts are asked
		}
		if w.Term.Time || w.Rows == 0 && text.Dense(w.Term.Word) {
			continue // pairs that no word has stand across two words
		}
		asked, words = append(asked, retrieval.Asked{Having: w.Rows}), append(words, w)
	}
	neighbours, err := q.neighbourPages(ctx, finds)
	if err != nil {
		return nil, err
	}
	all := make([]retrieval.Evidence, len(finds))
	covered := make([]retrieval.Covered, len(words))
	for i, f := range finds {
		p := q.reading.page(q.memories[f.Num])
		own := retrieval.Missing
		for j, w := range words {
			covered[j] = p.covers(w)
			own = max(own, covered[j])
		}
		if own > 0 { // else its neighbours answer, not it
			for j, w := range words {
				for _, n := range neighbours[f.Num] {
					covered[j] = max(covered[j], min(n.covers(w), retrieval.Beside))
				}
			}
		}
		cosine, known := q.plainCosine(f.Num)
		all[i] = retrieval.Evidence{Coverage: retrieval.Coverage(asked, covered, q.lexical.Rows), Cosine: cosine, Known: known,
			Words: len(words), Rows: max(q.lexical.Rows, leastRows)}
	}
	return all, nil
}

// plainCosine is the cosine of the question and a find as the model gives it: what the
// marks of its manifest are about. The ranking's own leans to what was found first.
func (q *question) plainCosine(num int64) (cosine float64, known bool) {
	v := q.meaning.near[num]
	if v == nil || q.meaning.plain == nil {
		return 0, false
	}
	return retrieval.Cosine(q.meaning.plain, v), true
}

// neighbourPages reads what stands before and after each find in its session.
func (q *question) neighbourPages(ctx context.Context, finds []engram.Ranked) (map[int64][]page, error) {
	beside, err := q.r.Beside(ctx, numsOf(finds))
	if err != nil {
		return nil, err
	}
	var nums []int64
	for _, b := range beside {
		nums = append(nums, b.Before.Num, b.After.Num)
	}
	slices.Sort(nums)
	ms, err := q.r.Memories(ctx, slices.Compact(nums))
	if err != nil {
		return nil, err
	}
	pages := make(map[int64]page, len(ms))
	for _, m := range ms {
		pages[m.Num] = q.reading.page(m)
	}
	around := make(map[int64][]page, len(beside))
	for num, b := range beside {
		for _, n := range []int64{b.Before.Num, b.After.Num} {
			if p, read := pages[n]; read {
				around[num] = append(around[num], p)
			}
		}
	}
	return around, nil
}
