package search

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// relevanceDepth is the least number of finds ranked by strength: a faded one may match best, and a strong one
// may rank below the limit.
const relevanceDepth = 50

// cleanRelevance validates a search by strength. It excludes a reranker, which has its own order, and past
// times, for which only words are known, no measure of likeness.
func (in SearchInput) cleanRelevance() (SearchInput, error) {
	if err := screen.CheckShare("min likeness", in.MinLikeness); err != nil {
		return in, err
	}
	switch {
	case !in.ByStrength && in.MinLikeness > 0:
		return in, engram.Errorf(engram.CodeInvalid, "min likeness needs a search by strength")
	case in.ByStrength && in.Rerank:
		return in, engram.Errorf(engram.CodeInvalid, "cannot order by strength and by the reranker")
	case in.ByStrength && !in.AsOf.IsZero():
		return in, engram.Errorf(engram.CodeInvalid, "cannot order a search of a past time by strength")
	}
	return in, nil
}

// byRelevance orders hits by relevance = likeness × strength now, where likeness = probability of answering ×
// (score / greatest score)². It drops hits below in.MinLikeness. Fading reorders but hides nothing: after half
// a year unread, all memories are weaker than 0.3. Filter.MinStrength excludes weak ones.
//
// The probability is the calibrated one of the relevance threshold (retrieval.ThresholdPolicy): it says how
// good the best hit is, where a relative score is always 1. But it barely separates good hits, so that a few
// months of age would decide; hence the score, squared to balance strength. nDCG@10 on three label sets over
// years: probability alone .55, .33, .63; times score .62, .55, .78; times squared score .66, .62, .84; without
// strength .69, .66, .87. A least likeness of 0.3 keeps .65 to .90 of the answers (.80 to .95 without) and
// triples to sextuples their share of the hits. Hits by topic, or listed without a question, have likeness 1.
//
// Source: two of the designs that Engram unites rank by similarity × strength, with a cosine, whose scale
// depends on the model.
func (f *Finder) byRelevance(ctx context.Context, r engram.Reader, found *engram.Found, in SearchInput) error {
	fades, err := f.Fading(ctx, r)
	if err != nil {
		return err
	}
	now := f.ledger.Now()
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
			h.Strength = fades.Strength(h.Memory, now)
			h.Relevance = likeness * h.Strength
			h.Score = h.Relevance
			h.Why.Factors = append(slices.Clone(h.Why.Factors), engram.Factor{Name: "likeness", Value: likeness}, engram.Factor{Name: "strength now", Value: h.Strength})
			kept = append(kept, h)
		}
		if !listed { // otherwise newest first
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

// like sets the likeness of finds from each one's own probability of answering. What supersedes a find is at
// least as like; what relations lead to inherits their origin's likeness, reduced by the score ratio.
func (q *Question) like(finds []engram.Ranked, likely func(i int) float64) {
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
	// What supersedes a find precedes it.
	for _, f := range slices.Backward(finds) {
		for _, newer := range q.newer[f.Num] {
			like[newer] = max(like[newer], like[f.Num])
		}
	}
	q.likeness = like
}

// abstain splits the finds into relevant ones and those below the threshold, in order. It examines only as many
// as are wanted.
func (q *Question) abstain(ctx context.Context) (hits, weak []engram.Ranked, err error) {
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
		q.factor(f.Num, engram.Factor{Name: "relevance", Value: policy.Relevance(evidence[i])})
		if relevant[f.Num] {
			hits = append(hits, f)
		} else {
			weak = append(weak, f)
		}
	}
	return hits, weak, nil
}

// wanted returns how many finds to examine: the limit plus hidden ones, plus superseded ones right behind,
// which count as evidence for their successors.
func (q *Question) wanted() int {
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

// relevant returns the finds above the threshold, those that relations lead to from these, and those that
// supersede any of them, which need not match themselves.
func (q *Question) relevant(finds []engram.Ranked, above []bool) map[int64]bool {
	matching := map[int64]bool{}
	for i := range above {
		matching[finds[i].Num] = above[i]
	}
	relevant := make(map[int64]bool, len(finds))
	// What supersedes a find precedes it.
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

// leastRows is the smallest collection size the threshold assumes. In a collection of three, any memory ranks
// among the best three without being an answer.
const leastRows = 30

// evidence returns what supports each find.
func (q *Question) evidence(ctx context.Context, finds []engram.Ranked) ([]retrieval.Evidence, error) {
	var asked []retrieval.Asked
	var words []engram.WordCount
	for _, w := range q.lexical.Words {
		if w.Term.Joined && len(q.lexical.Words) > 1 {
			continue // its parts are included
		}
		if w.Term.Time || w.Rows == 0 && text.Dense(w.Term.Word) {
			continue // a pair of characters that no memory has spans two words
		}
		asked, words = append(asked, retrieval.Asked{Having: w.Rows}), append(words, w)
	}
	neighbours, err := q.neighbourLexemes(ctx, finds)
	if err != nil {
		return nil, err
	}
	all := make([]retrieval.Evidence, len(finds))
	covered := make([]retrieval.Covered, len(words))
	for i, f := range finds {
		p := q.reading.lexemes(q.memories[f.Num])
		own := retrieval.Missing
		for j, w := range words {
			covered[j] = p.covers(w)
			own = max(own, covered[j])
		}
		if own > 0 { // otherwise only its neighbours answer
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

// plainCosine returns the cosine by the model's own vector, to which the marks of its manifest apply. The
// ranking's vector was moved by feedback.
func (q *Question) plainCosine(num int64) (cosine float64, known bool) {
	v := q.meaning.near[num]
	if v == nil || q.meaning.plain == nil {
		return 0, false
	}
	cosine = retrieval.Cosine(q.meaning.plain, v)
	return cosine, cosine != 0 // 0 is that of a text without a word that the model knows, such as a Chinese one
}

// neighbourLexemes returns the words of what precedes and follows each find in its session.
func (q *Question) neighbourLexemes(ctx context.Context, finds []engram.Ranked) (map[int64][]lexemes, error) {
	asked := make(map[int64]engram.Beside, len(finds))
	var unknown []int64
	for _, f := range finds {
		if b, known := q.lexical.Beside[f.Num]; known {
			asked[f.Num] = b
		} else {
			unknown = append(unknown, f.Num)
		}
	}
	if len(unknown) > 0 {
		beside, err := q.r.Beside(ctx, unknown)
		if err != nil {
			return nil, err
		}
		maps.Copy(asked, beside)
	}
	var nums []int64
	for _, b := range asked {
		nums = append(nums, b.Before.Num, b.After.Num)
	}
	slices.Sort(nums)
	ms, err := q.r.Memories(ctx, slices.Compact(nums))
	if err != nil {
		return nil, err
	}
	parsed := make(map[int64]lexemes, len(ms))
	for _, m := range ms {
		parsed[m.Num] = q.reading.lexemes(m)
	}
	around := make(map[int64][]lexemes, len(asked))
	for num, b := range asked {
		for _, n := range []int64{b.Before.Num, b.After.Num} {
			if p, read := parsed[n]; read {
				around[num] = append(around[num], p)
			}
		}
	}
	return around, nil
}
