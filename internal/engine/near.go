package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Near is a memory, and how near what it says is to something else.
type Near struct {
	Memory engram.Memory
	Cosine float64 // of their vectors; what it means stands in the model's marks
}

// nearWidest is how many memories are looked through at most, where no filter can say
// what is wanted.
const nearWidest = 500

// nearFrom returns the live memories of m's project and scope from a cosine on, the
// nearest to vector first, at most so many; m itself is left out. vector is of the model
// in force: without one, and without a model, nothing is near.
//
// No project is a project here and not every one, which a filter cannot say. There it
// looks further and further, as long as what it finds is related.
func (e *Engine) nearFrom(ctx context.Context, r engram.Reader, m engram.Memory, vector []float32, most int, least float64) ([]Near, error) {
	if e.embedder == nil || len(vector) == 0 || most < 1 {
		return nil, nil
	}
	model := e.embedder.Model()
	q := engram.VectorQuery{Model: model.Fingerprint, Vector: vector, Limit: most + 1,
		Filter: engram.Filter{Project: m.Project, Scope: m.Scope}, Close: true}
	for {
		ranked, err := r.Nearest(ctx, q)
		if err != nil {
			return nil, err
		}
		all := len(ranked) < q.Limit || q.Limit > nearWidest || ranked[len(ranked)-1].Score < least
		for len(ranked) > 0 && ranked[len(ranked)-1].Score < least {
			ranked = ranked[:len(ranked)-1]
		}
		near, err := memoriesNear(ctx, r, m, ranked, most)
		if err != nil || all || len(near) == most {
			return near, err
		}
		q.Limit *= 8
	}
}

// memoriesNear reads what was ranked, in its order, as far as it is where m is.
func memoriesNear(ctx context.Context, r engram.Reader, m engram.Memory, ranked []engram.Ranked, most int) ([]Near, error) {
	cosine := make(map[int64]float64, len(ranked))
	for _, found := range ranked {
		cosine[found.Num] = found.Score
	}
	ms, err := r.Memories(ctx, numsOf(ranked))
	if err != nil {
		return nil, err
	}
	var near []Near
	for _, other := range ms {
		if len(near) < most && isBeside(other, m) {
			near = append(near, Near{other, cosine[other.Num]})
		}
	}
	return near, nil
}

// isBeside reports whether other is another live memory of m's project and scope.
func isBeside(other, m engram.Memory) bool {
	return other.Num != m.Num && !other.Forgotten() && other.Project == m.Project && other.Scope == m.Scope
}

// replaced tells which of the memories a live one has taken the place of.
func replaced(ctx context.Context, r engram.Reader, nums []int64) (map[int64]bool, error) {
	// The newest of each is enough but where it was forgotten, which leaves some more.
	const mostLookedAt = 5
	ties, err := r.RelationsOf(ctx, nums, []engram.Verb{engram.VerbSupersedes}, mostLookedAt)
	if err != nil || len(ties) == 0 {
		return nil, err
	}
	by := make([]int64, len(ties))
	for i, t := range ties {
		by[i] = t.Source
	}
	newer, err := r.Memories(ctx, by)
	if err != nil {
		return nil, err
	}
	live := map[int64]bool{}
	for _, m := range newer {
		live[m.Num] = !m.Forgotten()
	}
	old := map[int64]bool{}
	for _, t := range ties {
		old[t.Target] = old[t.Target] || t.Supersedes() && live[t.Source]
	}
	return old, nil
}
