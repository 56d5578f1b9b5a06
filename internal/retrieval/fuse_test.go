package retrieval_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

func TestFuseScores(t *testing.T) {
	words := []engram.Ranked{{Num: 1, Score: 10}, {Num: 2, Score: 5}}
	meaning := []engram.Ranked{{Num: 3, Score: 0.8}, {Num: 2, Score: 0.4}, {Num: 1, Score: -0.2}}
	for _, tt := range []struct {
		name           string
		weight         float64
		words, meaning []engram.Ranked
		want           []engram.Ranked
	}{
		{"nothing", 0.2, nil, nil, nil},
		{"words alone", 0.2, words, nil, []engram.Ranked{{Num: 1, Score: 0.8}, {Num: 2, Score: 0.4}}},
		{"meaning alone; what points away is worth nothing", 0.2, nil, meaning, []engram.Ranked{{Num: 3, Score: 0.2}, {Num: 2, Score: 0.1}, {Num: 1}}},
		{"both", 0.2, words, meaning, []engram.Ranked{{Num: 1, Score: 0.8}, {Num: 2, Score: 0.5}, {Num: 3, Score: 0.2}}},
		{"a meaning of no weight finds nothing", 0, words, meaning, []engram.Ranked{{Num: 1, Score: 1}, {Num: 2, Score: 0.5}}},
		{"meaning is everything", 1, words, meaning, []engram.Ranked{{Num: 3, Score: 1}, {Num: 2, Score: 0.5}, {Num: 1}}},
		{"all cosines below 0", 0.5, nil, []engram.Ranked{{Num: 1, Score: -0.1}}, []engram.Ranked{{Num: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := sorted(new(retrieval.Fuser).Scores)(tt.weight, tt.words, tt.meaning); !near(got, tt.want) {
				t.Errorf("FuseScores(%v, %v, %v) = %v, want %v", tt.weight, tt.words, tt.meaning, got, tt.want)
			}
		})
	}
}

func TestFuseRanks(t *testing.T) {
	words := []engram.Ranked{{Num: 1, Score: 10}, {Num: 2, Score: 5}}
	meaning := []engram.Ranked{{Num: 2, Score: 0.8}, {Num: 3, Score: 0.4}}
	for _, tt := range []struct {
		name           string
		weight         float64
		words, meaning []engram.Ranked
		want           []engram.Ranked
	}{
		{"nothing", 0.3, nil, nil, nil},
		{"the first of both has 1", 0.3, words[:1], []engram.Ranked{{Num: 1, Score: 0.1}}, []engram.Ranked{{Num: 1, Score: 1}}},
		{"places count, scores do not", 0.25, words, meaning, []engram.Ranked{{Num: 2, Score: 0.75*6/7 + 0.25}, {Num: 1, Score: 0.75}, {Num: 3, Score: 0.25 * 6 / 7}}},
		{"words alone", 0.25, words, nil, []engram.Ranked{{Num: 1, Score: 0.75}, {Num: 2, Score: 0.75 * 6 / 7}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := sorted(new(retrieval.Fuser).Ranks)(tt.weight, tt.words, tt.meaning); !near(got, tt.want) {
				t.Errorf("FuseRanks(%v, %v, %v) = %v, want %v", tt.weight, tt.words, tt.meaning, got, tt.want)
			}
		})
	}
}

type fusion func(weight float64, words, meaning []engram.Ranked) []engram.Ranked

func sorted(fuse fusion) fusion {
	return func(weight float64, words, meaning []engram.Ranked) []engram.Ranked {
		fused := fuse(weight, words, meaning)
		retrieval.Sort(fused)
		return fused
	}
}

func TestTheBestAreFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		finds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) engram.Ranked {
			score := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1)})).Draw(t, "score")
			return engram.Ranked{Num: rapid.Int64Range(1, 50).Draw(t, "num"), Score: score}
		}), 0, 60).Draw(t, "finds")
		best := rapid.IntRange(0, 70).Draw(t, "best")
		want, got := slices.Clone(finds), slices.Clone(finds)
		retrieval.Sort(want)
		retrieval.SortBest(got, best)
		for i := range min(best, len(finds)) {
			if retrieval.Compare(got[i], want[i]) != 0 {
				t.Fatalf("the best %d of %v: got %v, want %v", best, finds, got, want)
			}
		}
		retrieval.Sort(got)
		if slices.CompareFunc(got, want, retrieval.Compare) != 0 {
			t.Fatalf("of %v: got %v", finds, got)
		}
	})
}

func near(a, b []engram.Ranked) bool {
	return slices.EqualFunc(a, b, func(x, y engram.Ranked) bool { return x.Num == y.Num && math.Abs(x.Score-y.Score) < 1e-9 })
}

// TestFusion says what holds for both ways of joining.
func TestFusion(t *testing.T) {
	for name, fuse := range map[string]fusion{
		"scores": sorted(new(retrieval.Fuser).Scores), "ranks": sorted(new(retrieval.Fuser).Ranks),
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				weight := rapid.Float64Range(0.01, 0.99).Draw(t, "weight")
				words, meaning := drawFinds(t, "words", 15), drawFinds(t, "meaning", 15)
				kept := [2][]engram.Ranked{slices.Clone(words), slices.Clone(meaning)}
				got := fuse(weight, words, meaning)
				if !slices.Equal(words, kept[0]) || !slices.Equal(meaning, kept[1]) {
					t.Fatalf("the lists were changed")
				}
				seen := scoreOf(got)
				if len(seen) != len(got) {
					t.Fatalf("%v holds a memory twice", got)
				}
				both := map[int64]bool{}
				for _, f := range slices.Concat(words, meaning) {
					both[f.Num] = true
					if _, ok := seen[f.Num]; !ok {
						t.Fatalf("%v lacks memory %d", got, f.Num)
					}
				}
				if len(both) != len(got) {
					t.Fatalf("%v holds what nobody found", got)
				}
				for i, f := range got {
					if f.Score < 0 || f.Score > 1+1e-9 || i > 0 && f.Score > got[i-1].Score {
						t.Fatalf("%v: place %d out of range or order", got, i+1)
					}
				}
				for i := 1; i < len(words) && len(meaning) == 0; i++ {
					if seen[words[i].Num] > seen[words[i-1].Num] {
						t.Fatalf("words alone were put into another order: %v, %v", words, got)
					}
				}
			})
		})
	}
}

func BenchmarkFuseScores(b *testing.B) {
	var words, meaning []engram.Ranked
	for i := range int64(400) {
		words = append(words, engram.Ranked{Num: i, Score: float64(400 - i)})
		meaning = append(meaning, engram.Ranked{Num: i * 2, Score: 1 / float64(i+1)})
	}
	b.ReportAllocs()
	for b.Loop() {
		new(retrieval.Fuser).Scores(0.2, words, meaning)
	}
}

func TestSharesAreThoseOfTheFirst(t *testing.T) {
	t.Parallel()
	list := func() []engram.Ranked {
		return []engram.Ranked{{Num: 1, Score: 0.2}, {Num: 2, Score: 0.8}, {Num: 3, Score: -1}}
	}
	if got, want := retrieval.Shares(engram.FusionScore, list()), (map[int64]float64{1: 0.25, 2: 1, 3: 0}); !maps.Equal(got, want) {
		t.Errorf("by score %v, want %v", got, want)
	}
	const d = retrieval.RankDamping + 1.0
	if got, want := retrieval.Shares(engram.FusionRank, list()), (map[int64]float64{1: d / (d + 1), 2: 1, 3: d / (d + 2)}); !maps.Equal(got, want) {
		t.Errorf("by rank %v, want %v", got, want)
	}
	if got := retrieval.Shares(engram.FusionScore, nil); len(got) != 0 {
		t.Errorf("of nothing %v", got)
	}
}
