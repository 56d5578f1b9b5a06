package eval_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// shares are contributions to a mean over questions.
func shares(parts ...float64) []eval.Share {
	out := make([]eval.Share, len(parts))
	for i, p := range parts {
		out[i] = eval.Share{Part: p, Whole: 1}
	}
	return out
}

// repeated is a pair in which n questions change and as many do not.
func repeated(n int, from, to float64) eval.Paired {
	var p eval.Paired
	for range n {
		p.A = append(p.A, shares(from, 0.5)...)
		p.B = append(p.B, shares(to, 0.5)...)
	}
	return p
}

func TestCompareTellsADifferenceFromChance(t *testing.T) {
	for _, tt := range []struct {
		name        string
		pair        eval.Paired
		difference  float64
		above, most float64 // bounds of P
	}{
		{"half of a hundred questions get better", repeated(50, 0, 1), 0.5, 0, 0.001},
		{"half of a hundred questions get worse", repeated(50, 1, 0), -0.5, 0, 0.001},
		{"one of four got better", eval.Paired{A: shares(0, 1, 1, 0), B: shares(1, 1, 1, 0)}, 0.25, 0.3, 1},
		{"as many got better as worse", eval.Paired{A: shares(0, 1, 0, 1), B: shares(1, 0, 1, 0)}, 0, 0.8, 1},
		{"nothing changed", eval.Paired{A: shares(0.2, 0.7), B: shares(0.2, 0.7)}, 0, 1, 1},
		{"no questions", eval.Paired{}, 0, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := eval.Compare(tt.pair)
			if math.Abs(got.Difference-tt.difference) > 1e-12 || got.P < tt.above || got.P > tt.most || got.Low > tt.difference || got.High < tt.difference {
				t.Errorf("Compare(%v)\n got: %+v\nwant: a difference of %v within its interval, p from %v to %v", tt.pair, got, tt.difference, tt.above, tt.most)
			}
		})
	}
}

// For large n the interval of a mean of independent values is close to 1.96 standard errors on either side:
// here n = 400, and half of the differences are 1, the others 0, so the standard error is 0.5/20.
func TestTheIntervalIsAsWideAsTheoryHasIt(t *testing.T) {
	got := eval.Compare(repeated(200, 0, 1))
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"low", got.Low, 0.5 - 1.96*0.025}, {"high", got.High, 0.5 + 1.96*0.025}} {
		if math.Abs(x.got-x.want) > 0.004 {
			t.Errorf("%s: got %v, want %v", x.name, x.got, x.want)
		}
	}
}

func TestSeveralSetsCountTheSame(t *testing.T) {
	great, small := repeated(100, 0, 1), eval.Paired{A: shares(0.5), B: shares(0.5)}
	if got, want := eval.Compare(great, small).Difference, 0.25; got != want {
		t.Errorf("the mean of +0.5 over 200 questions and of 0 over one\n got: %v\nwant: %v", got, want)
	}
}

func aPair(t *rapid.T) eval.Paired {
	var p eval.Paired
	for range rapid.IntRange(1, 12).Draw(t, "questions") {
		share := func() eval.Share {
			whole := rapid.IntRange(0, 4).Draw(t, "whole")
			return eval.Share{Part: float64(rapid.IntRange(0, whole).Draw(t, "part")), Whole: float64(whole)}
		}
		p.A, p.B = append(p.A, share()), append(p.B, share())
	}
	return p
}

func TestComparingTheOtherWayRoundIsTheOppositeAndTwiceIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := aPair(t)
		there, again, back := eval.Compare(p), eval.Compare(p), eval.Compare(eval.Paired{A: p.B, B: p.A})
		if there != again {
			t.Errorf("twice: got %+v and %+v", there, again)
		}
		want := eval.Change{Difference: -there.Difference, Low: -there.High, High: -there.Low, P: there.P}
		if back != want {
			t.Errorf("Compare of the swapped %v\n got: %+v\nwant: %+v", p, back, want)
		}
		if there.Low > there.High || there.P <= 0 || there.P > 1 || math.IsNaN(there.Difference) {
			t.Errorf("Compare(%v)\n got: %+v\nwant: an interval, and p in (0, 1]", p, there)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	p := repeated(375, 0.4, 0.5)
	for b.Loop() {
		eval.Compare(p)
	}
}
