package vector_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/vector"
)

func TestAlikeFindsWhatComparingAllFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dimensions := rapid.SampledFrom([]int{64, 100, 256}).Draw(t, "dimensions")
		seed := rapid.Uint64().Draw(t, "seed")
		mark := rapid.SampledFrom([]float64{0.9, 0.95}).Draw(t, "mark")
		next := func() float32 { // any numbers do: rapid draws thousands of them too slowly
			seed = seed*6364136223846793005 + 1442695040888963407
			return float32(int32(seed>>32)) / (1 << 31)
		}
		var all [][]float32
		alike := vector.NewAlike(dimensions)
		for i := range 40 {
			v := make([]float32, dimensions)
			for j := range v {
				v[j] = next()
				if i%2 == 1 { // every other one is near to the one before it
					v[j] = all[i-1][j] + v[j]*0.6/float32(i)
				}
			}
			vector.Normalise(v)
			all = append(all, v)
			alike.Add(v)
		}
		for i, v := range all {
			var got, want []string
			alike.To(i, 0, mark, func(other int, cosine float64) bool {
				if cosine >= mark+0.002 {
					got = append(got, fmt.Sprint(other))
				}
				return true
			})
			for j, w := range all {
				if cosine := vector.Dot(v, w); j != i && cosine >= mark+0.03 {
					want = append(want, fmt.Sprint(j))
				}
			}
			for _, j := range want {
				if !slices.Contains(got, j) {
					t.Errorf("to vector %d of %d dimensions at %v: got %v, want %v", i, dimensions, mark, got, want)
				}
			}
		}
	})
}

func TestAlikeStopsWhenToldTo(t *testing.T) {
	alike := vector.NewAlike(4)
	for range 5 {
		alike.Add([]float32{0.5, 0.5, 0.5, 0.5})
	}
	n := 0
	alike.To(2, 0, 0.9, func(other int, cosine float64) bool {
		if other == 2 || cosine < 0.99 {
			t.Errorf("to vector 2 of five equal ones: got %d at %v, want another at 1", other, cosine)
		}
		n++
		return n < 3
	})
	alike.To(2, 3, 0.9, func(other int, _ float64) bool {
		if other < 3 {
			t.Errorf("to vector 2 from 3 on: got %d", other)
		}
		return true
	})
	if n != 3 || alike.Len() != 5 {
		t.Errorf("called %d times of %d vectors, want 3 of 5", n, alike.Len())
	}
}
