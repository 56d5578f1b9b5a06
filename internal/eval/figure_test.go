package eval_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/eval"
)

func TestWhatAnAnswerHasInEachFigure(t *testing.T) {
	relevant := eval.Relevant{"a": true, "b": true}
	for _, tt := range []struct {
		name   string
		answer eval.Answer
		want   map[eval.Figure]eval.Share
	}{
		{"what is called weak counts for the ranking, not as an answer",
			eval.Answer{Ranking: []string{"a", "x", "y", "b"}, Strong: []string{"a", "x"}, Tokens: 30},
			map[eval.Figure]eval.Share{
				eval.Recall1: {Part: 0.5, Whole: 1}, eval.Recall5: {Part: 1, Whole: 1}, eval.MRR10: {Part: 1, Whole: 1},
				eval.Precision: {Part: 1, Whole: 2}, eval.Kept: {Part: 0.5, Whole: 1},
				eval.Lost: {Part: 0, Whole: 1}, eval.Abstained: {Part: 0, Whole: 1}, eval.Empty: {Part: 0, Whole: 1}, eval.Tokens: {Part: 30, Whole: 1},
			}},
		{"only weak finds are no answer, but not nothing either",
			eval.Answer{Ranking: []string{"b"}},
			map[eval.Figure]eval.Share{
				eval.Recall10: {Part: 0.5, Whole: 1}, eval.Precision: {Part: 0, Whole: 0}, eval.Kept: {Part: 0, Whole: 1},
				eval.Lost: {Part: 1, Whole: 1}, eval.Abstained: {Part: 1, Whole: 1}, eval.Empty: {Part: 0, Whole: 1},
			}},
		{"nothing at all", eval.Answer{},
			map[eval.Figure]eval.Share{
				eval.Recall20: {Part: 0, Whole: 1}, eval.NDCG10: {Part: 0, Whole: 1}, eval.Lost: {Part: 1, Whole: 1}, eval.Empty: {Part: 1, Whole: 1},
			}},
		{"a weak find before a strong one", eval.Answer{Ranking: []string{"x", "a"}, Strong: []string{"a"}},
			map[eval.Figure]eval.Share{eval.Precision: {Part: 1, Whole: 1}, eval.Kept: {Part: 0.5, Whole: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for f, want := range tt.want {
				if got := f.Share(tt.answer, relevant); got != want {
					t.Errorf("%s of %+v against %v\n got: %+v\nwant: %+v", f, tt.answer, relevant, got, want)
				}
			}
		})
	}
}

func TestAFigureThatDoesNotExistHasNoShare(t *testing.T) {
	if got := eval.Figure("beauty").Share(eval.Answer{Ranking: []string{"a"}}, eval.Relevant{"a": true}); got != (eval.Share{}) {
		t.Errorf("got %+v, want nothing", got)
	}
}

func TestPrecisionIsOverAllAnswersTogether(t *testing.T) {
	got := eval.Ratio([]eval.Share{{Part: 1, Whole: 1}, {Part: 0, Whole: 3}, {Part: 0, Whole: 0}})
	if got != 0.25 {
		t.Errorf("one right of four: got %v, want 0.25", got)
	}
	if got := eval.Ratio(nil); got != 0 {
		t.Errorf("of nothing: got %v, want 0", got)
	}
}

// anAnswer draws a ranking of few documents, so that repetitions and hits occur.
func anAnswer(t *rapid.T) eval.Answer {
	ranking := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 0, 25).Draw(t, "ranking")
	return eval.Answer{Ranking: ranking, Strong: ranking[:rapid.IntRange(0, len(ranking)).Draw(t, "strong")]}
}

func TestFiguresKeepTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anAnswer(t)
		relevant := eval.Relevant{}
		for _, id := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "z"}), 1, 4).Draw(t, "relevant") {
			relevant[id] = true
		}
		value := func(f eval.Figure) float64 { return eval.Ratio([]eval.Share{f.Share(a, relevant)}) }
		for _, f := range eval.Figures() {
			if v := value(f); math.IsNaN(v) || v < 0 || v > 1 {
				t.Errorf("%s of %+v against %v: got %v, want 0 to 1", f, a, relevant, v)
			}
		}
		if !slices.IsSorted([]float64{value(eval.Recall1), value(eval.Recall5), value(eval.Recall10), value(eval.Recall20)}) {
			t.Errorf("recall of %+v falls with more places", a)
		}
		if value(eval.Empty) > value(eval.Lost) {
			t.Errorf("%+v is empty, but not without an answer", a)
		}
	})
}

func TestPercentileIsATimeThatWasMeasured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var answers []eval.Answer
		var took []time.Duration
		for _, d := range rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 30).Draw(t, "took") {
			took = append(took, time.Duration(d))
			answers = append(answers, eval.Answer{Took: time.Duration(d)})
		}
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		got := eval.Percentile(answers, share)
		if !slices.Contains(took, got) || eval.Percentile(answers, 0) != slices.Min(took) || eval.Percentile(answers, 1) != slices.Max(took) {
			t.Errorf("percentile %v of %v: got %v", share, took, got)
		}
	})
	if got := eval.Percentile(nil, 0.5); got != 0 {
		t.Errorf("of nothing: got %v, want 0", got)
	}
}
