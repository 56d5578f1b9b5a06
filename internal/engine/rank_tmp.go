package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

func (q *question) smooth(ctx context.Context) error {
	if q.in.All {
		return nil
	}
	hits := q.lexical.Hits
	beside, err := q.r.Beside(ctx, numsOf(hits))
	if err != nil {
		return err
	}
	score := map[int64]float64{}
	size := map[int64]int{}
	gain := map[int64]float64{}
	for _, h := range hits {
		score[h.Num] = h.Score
	}
	for _, h := range hits {
		b, ok := beside[h.Num]
		if !ok {
			continue
		}
		size[h.Num] = b.Size
		size[b.Before.Num], size[b.After.Num] = b.Before.Size, b.After.Size
		for _, n := range []int64{b.Before.Num, b.After.Num} {
			if n != 0 {
				gain[n] = max(gain[n], h.Score)
			}
		}
	}
	for n, g := range gain {
		gate := min(1, 240/float64(max(size[n], 1)))
		score[n] += 0.5 * g * gate
	}
	var out []engram.Ranked
	for n, s := range score {
		out = append(out, engram.Ranked{Num: n, Score: s})
	}
	sortRanked(out)
	q.lexical.Hits = out
	return nil
}

func sortRanked(out []engram.Ranked) {
	slices.SortFunc(out, func(a, b engram.Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Num, a.Num)) })
}

func (q *question) fuse(ctx context.Context) error {
	w := q.meaning.model.Weight
	if len(q.meaning.finds) == 0 {
		w = 0
	}
	if q.in.Mode == ModeSemantic {
		w = 1
	}
	score := map[int64]float64{}
	if len(q.lexical.Hits) > 0 {
		most := q.lexical.Hits[0].Score
		for _, h := range q.lexical.Hits {
			score[h.Num] += (1 - w) * h.Score / most
		}
	}
	if len(q.meaning.finds) > 0 {
		hi, lo := 0.0, 1.0
		for _, h := range q.meaning.finds {
			hi, lo = max(hi, h.Score), min(lo, h.Score)
		}
		lo = max(lo, 0)
		for _, h := range q.meaning.finds {
			score[h.Num] += w * max(h.Score-lo, 0) / (hi - lo + 1e-9)
		}
	}
	var out []engram.Ranked
	for n, s := range score {
		out = append(out, engram.Ranked{Num: n, Score: s})
	}
	sortRanked(out)
	q.finds = out
	return nil
}
