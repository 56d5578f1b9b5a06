package relate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// DuplicateSearch finds pairs of memories with a cosine above a mark, comparing all with all in memory.
type DuplicateSearch struct {
	Linker *Linker
	Mark   float64
	Report func(what string, done, total int)
	Total  int // memories to compare, for report
	done   int

	missing int  // memories without a vector
	crowded bool // a memory had too many near-duplicates
}

const (
	duplicateVectors   = 1000 // vectors per read
	mostNearDuplicates = 256  // examined per memory
)

// NoNearDuplicates is reported without an embedding model.
const NoNearDuplicates = "no embedding model is configured: near-duplicates are unknown"

// Degraded reports what was not compared.
func (t *DuplicateSearch) Degraded() (all []string) {
	if t.missing > 0 {
		all = append(all, fmt.Sprintf("%d memories have no vector and were not compared: run engram reembed", t.missing))
	}
	if t.crowded {
		all = append(all, "too many near-duplicates to compare all: sleep again")
	}
	return all
}

// Pairs returns the near-duplicates with at least one requested memory, by number. whole is false if not all
// were compared.
func (t *DuplicateSearch) Pairs(ctx context.Context, nums []int64, asked func(int64) bool) (duplicates []lifecycle.NearDuplicate, whole bool, err error) {
	if walk.CountIf(nums, asked) == 0 {
		return nil, true, nil
	}
	missing, crowded := t.missing, false
	alike, nums, err := t.vectors(ctx, nums, asked)
	if err != nil {
		return nil, false, err
	}
	all := walk.CountIf(nums, asked) == len(nums)
	for place, num := range nums {
		if !asked(num) {
			continue
		}
		n, first := 0, 0
		if all {
			first = place + 1 // each pair once
		}
		alike.To(place, first, t.Mark, func(other int, cosine float64) bool {
			if other < place && asked(nums[other]) {
				return true // found from the other side
			}
			duplicates = append(duplicates, lifecycle.NearDuplicate{A: num, B: nums[other], Cosine: cosine})
			n++
			return n < mostNearDuplicates
		})
		crowded = crowded || n == mostNearDuplicates
		if t.done++; t.done%256 == 0 {
			t.Report(progressComparing, t.done, t.Total)
			if ctx.Err() != nil {
				return nil, false, ctx.Err()
			}
		}
	}
	t.crowded = t.crowded || crowded
	return duplicates, t.missing == missing && !crowded, nil
}

// vectors reads vectors, and returns the memories that have one.
func (t *DuplicateSearch) vectors(ctx context.Context, nums []int64, asked func(int64) bool) (*vector.Alike, []int64, error) {
	model := t.Linker.ledger.Embedder.Model()
	alike := vector.NewAlike(model.Dimensions)
	var known []int64
	for first := 0; first < len(nums); first += duplicateVectors {
		part := nums[first:min(first+duplicateVectors, len(nums))]
		vectors, err := ledger.Read(ctx, t.Linker.ledger, func(r engram.Reader) (map[int64][]float32, error) { return r.Vectors(ctx, model.Fingerprint, part) })
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

// Exactly keeps pairs whose exact cosine reaches the mark: the search computes with bytes.
func Exactly(ctx context.Context, r engram.Reader, duplicates []lifecycle.NearDuplicate, model engram.Model) ([]lifecycle.NearDuplicate, error) {
	vectors, err := r.Vectors(ctx, model.Fingerprint, NumsOfDuplicates(duplicates))
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

// DuplicatesOf returns the near-duplicates among a few memories.
func DuplicatesOf(nums []int64, vectors map[int64][]float32, mark float64) []lifecycle.NearDuplicate {
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

// progressComparing labels the progress bar of a comparison of memories.
const progressComparing = "comparing"

// DuplicateGroup is what near-duplicates must have in common.
type DuplicateGroup struct {
	Project string
	Typ     engram.Type
}

// DuplicateGroups are the numbers of live memories of each group.
type DuplicateGroups map[DuplicateGroup][]int64

// Add adds a memory to the group of its text.
func (g *DuplicateGroups) Add(m engram.Memory) {
	if *g == nil {
		*g = DuplicateGroups{}
	}
	at := DuplicateGroup{m.Project, m.Type}
	(*g)[at] = append((*g)[at], m.Num)
}

// Sorted returns the groups in a fixed order and sorts their members, oldest first.
func (g DuplicateGroups) Sorted() []DuplicateGroup {
	var all []DuplicateGroup
	for at, nums := range g {
		slices.Sort(nums)
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b DuplicateGroup) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Typ, b.Typ))
	})
	return all
}

// NumsOfDuplicates returns the numbers of the memories of pairs, each once.
func NumsOfDuplicates(pairs []lifecycle.NearDuplicate) []int64 {
	var nums []int64
	for _, p := range pairs {
		nums = append(nums, p.A, p.B)
	}
	slices.Sort(nums)
	return slices.Compact(nums)
}
