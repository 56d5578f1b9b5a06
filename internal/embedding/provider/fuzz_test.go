package provider

import (
	"encoding/json"
	"math"
	"testing"
)

// Whatever a server answers, a vector is of length 1, and every result has one place.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{`[1,2]`, `"AABAQAAAgEA="`, `[null]`, `[[1]]`, `[1e38,1e38]`, `[1e-45]`, `{}`, `[{"index":1,"score":1},{"index":0,"relevance_score":2}]`,
		`{"results":[{"index":0,"score":1}]}`, "", `[`, `"`, `[,]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := numbers(b); err == nil {
			var sum float64
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			if math.Abs(sum-1) > 1e-3 {
				t.Errorf("%q has the length %v", b, math.Sqrt(sum))
			}
		}
		scores := []float64{math.NaN(), math.NaN()}
		if read(b, scores) == nil && (math.IsNaN(scores[0]) || math.IsNaN(scores[1])) {
			t.Errorf("%q leaves a text without a score", b)
		}
	})
}

// BenchmarkNumbers reads a vector of a long model.
func BenchmarkNumbers(b *testing.B) {
	v := make([]float64, 1024)
	for i := range v {
		v[i] = math.Sin(float64(i)) / 32
	}
	text, err := json.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := numbers(text); err != nil {
			b.Fatal(err)
		}
	}
}
