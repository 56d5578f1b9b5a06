package engine

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// twinSearch finds the pairs of memories whose vectors are nearer than a mark: first by
// their codes of signs, all against all, then by the vectors of the few that are left.
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
	twinPairs   = 4000 // compared exactly at once
	mostTwins   = 256  // of one memory that are looked at
)

// noTwins is what is said where nobody can tell what says the same.
const noTwins = "no embedding model is configured: what says the same is not known"

// degraded says what could not be compared.
func (t *twinSearch) degraded() (all []string) {
	if t.missing > 0 {
		all = append(all, fmt.Sprintf("%d memories have no vector yet and could not be compared: run engram reembed", t.missing))
	}
	if t.crowded {
		all = append(all, "so many memories say the same that not all were compared: sleep again")
	}
	return all
}

// pair is two places in a list of codes.
type pair struct{ a, b int }

// pairs returns the twins among the memories of which at least one is asked for, by
// number. whole is false when not all could be compared.
func (t *twinSearch) pairs(ctx context.Context, nums []int64, asked func(int64) bool) (twins []lifecycle.Twin, whole bool, err error) {
	if countIf(nums, asked) == 0 {
		return nil, true, nil
	}
	missing := t.missing
	codes, nums, err := t.codes(ctx, nums, asked)
	if err != nil {
		return nil, false, err
	}
	most := vector.AlikeBits(t.mark, t.embedder.Model().Dimensions)
	crowded := false
	var near []pair
	flush := func() error {
		found, err := t.exact(ctx, nums, near)
		twins, near = append(twins, found...), near[:0]
		return err
	}
	for place, num := range nums {
		if !asked(num) {
			continue
		}
		n := 0
		codes.Within(place, 0, most, func(other int) bool {
			if other < place && asked(nums[other]) {
				return true // it was found from the other side
			}
			near = append(near, pair{place, other})
			n++
			return n < mostTwins
		})
		crowded = crowded || n == mostTwins
		if len(near) >= twinPairs {
			if err := flush(); err != nil {
				return nil, false, err
			}
		}
		if t.done++; t.done%512 == 0 {
			t.tell(tellComparing, t.done, t.total)
		}
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
	}
	t.crowded = t.crowded || crowded
	return twins, t.missing == missing && !crowded, flush()
}

// codes reads the codes of memories, and returns which of the memories have one.
func (t *twinSearch) codes(ctx context.Context, nums []int64, asked func(int64) bool) (*vector.Codes, []int64, error) {
	model := t.embedder.Model()
	codes := vector.NewCodes(model.Dimensions)
	var coded []int64
	for first := 0; first < len(nums); first += twinVectors {
		part := nums[first:min(first+twinVectors, len(nums))]
		var vectors map[int64][]float32
		err := t.store.View(ctx, func(r engram.Reader) (err error) {
			vectors, err = r.Vectors(ctx, model.Fingerprint, part)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		for _, num := range part {
			v, known := vectors[num]
			switch {
			case !known && asked(num):
				t.missing++
			case known && vector.Normalise(v): // a zero vector is near to nothing
				codes.Add(v)
				coded = append(coded, num)
			}
		}
	}
	return codes, coded, nil
}

// exact keeps of pairs those whose cosine is over the mark.
func (t *twinSearch) exact(ctx context.Context, nums []int64, near []pair) ([]lifecycle.Twin, error) {
	if len(near) == 0 {
		return nil, nil
	}
	wanted := map[int64]bool{}
	for _, p := range near {
		wanted[nums[p.a]], wanted[nums[p.b]] = true, true
	}
	var list []int64
	for num := range wanted {
		list = append(list, num)
	}
	var vectors map[int64][]float32
	err := t.store.View(ctx, func(r engram.Reader) (err error) {
		vectors, err = r.Vectors(ctx, t.embedder.Model().Fingerprint, list)
		return err
	})
	if err != nil {
		return nil, err
	}
	var twins []lifecycle.Twin
	lengthOne(vectors)
	for _, p := range near {
		if twin, is := twinOf(nums[p.a], nums[p.b], vectors, t.mark); is {
			twins = append(twins, twin)
		}
	}
	return twins, nil
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
