package search

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// second is what a model finds beside the built-in one, which takes part in every question: it reads the question's
// words, and how memories hang together was measured with it. A model that reads whole texts adds its ranking to theirs.
type second struct {
	embedder engram.Embedder
	model    engram.Model
	plain    []float32           // of the question
	finds    []engram.Ranked     // by cosine, in no order
	near     map[int64][]float32 // vectors of the finds
}

// bySecond asks the second model's vectors for its own finds, and how near those of the other channels are. What all
// memories have in common is not taken off the question, as it is for the built-in model: R@10 .763 to .761 with it.
func (q *Question) bySecond(ctx context.Context) error {
	s := q.second
	if s == nil {
		return nil
	}
	s.model = s.embedder.Model()
	words := q.lexical.Hits[:min(len(q.lexical.Hits), nearDepth)]
	s.near = make(map[int64][]float32, 2*nearDepth+len(words))
	if _, err := q.r.Nearest(ctx, engram.VectorQuery{Model: s.model.Fingerprint, Vector: s.plain, Filter: q.in.Filter, Limit: nearDepth,
		Vectors: s.near, Also: slices.Concat(walk.NumsOf(words), walk.NumsOf(q.meaning.finds))}); err != nil {
		return err
	}
	s.finds = make([]engram.Ranked, 0, len(s.near))
	for num, v := range s.near {
		s.finds = append(s.finds, engram.Ranked{Num: num, Score: retrieval.Cosine(s.plain, v)})
	}
	q.meaning.first = slices.Clone(s.finds)
	return nil
}

// fuseSecond adds the second model's ranking to the others', to choose which finds are read.
func (q *Question) fuseSecond() {
	s := q.second
	if s == nil || len(s.finds) == 0 {
		return
	}
	weight := s.model.Weight
	if q.in.Mode == ModeSemantic { // the share of words is gone
		weight /= weight + (1-weight)*q.meaning.model.Weight
	}
	if q.fusion(s.model) == engram.FusionRank {
		retrieval.Sort(q.finds)
		retrieval.Sort(s.finds)
		q.finds = q.room.fuser.Ranks(weight, q.finds, s.finds)
	} else {
		q.finds = q.room.fuser.Scores(weight, q.finds, s.finds)
	}
}

// secondLast reports whether the second model's ranking is added once more is known of the finds than their scores: then
// it has its whole weight against all of that. With the encoder in the program R@10 / nDCG@10 is .763 / .628 in the mean of
// six label sets, .760 / .627 where it is added at first, and .760 / .623 without.
func (q *Question) secondLast() bool {
	_, knows := q.embedder.(engram.WordEmbedder) // without one, near words do not fuse the channels again
	return q.second != nil && knows && q.in.Mode == ModeHybrid && len(q.lexical.Hits) > 0 && !q.Wordless()
}

// keepSecond keeps what the second model alone has found, without a score, until it adds its own.
func (q *Question) keepSecond() {
	have := walk.SetOf(walk.NumsOf(q.finds))
	for _, f := range q.second.finds {
		if !have[f.Num] {
			q.finds = append(q.finds, engram.Ranked{Num: f.Num})
		}
	}
}

// addSecond adds to each find weight / (1 - weight) of the best score, times its share in the second model's ranking.
func (q *Question) addSecond() {
	s := q.second
	if !q.secondLast() || len(s.finds) == 0 || s.model.Weight >= 1 {
		return
	}
	best := 0.0
	for _, f := range q.finds {
		best = max(best, f.Score)
	}
	shares := retrieval.Shares(q.fusion(s.model), s.finds)
	for i, f := range q.finds {
		gain := best * s.model.Weight / (1 - s.model.Weight) * shares[f.Num]
		q.finds[i].Score += gain
		if gain > 0 {
			q.factor(f.Num, engram.Factor{Name: "+ second model", Value: gain})
		}
	}
}

// likenessBySecond returns the second model's cosine of the question and a find as one of the built-in model, whose marks the
// relevance threshold has; false if it is not known.
func (q *Question) likenessBySecond(num int64) (cosine float64, known bool) {
	s := q.second
	if s == nil || s.near[num] == nil || s.model.Answer <= s.model.Noise {
		return 0, false
	}
	share := (retrieval.Cosine(s.plain, s.near[num]) - s.model.Noise) / (s.model.Answer - s.model.Noise)
	m := q.meaning.model
	return m.Noise + share*(m.Answer-m.Noise), true
}
