package engine

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// twinSearch finds the pairs of memories whose vectors are nearer than a mark: all are
// compared with all, in memory.
type twinSearch struct {
	*Engine
	mark  float64
	tell  func(what string, done, total int)
	total int // memories to compare, for tell
	done  int

	missing int  // memories to compare that have no vector
	crowded bool // one was near to more others than are looked at
}

const (
	twinVectors = 1000 // read at once
	mostTwins   = 256  // of one memory that are looked at
)

// noTwins is what is said where nobody can tell what says the same.
const noTwins = "no embedding model is configured: what says the same is not known"

// degraded says what could not be compared.
func (t *twinSearch) degraded() (all []string) {
	if t.missing > 0 {
		all = append(all, fmt.Sprintf("%d memories have no vector and were not compared: run engram reembed", t.missing))
	}
	if t.crowded {
		all = append(all, "so many memories say the same that not all were compared: sleep again")
	}
	return all
}

// pairs returns the twins among the memories of which at least one is asked for, by
// number. whole is false when not all could be compared.
func (t *twinSearch) pairs(ctx context.Context, nums []int64, asked func(int64) bool) (twins []lifecycle.Twin, whole bool, err error) {
	if countIf(nums, asked) == 0 {
		return nil, true, nil
	}
	missing, crowded := t.missing, false
	alike, nums, err := t.vectors(ctx, nums, asked)
	if err != nil {
		return nil, false, err
	}
	all := countIf(nums, asked) == len(nums)
	for place, num := range nums {
		if !asked(num) {
			continue
		}
		n, first := 0, 0
		if all {
			first = place + 1 // each pair once
		}
		alike.To(place, first, t.mark, func(other int, cosine float64) bool {
			if other < place && asked(nums[other]) {
				return true // it was found from the other side
			}
			twins = append(twins, lifecycle.Twin{A: num, B: nums[other], Cosine: cosine})
			n++
			return n < mostTwins
		})
		crowded = crowded || n == mostTwins
		if t.done++; t.done%256 == 0 {
			t.tell(tellComparing, t.done, t.total)
			if ctx.Err() != nil {
				return nil, false, ctx.Err()
			}
		}
	}
	t.crowded = t.crowded || crowded
	return twins, t.missing == missing && !crowded, nil
}

// vectors reads the vectors of memories, and returns which of the memories have one.
func (t *twinSearch) vectors(ctx context.Context, nums []int64, asked func(int64) bool) (*vector.Alike, []int64, error) {
	model := t.embedder.Model()
	alike := vector.NewAlike(model.Dimensions)
	var known []int64
	for first := 0; first < len(nums); first += twinVectors {
		part := nums[first:min(first+twinVectors, len(nums))]
		vectors, err := view(ctx, t.Engine, func(r engram.Reader) (map[int64][]float32, error) { return r.Vectors(ctx, model.Fingerprint, part) })
		if err != nil {
			return nil, nil, err
		}
		for _, num := range part {
			v, some := vectors[num]
			switch {
			case !some && asked(num):
				t.missing++
			case some && vector.Normalise(v): // a zero vector is near to nothing
				alike.Add(v)
				known = append(known, num)
			}
		}
	}
	return alike, known, nil
}

// exactly keeps of twins those whose vectors are nearer than the mark indeed: what is
// reckoned in bytes is off by a bit.
func exactly(ctx context.Context, r engram.Reader, twins []lifecycle.Twin, model engram.Model) ([]lifecycle.Twin, error) {
	vectors, err := r.Vectors(ctx, model.Fingerprint, numsOfTwins(twins))
	if err != nil {
		return nil, err
	}
	lengthOne(vectors)
	var exact []lifecycle.Twin
	for _, t := range twins {
		if twin, is := twinOf(t.A, t.B, vectors, model.Duplicate); is {
			exact = append(exact, twin)
		}
	}
	return exact, nil
}

// twinsOf are the twins among a few memories.
func twinsOf(nums []int64, vectors map[int64][]float32, mark float64) []lifecycle.Twin {
	lengthOne(vectors)
	var twins []lifecycle.Twin
	for i, a := range nums {
		for _, b := range nums[i+1:] {
			if twin, is := twinOf(a, b, vectors, mark); is {
				twins = append(twins, twin)
			}
		}
	}
	return twins
}

func twinOf(a, b int64, vectors map[int64][]float32, mark float64) (twin lifecycle.Twin, is bool) {
	va, vb := vectors[a], vectors[b]
	if va == nil || vb == nil {
		return twin, false
	}
	twin = lifecycle.Twin{A: a, B: b, Cosine: retrieval.Cosine(va, vb)}
	return twin, twin.Cosine >= mark
}

// lengthOne makes up for what vectors lost when they were stored in bytes.
func lengthOne(vectors map[int64][]float32) {
	for _, v := range vectors {
		vector.Normalise(v)
	}
}
