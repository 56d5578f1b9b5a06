package eval_test

import (
	"math"
	"testing"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// The logarithms are written out so that the expected values do not come from the
// formula under test: log2(2) = 1, log2(3) = 1.584963, log2(4) = 2, log2(6) = 2.584963.
func TestMeasuresOfOneRanking(t *testing.T) {
	abc := eval.Relevant{"a": true, "b": true, "c": true}
	for _, tt := range []struct {
		name                string
		ranking             []string
		relevant            eval.Relevant
		k                   int
		recall, first, ndcg float64
	}{
		{"everything relevant in front is perfect", []string{"c", "a", "b", "x"}, abc, 10, 1, 1, 1},
		{"order among the relevant does not matter", []string{"b", "c", "a"}, abc, 10, 1, 1, 1},
		{"one of three at the second place", []string{"x", "a", "y"}, abc, 10, 1.0 / 3, 0.5,
			// 1/1.584963 over 1 + 1/1.584963 + 1/2
			0.6309298 / 2.1309298},
		{"second and fifth place", []string{"x", "a", "y", "z", "b"}, abc, 10, 2.0 / 3, 0.5,
			(0.6309298 + 0.3868528) / 2.1309298},
		{"a repeat counts once and takes no place", []string{"x", "a", "a", "a", "b"}, abc, 3, 2.0 / 3, 0.5,
			(0.6309298 + 0.5) / 2.1309298},
		{"what stands behind k is not seen", []string{"x", "y", "a"}, abc, 2, 0, 0, 0},
		{"more relevant than places can still be perfect", []string{"a", "b"}, abc, 2, 2.0 / 3, 1, 1},
		{"no answer", nil, abc, 10, 0, 0, 0},
		{"nothing to find", []string{"a"}, nil, 10, 0, 0, 0},
		{"no places", []string{"a"}, abc, 0, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check := func(measure string, got, want float64) {
				if math.Abs(got-want) > 1e-6 {
					t.Errorf("%s of %v against %v at %d\n got: %v\nwant: %v", measure, tt.ranking, tt.relevant, tt.k, got, want)
				}
			}
			check("Recall", eval.Recall(tt.ranking, tt.relevant, tt.k), tt.recall)
			check("ReciprocalRank", eval.ReciprocalRank(tt.ranking, tt.relevant, tt.k), tt.first)
			check("NDCG", eval.NDCG(tt.ranking, tt.relevant, tt.k), tt.ndcg)
		})
	}
}
