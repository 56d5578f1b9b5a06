package retrieval_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/retrieval"
)

func TestBM25(t *testing.T) {
	collection := retrieval.BM25{Rows: 1000, Length: 50}
	for _, tt := range []struct {
		name   string
		b      retrieval.BM25
		tf     float64
		length float64
		having int
		want   float64
	}{
		{"a word that the memory lacks is worth nothing", collection, 0, 50, 10, 0},
		{"once in a memory of mean length is worth its rarity", collection, 1, 50, 10, math.Log(990.5 / 10.5)},
		{"three times is not three times as much", collection, 3, 50, 10, math.Log(990.5/10.5) * 3 * 2.2 / 4.2},
		{"a long memory is worth less", collection, 1, 200, 10, math.Log(990.5/10.5) * 2.2 / (1 + 1.2*(0.25+0.75*4))},
		{"a word that most have still tells two apart", collection, 1, 50, 900, 0.4},
		{"a count that is older than the collection", collection, 1, 50, 2000, 0.4},
		{"an empty collection", retrieval.BM25{}, 1, 1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.b.Score(tt.tf, tt.length, tt.having); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("%+v.Score(%v, %v, %d) = %v, want %v", tt.b, tt.tf, tt.length, tt.having, got, tt.want)
			}
		})
	}
}

func TestBM25Orders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := retrieval.BM25{Rows: rapid.IntRange(1, 1_000_000).Draw(t, "rows"), Length: rapid.Float64Range(1, 5000).Draw(t, "mean length")}
		tf := rapid.Float64Range(0, 100).Draw(t, "tf")
		length := rapid.Float64Range(0, 1e6).Draw(t, "length")
		having := rapid.IntRange(0, b.Rows).Draw(t, "having")
		at := func(tf, length float64, having int) float64 { return b.Score(tf, length, having) }
		score := at(tf, length, having)
		what := fmt.Sprintf("%+v.Score(%v, %v, %d) = %v", b, tf, length, having, score)
		switch {
		case score < 0 || math.IsNaN(score) || math.IsInf(score, 0):
			t.Fatalf("%s, want a number that is not negative", what)
		case at(tf+1, length, having) < score:
			t.Fatalf("%s: more occurrences are worth less", what)
		case at(tf, length+1, having) > score:
			t.Fatalf("%s: a longer memory is worth more", what)
		case having < b.Rows && at(tf, length, having+1) > score:
			t.Fatalf("%s: a more common word is worth more", what)
		}
	})
}
