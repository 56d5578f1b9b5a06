package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// divide parts the finds: what is relevant, and what is too far from the question to be
// an answer. It never reorders. Only as many are looked at as are wanted.
func (q *question) divide(ctx context.Context) (hits, weak []engram.Ranked, err error) {
	finds := q.finds[:q.wanted()]
	if q.in.All || len(finds) == 0 {
		q.like(finds, func(int) float64 { return 1 })
		return finds, nil, nil // having every word is relevant enough
	}
	evidence, err := q.evidence(ctx, finds)
	if err != nil {
		return nil, nil, err
	}
	policy := retrieval.DefaultFloor(retrieval.Marks{Noise: q.meaning.model.Noise, Answer: q.meaning.model.Answer})
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
