package vector_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/vector"
)

func TestAlikeFindsWhatBruteForceFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dimensions := rapid.SampledFrom([]int{64, 100, 256}).Draw(t, "dimensions")
		seed := rapid.Uint64().Draw(t, "seed")
		mark := rapid.SampledFrom([]float64{0.9, 0.95}).Draw(t, "mark")
		next := func() float32 { // any numbers do; rapid draws thousands of them too slowly
			seed = seed*6364136223846793005 + 1442695040888963407
			return float32(int32(seed>>32)) / (1 << 31)
		}
		var all [][]float32
		alike := vector.NewAlike(dimensions)
		for i := range 40 {
			v := make([]float32, dimensions)
			for j := range v {
				v[j] = next()
				if i%2 == 1 { // every other one is near the previous one
					v[j] = all[i-1][j] + v[j]*0.6/float32(i)
				}
			}
			vector.Normalise(v)
			all = append(all, v)
			alike.Add(v)
		}
		for i, v := range all {
			var got, nearest, want []string
			alike.To(i, 0, mark, func(other int, cosine float64) bool {
				if cosine >= mark+0.002 {
					got = append(got, fmt.Sprint(other))
				}
				return true
			})
			for _, near := range alike.Nearest(i, len(all), mark) {
				if near.Score >= mark+0.002 {
					nearest = append(nearest, fmt.Sprint(near.Num))
				}
			}
			slices.Sort(nearest)
			slices.Sort(got)
			if !slices.Equal(nearest, got) {
				t.Errorf("nearest to vector %d of %d dimensions at %v: got %v, want %v", i, dimensions, mark, nearest, got)
			}
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

func TestAlikeStopsOnRequest(t *testing.T) {
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

// The mark rises during the search: late, nearer vectors must still be found.
func TestAlikeReturnsTheNearest(t *testing.T) {
	alike := vector.NewAlike(2)
	for _, degrees := range []float64{0, 40, 30, 80, 20, 10, 170} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		alike.Add([]float32{float32(cos), float32(sin)})
	}
	for _, tt := range []struct {
		name string
		most int
		mark float64
		want []int64
	}{
		{"the two nearest", 2, -1, []int64{5, 4}},
		{"no more than there are over the mark", 9, 0.85, []int64{5, 4, 2}},
		{"none are asked for", 0, -1, nil},
	} {
		var got []int64
		for _, near := range alike.Nearest(0, tt.most, tt.mark) {
			got = append(got, near.Num)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d of at least %v: got %v, want %v", tt.name, tt.most, tt.mark, got, tt.want)
		}
	}
}
