package engine

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// duplicateSearch finds pairs of memories with a cosine above a mark, comparing all with all in memory.
type duplicateSearch struct {
	*Engine
	mark   float64
	report func(what string, done, total int)
	total  int // memories to compare, for report
	done   int

	missing int  // memories without a vector
	crowded bool // a memory had too many near-duplicates
}

const (
	duplicateVectors   = 1000 // vectors per read
	mostNearDuplicates = 256  // examined per memory
)

// noNearDuplicates is reported without an embedding model.
const noNearDuplicates = "no embedding model is configured: near-duplicates are unknown"

// degraded reports what was not compared.
func (t *duplicateSearch) degraded() (all []string) {
	if t.missing > 0 {
		all = append(all, fmt.Sprintf("%d memories have no vector and were not compared: run engram reembed", t.missing))
	}
	if t.crowded {
		all = append(all, "too many near-duplicates to compare all: sleep again")
	}
	return all
}

// pairs returns the near-duplicates with at least one requested memory, by number. whole is false if not all
// were compared.
func (t *duplicateSearch) pairs(ctx context.Context, nums []int64, asked func(int64) bool) (duplicates []lifecycle.NearDuplicate, whole bool, err error) {
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
				return true // found from the other side
			}
			duplicates = append(duplicates, lifecycle.NearDuplicate{A: num, B: nums[other], Cosine: cosine})
			n++
			return n < mostNearDuplicates
		})
		crowded = crowded || n == mostNearDuplicates
		if t.done++; t.done%256 == 0 {
			t.report(progressComparing, t.done, t.total)
			if ctx.Err() != nil {
				return nil, false, ctx.Err()
			}
		}
	}
	t.crowded = t.crowded || crowded
	return duplicates, t.missing == missing && !crowded, nil
}

// vectors reads vectors, and returns the memories that have one.
func (t *duplicateSearch) vectors(ctx context.Context, nums []int64, asked func(int64) bool) (*vector.Alike, []int64, error) {
	model := t.embedder.Model()
	alike := vector.NewAlike(model.Dimensions)
	var known []int64
	for first := 0; first < len(nums); first += duplicateVectors {
		part := nums[first:min(first+duplicateVectors, len(nums))]
		vectors, err := view(ctx, t.Engine, func(r engram.Reader) (map[int64][]float32, error) { return r.Vectors(ctx, model.Fingerprint, part) })
		if err != nil {
			return nil, nil, err
		}
		for _, num := range part {
			v, some := vectors[num]
			switch {
			case !some && asked(num):
				t.missing++
			case some && vector.Normalise(v): // a zero vector is near nothing
				alike.Add(v)
				known = append(known, num)
			}
		}
	}
	return alike, known, nil
}

// exactly keeps pairs whose exact cosine reaches the mark: the search computes with bytes.
func exactly(ctx context.Context, r engram.Reader, duplicates []lifecycle.NearDuplicate, model engram.Model) ([]lifecycle.NearDuplicate, error) {
	vectors, err := r.Vectors(ctx, model.Fingerprint, numsOfDuplicates(duplicates))
	if err != nil {
		return nil, err
	}
	lengthOne(vectors)
	var exact []lifecycle.NearDuplicate
	for _, t := range duplicates {
		if duplicate, is := duplicateOf(t.A, t.B, vectors, model.Duplicate); is {
			exact = append(exact, duplicate)
		}
	}
	return exact, nil
}

// duplicatesOf returns the near-duplicates among a few memories.
func duplicatesOf(nums []int64, vectors map[int64][]float32, mark float64) []lifecycle.NearDuplicate {
	lengthOne(vectors)
	var duplicates []lifecycle.NearDuplicate
	for i, a := range nums {
		for _, b := range nums[i+1:] {
			if duplicate, is := duplicateOf(a, b, vectors, mark); is {
				duplicates = append(duplicates, duplicate)
			}
		}
	}
	return duplicates
}

func duplicateOf(a, b int64, vectors map[int64][]float32, mark float64) (duplicate lifecycle.NearDuplicate, is bool) {
	va, vb := vectors[a], vectors[b]
	if va == nil || vb == nil {
		return duplicate, false
	}
	duplicate = lifecycle.NearDuplicate{A: a, B: b, Cosine: retrieval.Cosine(va, vb)}
	return duplicate, duplicate.Cosine >= mark
}

// lengthOne restores the unit length lost by storing vectors in bytes.
func lengthOne(vectors map[int64][]float32) {
	for _, v := range vectors {
		vector.Normalise(v)
	}
}
