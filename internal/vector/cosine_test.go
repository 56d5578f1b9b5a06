package vector_test

import (
	"math"
	"testing"

	"github.com/alanbuscaglia/engram/internal/vector"
)

func TestCosineIgnoresLengths(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b []float32
		want float64
	}{
		{"the same direction", []float32{1, 2, 2}, []float32{2, 4, 4}, 1},
		{"the opposite one", []float32{1, 2, 2}, []float32{-3, -6, -6}, -1},
		{"a right angle", []float32{1, 0}, []float32{0, 5}, 0},
		{"a vector that is zero", []float32{0, 0}, []float32{0, 5}, 0},
	} {
		if got := vector.Cosine(tt.a, tt.b); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: %v and %v: got %v, want %v", tt.name, tt.a, tt.b, got, tt.want)
		}
	}
}
