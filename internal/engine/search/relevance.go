package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/retrieval"
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
// (share of the greatest score)². It drops hits below in.MinLikeness, or marks the best three
// uncertain if that is all. Fading reorders but hides nothing: after half a year unread, all memories are weaker than
// 0.3. Filter.MinStrength excludes weak ones.
//
// The probability is the calibrated one of the relevance threshold (retrieval.ThresholdPolicy): it says how
// good the best hit is, where a relative score is always 1. But it barely separates good hits, so that a few
// months of age would decide; hence the score, squared to balance strength. nDCG@10 on three label sets over
// years: probability alone .55, .33, .63; times score .62, .55, .78; times squared score .66, .62, .84; without
// strength .69, .66, .87. A least likeness of 0.3 keeps .65 to .90 of the answers (.80 to .95 without) and
// triples to sextuples their share of the hits. Hits by topic, or listed without a question, have likeness 1; those listed behind finds the least of these.
//
// Source: two of the designs that Engram unites rank by similarity × strength, with a cosine, whose scale
// depends on the model.
func (f *Finder) byRelevance(ctx context.Context, r engram.Reader, found *engram.Found, in SearchInput) error {
	fades, err := f.Fading(ctx, r)
	if err != nil {
		return err
	}
	now := f.ledger.Now()
	relevant := func(hits []engram.Hit, least float64) []engram.Hit {
		var kept []engram.Hit
		listed := 1.0 // the likeness of what is listed: beside finds that of the last of them
		for _, h := range hits {
			likeness := h.Relevance
			switch {
			case isFrom(h, engram.ChannelRecent):
				likeness = listed
			case isFrom(h, engram.ChannelTopic):
				likeness = 1
			default:
				listed = min(listed, likeness)
			}
			if likeness < least {
				continue
			}
			h.Strength = fades.Strength(h.Memory, now)
			h.Relevance = likeness * h.Strength
			h.Score = h.Relevance
			h.Why.Factors = append(slices.Clone(h.Why.Factors), engram.Factor{Name: "likeness", Value: likeness}, engram.Factor{Name: "strength now", Value: h.Strength})
			kept = append(kept, h)
		}
		if !(engram.Found{Hits: hits}).Listed() {
			slices.SortStableFunc(kept, func(a, b engram.Hit) int { return cmp.Compare(b.Relevance, a.Relevance) })
		}
		return kept
	}
	hits := relevant(found.Hits, in.MinLikeness)
	if len(hits) == 0 && len(found.Hits) > 0 { // a least likeness that excludes all of them
		hits = relevant(found.Hits, 0)
		hits, found.Uncertain = hits[:min(len(hits), mostUncertain)], true
	}
	found.Hits, found.BelowThreshold = hits, relevant(found.BelowThreshold, in.MinLikeness)
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
	like, score := make(map[int64]float64, len(finds)), make(map[int64]float64, len(finds))
	for i, f := range finds {
		like[f.Num], score[f.Num] = likely(i)*q.share[f.Num]*q.share[f.Num], f.Score
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
func (q *Question) abstain() (hits, weak []engram.Ranked) {
	finds := q.finds[:q.wanted()]
	if q.in.All || len(finds) == 0 {
		q.like(finds, func(int) float64 { return 1 })
		return finds, nil // having every word is relevant enough
	}
	evidence := q.evidence(finds)
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
	if len(hits) == 0 {
		q.uncertain = q.uncertainOf(finds, evidence, policy)
	}
	return hits, weak
}

// leastJudged is how many finds are examined whatever the limit is, so that a smaller limit shows the first of the same
// hits.
const leastJudged = 10

// wanted returns how many finds to examine: the limit plus hidden ones, plus superseded ones right behind,
// which count as evidence for their successors.
func (q *Question) wanted() int {
	n := 0
	for shown := 0; n < len(q.finds) && shown < max(q.in.Limit, leastJudged); n++ {
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

// evidence returns what supports each find.
func (q *Question) evidence(finds []engram.Ranked) []retrieval.Evidence {
	q.match(walk.NumsOf(finds))
	asked := inOrder(q.in.Query, mostAsked)
	unspoken := !slices.ContainsFunc(q.asking.asked, func(a retrieval.Asked) bool { return a.Having > 0 })
	lacking := retrieval.Lacking(q.asking.asked, q.lexical.Rows)
	all := make([]retrieval.Evidence, len(finds))
	for i, f := range finds {
		cosine, known := q.plainCosine(f.Num)
		m := q.matched[f.Num]
		all[i] = retrieval.Evidence{Coverage: retrieval.Coverage(q.asking.asked, m.around, q.lexical.Rows), Specific: retrieval.Specific(q.asking.asked, m.Covered),
			Asked: len(asked), Lacking: lacking, Cosine: cosine, Known: known, Unspoken: unspoken, Rows: q.lexical.Rows}
		if len(asked) > 1 {
			all[i].Run = retrieval.Run(asked, q.textCache.inOrder(q.memories[f.Num]))
		}
	}
	return all
}

// plainCosine returns the cosine by the model's own vector, to which the marks of its manifest apply. The
// ranking's vector was moved by feedback.
func (q *Question) plainCosine(num int64) (cosine float64, known bool) {
	if cosine, known = q.likenessBySecond(num); known {
		return cosine, known
	}
	v := q.meaning.near[num]
	if v == nil || q.meaning.plain == nil {
		return 0, false
	}
	cosine = retrieval.Cosine(q.meaning.plain, v)
	return cosine, cosine != 0 // 0 is that of a text without a word that the model knows, such as a Chinese one
}
