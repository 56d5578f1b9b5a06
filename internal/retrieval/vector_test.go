package retrieval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// stored returns vectors as a store does.
func stored(vectors [][]float32) engram.StoredVectors {
	of := engram.StoredVectors{Count: len(vectors), Read: func(i int, into []float32) { copy(into, vectors[i]) }}
	if len(vectors) > 0 {
		of.Dimensions = len(vectors[0])
	}
	return of
}

// subjects returns so many vectors of length 1, of which each run of so many is about one subject.
func subjects(count, run int) (all [][]float32) {
	r := rand.New(rand.NewPCG(7, uint64(run)))
	var subject [16]float32
	for i := range count {
		v := make([]float32, len(subject))
		for k := range v {
			if i%run == 0 {
				subject[k] = float32(r.NormFloat64())
			}
			v[k] = subject[k] + float32(r.NormFloat64())/4
		}
		vector.Normalise(v)
		all = append(all, v)
	}
	return all
}

func TestLean(t *testing.T) {
	for _, tt := range []struct {
		name     string
		vectors  [][]float32
		cohesion float64
	}{
		{"of none", nil, 0.2},
		{"of one", subjects(1, 1), 0.2},
		{"of one too few to tell", subjects(retrieval.LeastCohesion-1, 6), 0.2},
		{"of a talk", subjects(retrieval.LeastCohesion, 6), 1},
		{"of a long talk", subjects(500, 6), 1},
		{"of memories that each say something else", subjects(500, 1), 0},
		{"of memories that all say the same", slices.Repeat([][]float32{{1, 0}}, 90), 0.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := make([]float64, stored(tt.vectors).Dimensions)
			for _, v := range tt.vectors {
				for k, x := range v {
					want[k] += float64(x) / float64(len(tt.vectors))
				}
			}
			for _, room := range []int{0, 1, 16 * 500} {
				mean, cohesion := retrieval.Lean(stored(tt.vectors), make([]float32, room))
				if cohesion != tt.cohesion {
					t.Errorf("with room for %d numbers: cohesion %v, want %v", room, cohesion, tt.cohesion)
				}
				if len(mean) != len(want) {
					t.Fatalf("mean of %d numbers, want %d", len(mean), len(want))
				}
				for k, x := range mean {
					if math.Abs(float64(x)-want[k]) > 1e-6 {
						t.Errorf("number %d of the mean is %v, want %v", k, x, want[k])
					}
				}
			}
		})
	}
}
