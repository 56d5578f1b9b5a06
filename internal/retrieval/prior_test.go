package retrieval_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/retrieval"
)

func TestPriorNeverBuriesAClearlyBetterMatch(t *testing.T) {
	product := func(importance, strength float64, age time.Duration) float64 {
		all := 1.0
		for _, f := range retrieval.DefaultPrior().Prior(importance, strength, age) {
			all *= f.Value
		}
		return all
	}
	const least, most = 0.86, 1.12
	rapid.Check(t, func(t *rapid.T) {
		importance := rapid.Float64().Draw(t, "importance")
		strength := rapid.Float64().Draw(t, "strength")
		age := time.Duration(rapid.Int64().Draw(t, "age"))
		if got := product(importance, strength, age); !(got >= least && got <= most) {
			t.Fatalf("the factors of (%v, %v, %v) multiply to %v, want %v to %v", importance, strength, age, got, least, most)
		}
	})
	plain := product(0.5, 1, 0)
	for _, tt := range []struct {
		name  string
		other float64
		less  bool
	}{
		{"an important memory is worth more", product(0.9, 1, 0), false},
		{"an unimportant one less", product(0.1, 1, 0), true},
		{"a faded one less", product(0.5, 0.2, 0), true},
		{"an old one less", product(0.5, 1, 1000*24*time.Hour), true},
	} {
		if (tt.other < plain) != tt.less {
			t.Errorf("%s: got %v beside %v", tt.name, tt.other, plain)
		}
	}
	if got := product(math.NaN(), math.NaN(), 0); math.IsNaN(got) {
		t.Errorf("a worth that is no number: got %v", got)
	}
}
